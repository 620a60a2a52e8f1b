import type { Asker } from '#packages/platforms/lookups/asker.ts'
import type { Lookups } from '#packages/platforms/lookups/lookups.ts'
import { parseVideoUrl } from '#packages/platforms/urls/parse-video-url.ts'
import type { Source } from './source.ts'

/**
 * A video of a source. `id`: with its platform, identifies it. `publishedAt`: milliseconds since 1970; null if the
 * list does not have it, as on YouTube.
 */
export type SourceItem = { id: string; url: string; title: string | null; publishedAt: number | null }

/** `next`: the cursor of the next page, or null. */
export type SourcePage = { items: SourceItem[]; next: string | null }

/** The part of `Lookups` that reads sources. */
export type SourceLookups = Pick<Lookups, 'channel' | 'playlist' | 'profile' | 'search'>

export type ReadSource = (source: Source, cursor: string | undefined, asker: Asker) => Promise<SourcePage>

/** Videos per page: the most that the GET routes give. */
const limits: Record<Source['type'], number> = { channel: 100, playlist: 100, profile: 24, search: 20 }

/**
 * Reads a page of a source through the lookups of the GET routes, with their caches and the pace of the platforms.
 * Leaves out videos that cannot become jobs.
 * @throws ServiceError as the lookups do
 */
export const sourceReader =
  (lookups: SourceLookups): ReadSource =>
  async (source, cursor, asker) => {
    const { found, next } = await pageOf(lookups, source, cursor, asker)
    return { items: found.flatMap(itemOf), next }
  }

type Listed = { url: string; title: string | null; createdAt: string | null }

async function pageOf(
  lookups: SourceLookups,
  source: Source,
  cursor: string | undefined,
  asker: Asker,
): Promise<{ found: readonly Listed[]; next: string | null }> {
  const page = { limit: limits[source.type], cursor }
  switch (source.type) {
    case 'channel': {
      const question = { name: { field: 'url', text: source.url } as const, type: source.list, ...page }
      const { videos, nextCursor } = await lookups.channel(asker, question)
      return { found: videos, next: nextCursor }
    }
    case 'playlist': {
      const question = { name: { field: 'url', text: source.url } as const, ...page }
      const { videos, nextCursor } = await lookups.playlist(asker, question)
      return { found: videos, next: nextCursor }
    }
    case 'profile': {
      const question = { username: source.username, url: undefined, ...page }
      const { profile, nextCursor } = await lookups.profile(asker, source.platform, question)
      return { found: (profile as { videos: Listed[] }).videos, next: nextCursor }
    }
    case 'search': {
      const question = { q: source.q, platform: source.platform ?? undefined, ...page }
      const { results, nextCursor } = await lookups.search(asker, question)
      return { found: results, next: nextCursor }
    }
  }
}

function itemOf({ url, title, createdAt }: Listed): SourceItem[] {
  const video = parseVideoUrl(url)
  if (!video.accepted) return []
  const publishedAt = createdAt === null ? Number.NaN : Date.parse(createdAt)
  const { platform, id, canonical } = video
  return [
    {
      id: `${platform}:${id ?? canonical}`,
      url: canonical,
      title,
      publishedAt: Number.isNaN(publishedAt) ? null : publishedAt,
    },
  ]
}

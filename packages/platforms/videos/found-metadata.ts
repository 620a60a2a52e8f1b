import type { VideoMetadata } from '#contracts/generated/http.ts'
import type { Embedded } from '../oembed/read-oembed.ts'
import type { SocialPlatform } from '../registry.ts'
import type { Lacks } from '../ytdlp/warnings.ts'
import type { FoundMetadata, Inclusion } from './video-source.ts'

/** The metadata of a video that the platform shows only on pages that embed it. */
export function ofEmbedded(
  platform: SocialPlatform,
  { title, author, thumbnail, authorUrl }: Embedded,
  include: readonly Inclusion[],
): FoundMetadata {
  const counts = { viewCount: null, likeCount: null, commentCount: null, shareCount: null }
  const shown = { title, author, platform, duration: null, ...counts, thumbnail, authorId: null, authorUrl }
  const rest = { description: null, publishedAt: null, tags: null, isLive: null }
  const metadata: VideoMetadata = { ...shown, ...rest, ...Object.fromEntries(include.map((field) => [field, null])) }
  const fields = Object.keys(metadata) as (keyof VideoMetadata)[]
  return { metadata, missing: fields.filter((field) => metadata[field] === null) }
}

/** Metadata that was read. The listed captions may be incomplete. */
export const ofRead = (metadata: VideoMetadata, { captions }: Lacks): FoundMetadata => ({
  metadata,
  missing: metadata.captions !== undefined && captions !== null ? ['captions'] : [],
})

import type { SearchResult } from '#contracts/generated/http.ts'
import type { SocialPlatform } from '../../registry.ts'
import { parseVideoUrl } from '../../urls/parse-video-url.ts'
import type { SearchSource } from '../search-source.ts'
import type { Hit, Provider } from './provider.ts'

/**
 * Uses a search engine for a platform that cannot be searched without an account.
 * @param terms restrict the search to the platform's site; results from elsewhere are dropped in any case
 */
export const createWebSearch = (
  platform: SocialPlatform,
  terms: string,
  provider: Provider,
  details: SearchSource['details'],
): SearchSource => ({
  async find({ q, token }, reading) {
    const page = Number(token ?? 0)
    const { hits, more } = await provider.search(`${terms} ${q}`, page, reading)
    return { items: videosAmong(hits, platform), next: more ? String(page + 1) : null }
  },
  details,
})

/** The hits that are videos of the platform, under their canonical URLs, each once, in the same order. */
export function videosAmong(hits: readonly Hit[], platform: SocialPlatform): SearchResult[] {
  const videos = new Map<string, SearchResult>()
  for (const hit of hits) {
    const parsed = parseVideoUrl(hit.url)
    if (!parsed.accepted || parsed.kind !== 'video' || parsed.platform !== platform) continue
    if (!videos.has(parsed.canonical)) videos.set(parsed.canonical, { ...hit, platform, url: parsed.canonical })
  }
  return [...videos.values()]
}

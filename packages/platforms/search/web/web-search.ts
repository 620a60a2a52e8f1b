import type { SearchResult } from '#contracts/generated/http.ts'
import { parseVideoUrl } from '../../urls/parse-video-url.ts'
import type { SocialPlatform } from '../../urls/url-family.ts'
import type { SearchSource } from '../search.ts'
import type { Hit, Provider } from './provider.ts'

export type SearchedByWeb = Exclude<SocialPlatform, 'youtube'>

/** What a search for a platform's videos is restricted to; what is found elsewhere is left out in any case. */
const sites: Record<SearchedByWeb, string> = {
  tiktok: 'site:tiktok.com',
  instagram: 'site:instagram.com',
  x: '(site:x.com OR site:twitter.com)',
  facebook: 'site:facebook.com',
}

/** Searches the platforms that cannot be searched without an account, with a search engine. */
export function createWebSearch(
  provider: Provider,
  details: SearchSource['details'],
): Record<SearchedByWeb, SearchSource> {
  const source = (platform: SearchedByWeb): SearchSource => ({
    async find({ q, limit }, reading) {
      const hits = await provider.search(`${sites[platform]} ${q}`, reading)
      return videosAmong(hits, platform).slice(0, limit)
    },
    details,
  })
  return {
    tiktok: source('tiktok'),
    instagram: source('instagram'),
    x: source('x'),
    facebook: source('facebook'),
  }
}

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

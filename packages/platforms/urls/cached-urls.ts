import { LRUCache } from 'lru-cache'
import { parseVideoUrl } from './parse-video-url.ts'

const MAX_URLS = 1000

/** Caches the results of `parseVideoUrl` for the latest URLs, because callers send the same ones again and again. */
export function cachedUrls(): typeof parseVideoUrl {
  const known = new LRUCache<string, ReturnType<typeof parseVideoUrl>>({ max: MAX_URLS })
  return (url) => {
    const before = known.get(url)
    if (before !== undefined) return before
    const parsed = parseVideoUrl(url)
    known.set(url, parsed)
    return parsed
  }
}

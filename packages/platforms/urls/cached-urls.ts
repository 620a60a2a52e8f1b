import { LRUCache } from 'lru-cache'
import { parseVideoUrl } from './parse-video-url.ts'

const MAX_URLS = 1000

/** What `parseVideoUrl` says, cached for the URLs that were asked for last: they are asked for again and again. */
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

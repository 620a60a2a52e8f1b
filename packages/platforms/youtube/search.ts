import type { SearchResult } from '#contracts/generated/http.ts'
import { askPlatform, type Browse, type SiteOptions } from '../reading/ask-platform.ts'
import type { Reading } from '../reading/reading.ts'
import { Shape } from '../reading/shape.ts'
import { parseAnswer, type Site } from '../reading/site.ts'
import type { Details, SearchSource } from '../search/search-source.ts'
import type { InnerTube, Post } from './innertube.ts'
import { parsePlayer, parseSearch } from './parse-search.ts'
import { speak } from './speak.ts'
import { youtubeUrls } from './urls.ts'

const site: Site = { platform: 'youtube', operation: 'search', label: 'YouTube' }

/** Searches YouTube. Only the player knows date of publication and likes: `details` reads them. */
export function createYouTubeSearch({ browse, report }: SiteOptions): SearchSource {
  const spoken = <T>(reading: Reading, ask: (tube: InnerTube) => Promise<T>): Promise<T> =>
    speak(site, post(browse, reading), reading.signal, ask)
  return {
    async find({ q, limit }, reading) {
      const searched = await spoken(reading, (tube) => tube.search(q))
      return parseAnswer(site, Shape.of('search', searched), report, parseSearch).slice(0, limit)
    },
    async details(result: SearchResult, reading): Promise<Details> {
      const id = youtubeUrls.recognise(new URL(result.url))?.id
      const answer = await spoken(reading, (tube) => tube.player(id ?? ''))
      const { createdAt, likes } = parseAnswer(site, Shape.of('player', answer), report, parsePlayer)
      return { createdAt, stats: { ...result.stats, likes } }
    },
  }
}

/** The library would name a browser of its own; the reader imitates a whole one. */
const post =
  (browse: Browse, reading: Reading): Post =>
  async (url, { 'user-agent': _, ...headers }, body) =>
    (await askPlatform(site, browse, { url, method: 'POST', headers, body }, reading)).text

import type { SearchResult } from '#contracts/generated/http.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { countLookups } from '#packages/telemetry/count-lookups.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { SourcePage } from '../paging/take-items.ts'
import type { SiteOptions } from '../reading/ask-platform.ts'
import { browserOf } from '../reading/browser.ts'
import { measuredRead } from '../reading/measured-read.ts'
import { type Passed, readOutside } from '../reading/read-outside.ts'
import { ReadThroughCache } from '../reading/read-through-cache.ts'
import { routeOf } from '../reading/route-of.ts'
import { reportTo } from '../reading/site.ts'
import { platforms, type SocialPlatform } from '../registry.ts'
import type { Reader } from '../ytdlp/reader.ts'
import { createSearch, type FoundNow, type Search, type SearchOptions } from './search.ts'
import type { SearchSource } from './search-source.ts'
import { createBrave } from './web/brave.ts'
import type { Provider } from './web/provider.ts'
import { createSearxng } from './web/searxng.ts'
import { createWebSearch } from './web/web-search.ts'

export type SharedSearchOptions = Passed & {
  reader: Reader
  clock: Clock
  log: Logger
  details: SearchSource['details']
  /** How long a result is served from the cache, seconds. */
  searchSeconds: number
  /** Key of the Brave Search API, else URL of a SearXNG. With neither, only platforms with their own search work. */
  braveApiKey: string | undefined
  searxngUrl: string | undefined
}

/** Searches over all platforms. Requests for the same search share it, and its result for a while. */
export function createSharedSearch(options: SharedSearchOptions): Search {
  const { clock, searchSeconds, details, telemetry } = options
  const provider = providerOf(options)
  const sources: SearchOptions['sources'] = {}
  for (const { name, search } of platforms) {
    if ('create' in search) sources[name] = keptPages(createOwnSearch(name, search.create, options), options)
    else if (provider) {
      const source = createWebSearch(name, search.webTerms, provider, details)
      sources[name] = keptPages(measuredSource(name, source, options), options)
    }
  }
  const onLookup = countLookups(telemetry, 'searches')
  const search = createSearch({ sources })
  // incomplete results are not cached: a platform that failed, or had no room in its pace, may answer the next request
  const isWhole = ({ incomplete, isThin }: FoundNow) => !isThin && incomplete.every((platform) => !sources[platform])
  const secondsOf = (found: FoundNow): number => (isWhole(found) ? searchSeconds : 0)
  const reads = new ReadThroughCache<FoundNow>({ clock, seconds: secondsOf, onLookup })
  return ({ q, limit, platform, from }, reading) =>
    reads.get(JSON.stringify([q, limit, platform, from]), reading, (shared) =>
      search({ q, limit, platform, from }, shared),
    )
}

/** A source with cached pages: the next results of a search may be on the same page. */
function keptPages(source: SearchSource, { clock, searchSeconds: seconds }: SharedSearchOptions): SearchSource {
  const pages = new ReadThroughCache<SourcePage<SearchResult>>({ clock, seconds })
  return {
    ...source,
    find: (wish, reading) =>
      pages.get(JSON.stringify([wish.q, wish.token]), reading, (shared) => source.find(wish, shared)),
  }
}

/** The search of a platform that has its own. */
function createOwnSearch(
  platform: SocialPlatform,
  create: (options: SiteOptions) => SearchSource,
  options: SharedSearchOptions,
): SearchSource {
  const source = create({ browse: browserOf(options, platform), report: reportTo(options.log) })
  return {
    find: (wish, reading) =>
      readOutside(options, { platform, operation: 'search' }, reading, () => source.find(wish, reading)),
    details(result, reading) {
      const outside = { platform, operation: 'details', subject: result.url } as const
      return readOutside(options, outside, reading, () => source.details(result, reading))
    },
  }
}

/** The search of a platform through a search engine. */
const measuredSource = (
  platform: SocialPlatform,
  source: SearchSource,
  { routes, telemetry }: SharedSearchOptions,
): SearchSource => ({
  ...source,
  find(wish, reading) {
    const { via } = routeOf(routes, undefined, reading)
    const read = { platform, operation: 'search', via, signal: reading.signal } as const
    return measuredRead(telemetry, read, () => source.find(wish, reading))
  },
})

function providerOf({ braveApiKey, searxngUrl, routes, log }: SharedSearchOptions): Provider | undefined {
  const report = reportTo(log)
  if (braveApiKey !== undefined)
    return createBrave({ apiKey: braveApiKey, routeOf: (reading) => routeOf(routes, undefined, reading), report })
  return searxngUrl === undefined ? undefined : createSearxng({ baseUrl: searxngUrl, report })
}

/** The platforms with their own search, or all if a search engine is configured. */
export const searchableWith = ({
  braveApiKey,
  searxngUrl,
}: Pick<SharedSearchOptions, 'braveApiKey' | 'searxngUrl'>): SocialPlatform[] =>
  platforms
    .filter(({ search }) => 'create' in search || braveApiKey !== undefined || searxngUrl !== undefined)
    .map(({ name }) => name)

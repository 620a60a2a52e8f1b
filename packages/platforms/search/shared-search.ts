import type { EgressRoutes } from '#packages/egress/egress-routes.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { Breakers } from '../breakers/breakers.ts'
import { ReadThroughCache } from '../reading/read-through-cache.ts'
import { routeOf } from '../reading/route-of.ts'
import { reportTo, type SiteOptions } from '../reading/site.ts'
import { platforms, type SocialPlatform } from '../registry.ts'
import { createSearch, type Found, type Search, type SearchOptions, type SearchSource } from './search.ts'
import { createBrave } from './web/brave.ts'
import type { Provider } from './web/provider.ts'
import { createSearxng } from './web/searxng.ts'
import { createWebSearch } from './web/web-search.ts'

export type SharedSearchOptions = {
  routes: EgressRoutes
  breakers: Breakers
  clock: Clock
  log: Logger
  details: SearchSource['details']
  /** How long what was found serves others, seconds. */
  searchSeconds: number
  /** A key of the Brave Search API, or else where a SearXNG is; neither: only platforms with a search of their own are searched. */
  braveApiKey: string | undefined
  searxngUrl: string | undefined
}

/** Searches over all platforms. Those who ask for the same share a search, and what it found for a while. */
export function createSharedSearch(options: SharedSearchOptions): Search {
  const { clock, searchSeconds, details } = options
  const provider = providerOf(options)
  const sources: SearchOptions['sources'] = {}
  for (const { name, search } of platforms) {
    if ('create' in search) sources[name] = createOwnSearch(name, search.create, options)
    else if (provider) sources[name] = createWebSearch(name, search.webTerms, provider, details)
  }
  const search = createSearch({ sources })
  // a platform that failed may answer the next one who asks
  const isWhole = ({ incomplete }: Found) => incomplete.every((platform) => !sources[platform])
  const reads = new ReadThroughCache<Found>({ clock, seconds: searchSeconds, isWorthKeeping: isWhole })
  return ({ q, limit, platform }, reading) =>
    reads.get(JSON.stringify([q, limit, platform]), reading, (signal, onWait) =>
      search({ q, limit, platform }, { ...reading, signal, onWait }),
    )
}

/** The search of a platform that has one of its own. */
function createOwnSearch(
  platform: SocialPlatform,
  create: (options: SiteOptions) => SearchSource,
  { routes, breakers, log }: SharedSearchOptions,
): SearchSource {
  const source = create({ routeOf: (reading) => routeOf(routes, platform, reading), report: reportTo(log) })
  return {
    find(wish, reading) {
      const { address } = routeOf(routes, platform, reading)
      return breakers.run(platform, { address, organization: reading.organization }, () => source.find(wish, reading))
    },
    details: (result, reading) => source.details(result, reading),
  }
}

function providerOf({ braveApiKey, searxngUrl, routes, log }: SharedSearchOptions): Provider | undefined {
  const report = reportTo(log)
  if (braveApiKey !== undefined)
    return createBrave({ apiKey: braveApiKey, routeOf: (reading) => routeOf(routes, undefined, reading), report })
  return searxngUrl === undefined ? undefined : createSearxng({ baseUrl: searxngUrl, report })
}

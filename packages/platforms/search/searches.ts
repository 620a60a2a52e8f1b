import type { Exits } from '#packages/egress/exits.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { Breakers } from '../breakers/breakers.ts'
import { exitOf } from '../reading/session.ts'
import { SharedReads } from '../reading/shared-reads.ts'
import { reportTo } from '../reading/site.ts'
import { createYouTubeSearch } from '../youtube/search.ts'
import { createSearch, type Found, type Search, type SearchOptions, type SearchSource } from './search.ts'
import { createBrave } from './web/brave.ts'
import type { Provider } from './web/provider.ts'
import { createSearxng } from './web/searxng.ts'
import { createWebSearch } from './web/web-search.ts'

export type SearchesOptions = {
  exits: Exits
  breakers: Breakers
  clock: Clock
  log: Logger
  details: SearchSource['details']
  /** How long what was found serves others, seconds. */
  searchSeconds: number
  /** A key of the Brave Search API, or else where a SearXNG is; neither: only YouTube is searched. */
  braveApiKey: string | undefined
  searxngUrl: string | undefined
}

/** Searches over all platforms. Those who ask for the same share a search, and what it found for a while. */
export function createSearches(options: SearchesOptions): Search {
  const { clock, searchSeconds, details } = options
  const provider = providerOf(options)
  const sources: SearchOptions['sources'] = {
    youtube: createYouTube(options),
    ...(provider ? createWebSearch(provider, details) : {}),
  }
  const search = createSearch({ sources })
  // a platform that failed may answer the next one who asks
  const isWhole = ({ incomplete }: Found) => incomplete.every((platform) => !sources[platform])
  const reads = new SharedReads<Found>({ clock, seconds: searchSeconds, isWorthKeeping: isWhole })
  return ({ q, limit, platform }, reading) =>
    reads.get(JSON.stringify([q, limit, platform]), reading, (signal, onWait) =>
      search({ q, limit, platform }, { ...reading, signal, onWait }),
    )
}

function createYouTube({ exits, breakers, log }: SearchesOptions): SearchSource {
  const source = createYouTubeSearch({ exitOf: (reading) => exitOf(exits, 'youtube', reading), report: reportTo(log) })
  return {
    find(wish, reading) {
      const { address } = exitOf(exits, 'youtube', reading)
      return breakers.run('youtube', { address, organization: reading.organization }, () => source.find(wish, reading))
    },
    details: (result, reading) => source.details(result, reading),
  }
}

function providerOf({ braveApiKey, searxngUrl, exits, log }: SearchesOptions): Provider | undefined {
  const report = reportTo(log)
  if (braveApiKey !== undefined)
    return createBrave({ apiKey: braveApiKey, exitOf: (reading) => exitOf(exits, undefined, reading), report })
  return searxngUrl === undefined ? undefined : createSearxng({ baseUrl: searxngUrl, report })
}

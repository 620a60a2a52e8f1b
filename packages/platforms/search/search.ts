import type { SearchResult } from '#contracts/generated/http.ts'
import { inParallel } from '#packages/foundation/concurrency/in-parallel.ts'
import { PaceError } from '#packages/foundation/errors/pace-error.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { beginning, type Place, type Taken, takeItems } from '../paging/take-items.ts'
import type { Reading } from '../reading/reading.ts'
import { platformNamed, platformNames, type SocialPlatform } from '../registry.ts'
import type { Details, SearchSource } from './search-source.ts'

export type SearchOptions = {
  /** A platform without a source is not configured. */
  sources: Partial<Record<SocialPlatform, SearchSource>>
  /** Time limits: one platform's search, and all details together, milliseconds. */
  findMs?: number
  detailsMs?: number
  /** How many details are read at once. */
  parallel?: number
}

/** The results of a search, and the platforms that were not asked or did not answer. */
export type Found = {
  results: SearchResult[]
  incomplete: SocialPlatform[]
  /** The place at which the next page begins. Null if there is none, or if several platforms are searched. */
  next: Place | null
}

/** Searches. `from`: the place at which to begin; only for a search of one platform. */
export type Search = (
  wish: { q: string; limit: number; platform?: SocialPlatform | undefined; from?: Place | undefined },
  reading: Reading,
) => Promise<Found>

/** This configuration cannot search the requested platform. The operator can change that; a caller gets 503. */
export class SearchNotConfigured extends Error {
  constructor(platform: SocialPlatform) {
    super(`Searching ${platformNamed(platform).label} is not configured: set BRAVE_API_KEY or SEARXNG_URL.`)
    this.name = 'SearchNotConfigured'
  }
}

/** No platform has answered. The code is the first failure's. */
export class SearchFailed extends StepError {
  readonly platform: SocialPlatform

  constructor(platform: SocialPlatform, failure: StepError) {
    const { code, transient, message, retryAfterSeconds } = failure
    super(code, {
      transient,
      message,
      cause: failure,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    })
    this.name = 'SearchFailed'
    this.platform = platform
  }
}

/** `isThin`: a platform's pace prevented reading the details of some results. */
export type FoundNow = Found & { isThin: boolean }

type SearchNow = (...asked: Parameters<Search>) => Promise<FoundNow>

type End = Taken<SearchResult> & { platform: SocialPlatform; failure?: StepError | SearchNotConfigured }

/**
 * Searches one platform or all, and interleaves the platforms' results, each in its own order.
 *
 * The search throws SearchFailed if no platform has answered, SearchNotConfigured if none of them is configured, and
 * the signal's reason when aborted.
 */
export function createSearch({ sources, findMs = 8_000, detailsMs = 4_000, parallel = 6 }: SearchOptions): SearchNow {
  const findIn = async (platform: SocialPlatform, { q, from, limit }: FindWish, reading: Reading): Promise<End> => {
    const source = sources[platform]
    const none = { platform, items: [], next: null }
    if (!source) return { ...none, failure: new SearchNotConfigured(platform) }
    const soon = within(reading, findMs)
    try {
      const found = await takeItems((token) => source.find({ q, token }, soon), { from, limit, pages: 1 })
      return { platform, ...found }
    } catch (error) {
      reading.signal.throwIfAborted()
      return { ...none, failure: toFailure(platform, error) }
    }
  }
  const completed = async (result: SearchResult, reading: Reading) => {
    try {
      const details = await sources[result.platform]?.details(result, reading)
      return { result: details ? merged(result, details) : result, isThin: false }
    } catch (error) {
      // a result stays in the answer even if its video cannot be read now
      return { result, isThin: error instanceof PaceError }
    }
  }
  return async ({ q, limit, platform, from = beginning }, reading) => {
    const asked = platform ? [platform] : platformNames
    const ends: End[] = await Promise.all(asked.map((each) => findIn(each, { q, limit, from }, reading)))
    reading.signal.throwIfAborted()
    if (ends.every(({ failure }) => failure)) throw failureOf(ends)
    const results = interleaved(ends.map(({ items }) => items)).slice(0, limit)
    const soon = { ...within(reading, detailsMs), isOptional: true }
    const ready = await inParallel(results, parallel, reading.signal, (result) => completed(result, soon))
    return {
      results: ready.map(({ result }) => result),
      isThin: ready.some(({ isThin }) => isThin),
      next: platform ? (ends[0]?.next ?? null) : null,
      incomplete: ends.flatMap((end) => (end.failure ? [end.platform] : [])),
    }
  }
}

type FindWish = { q: string; limit: number; from: Place }

/** The first of each list, then the second of each, and so on. */
function interleaved<T>(lists: readonly T[][]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list.slice(i, i + 1))).flat()
}

function merged(result: SearchResult, { stats, ...details }: Details): SearchResult {
  const known = <T extends object>(of: T) =>
    Object.fromEntries(Object.entries(of).filter(([, value]) => value !== null))
  return { ...result, ...known(details), stats: { ...result.stats, ...known(stats ?? {}) } }
}

const within = (reading: Reading, milliseconds: number): Reading => ({
  ...reading,
  signal: AbortSignal.any([reading.signal, AbortSignal.timeout(milliseconds)]),
})

function toFailure(platform: SocialPlatform, error: unknown): StepError {
  if (error instanceof StepError) return error
  if (!(error instanceof DOMException && error.name === 'TimeoutError')) throw error
  return new StepError('upstream_error', {
    transient: true,
    message: `${platformNamed(platform).label} did not answer in time.`,
  })
}

/** Reports a platform that is not configured only if no platform failed in another way. */
function failureOf(ends: readonly End[]): Error {
  for (const { platform, failure } of ends) {
    if (failure instanceof StepError) return new SearchFailed(platform, failure)
  }
  return ends.find(({ failure }) => failure)?.failure ?? new Error('nothing was asked')
}

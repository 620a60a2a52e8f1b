import { RateLimiterMemory } from 'rate-limiter-flexible'

/** Requests of one key so far, in a window that ends in `msBeforeNext` milliseconds. */
export type Count = { consumedPoints: number; msBeforeNext: number }

/**
 * Counts a request of `key`, or so many at once, in windows of a minute from the first. `limit` is where the caller begins
 * to refuse: beyond it a counter may tell any number that is greater.
 */
export type RateCounter = (key: string, limit: number, requests?: number) => Promise<Count>

export const WINDOW_SECONDS = 60

/** Makes a counter for each kind of requests. */
export type RateCounters = (tier: string) => RateCounter

/** Counts in this process alone. The limit is left to the caller: it may change within a window, with the plan. */
export const memoryCounters: RateCounters = () => {
  const counter = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: WINDOW_SECONDS })
  return (key, _limit, requests = 1) => counter.consume(key, requests)
}

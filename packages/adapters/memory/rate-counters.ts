import { RateLimiterMemory } from 'rate-limiter-flexible'
import { RATE_WINDOW_SECONDS, type RateCounters } from '#packages/ports/rate-counters.ts'

/** Counts the requests of this process alone. */
export const memoryRateCounters: RateCounters = () => {
  // The limit is ignored: it is the caller that refuses, and a limit may change within a window.
  const limiter = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: RATE_WINDOW_SECONDS })
  return async (key, _limit, requests = 1) => {
    const { consumedPoints, msBeforeNext } = await limiter.consume(key, requests)
    return { counted: consumedPoints, endsInMs: msBeforeNext }
  }
}

import { RateLimiterMemory } from 'rate-limiter-flexible'
import { RATE_WINDOW_SECONDS, type RateCounters } from '#packages/ports/rate-counters.ts'

/** Counts the requests of this process alone. */
export const memoryRateCounters: RateCounters = () => {
  // The limiter's own limit is unused: the caller refuses, and a limit may change within a window.
  const limiter = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: RATE_WINDOW_SECONDS })
  // A reward without a count, or after its window has ended, would begin a window below zero.
  const giveBackNow = async (key: string): Promise<void> => {
    const known = await limiter.get(key)
    if (known !== null && known.msBeforeNext > 0 && known.consumedPoints > 0) await limiter.reward(key)
  }
  /** One after the other: each reads the count before it changes it. */
  let givenBack = Promise.resolve()
  return {
    async count(key, _limit, requests = 1) {
      const { consumedPoints, msBeforeNext } = await limiter.consume(key, requests)
      return { counted: consumedPoints, endsInMs: msBeforeNext }
    },
    giveBack(key) {
      givenBack = givenBack.then(() => giveBackNow(key))
      return givenBack
    },
  }
}

/** Requests of one key counted so far in its window, and the time until the window ends, milliseconds. */
export type RateCount = { counted: number; endsInMs: number }

/**
 * Counts the requests of each key.
 *
 * Guarantees:
 * - A key's window begins with its first request and ends RATE_WINDOW_SECONDS later. The next request begins a new one.
 * - The requests of one process are counted exactly up to `limit`, however many arrive at once. The caller refuses
 *   those above it. Above the limit a counter may return any greater number until the window ends, even after
 *   `giveBack`.
 * - If several processes share the counts, none of them sees more requests than were made. Each may see too few, by up
 *   to a twentieth of the limit. If a twentieth is less than three, none is missing: small limits are exact.
 * - The limit is the caller's and may differ from one request to the next: a plan may change within a window.
 * - It never rejects: while its store is away, a counter counts only the requests of this process.
 */
export type RateCounter = {
  /** Counts one or more requests of a key, and returns the count including them. */
  count(key: string, limit: number, requests?: number): Promise<RateCount>
  /** Takes a request back out of the count. Changes nothing once its window has ended. */
  giveBack(key: string): Promise<void>
}

/** Creates the counter for one tier of requests. Each tier of a key is counted separately. */
export type RateCounters = (tier: string) => RateCounter

export const RATE_WINDOW_SECONDS = 60

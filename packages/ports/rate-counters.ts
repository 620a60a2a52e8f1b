/** Requests of one key that a window has counted so far, and the time until it ends, milliseconds. */
export type RateCount = { counted: number; endsInMs: number }

/**
 * Counts the requests of each key.
 *
 * Guarantees:
 * - A key's window begins with its first request and ends RATE_WINDOW_SECONDS later; the next request begins a new one.
 * - The requests of one process are counted exactly up to `limit`, above which the caller refuses, however many come at
 *   once. Above it a counter may return any greater number until the window ends, whatever is given back.
 * - Where several processes share the counts, none of them is told more than were counted. Each may be told of up to a
 *   twentieth of the limit fewer; where a twentieth is less than three, of none: small limits are exact.
 * - The limit is the caller's and may differ from one request to the next: a plan may change within a window.
 * - It never rejects: while its store is away, a counter counts only the requests of this process.
 */
export type RateCounter = {
  /** Counts a request of a key, or several at once, and returns the count including them. */
  count(key: string, limit: number, requests?: number): Promise<RateCount>
  /** Takes a request out of the count again. Changes nothing once its window has ended. */
  giveBack(key: string): Promise<void>
}

/** Makes the counter of one tier of requests. The tiers of a key are counted apart. */
export type RateCounters = (tier: string) => RateCounter

export const RATE_WINDOW_SECONDS = 60

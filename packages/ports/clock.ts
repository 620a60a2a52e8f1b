/** The time, as one process sees it. No other code reads a clock or sets a timer. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number
  /**
   * Resolves after `ms` milliseconds.
   * @throws the signal's reason as soon as it is aborted
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** An instant (milliseconds since 1970, UTC) as ISO 8601, such as `2026-01-31T12:00:00.000Z`. */
export const isoOf = (instant: number): string => new Date(instant).toISOString()

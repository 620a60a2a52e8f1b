/** Time, as the process it is given to sees it. Nothing else in the code reads a clock or sets a timer. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number
  /**
   * Resolves after `ms` milliseconds.
   * @throws the signal's reason as soon as it is aborted
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

import type { StoredEvent } from '#packages/ports/event-store.ts'

/**
 * An analyst's own fold over the history. The events come one by one, in the order of the feed, in the newest version
 * of their types, as in `contracts/events`.
 */
export type Projection<State> = {
  /** The prefixes of the required streams, such as `job-`. Missing: all streams. */
  prefixes?: readonly string[]
  /** A fresh state. With a `merge`, it must be made of values that `structuredClone` can copy. */
  initialState(): State
  /** The state after one more event. It may change and return the given state. */
  evolve(state: State, event: StoredEvent): State
  /**
   * Merges two states that were folded from different streams. With it the fold runs in several threads, each with some
   * whole streams. Leave it out if the order of events across streams matters.
   */
  merge?(one: State, other: State): State
  /** The output for people. With `--json` the state itself is printed. */
  print(state: State): string
}

/** The prefixes of all streams. */
export const allStreams: readonly string[] = [
  'job-',
  'credits-',
  'batch-',
  'key-',
  'organization-',
  'removal-',
  'requests-',
  'webhook-',
  'watch-',
  'delivery-',
]

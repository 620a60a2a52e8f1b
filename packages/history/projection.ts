import type { StoredEvent } from '#packages/ports/event-store.ts'

/**
 * An analyst's own fold over the history: the events come one by one, in the order of the feed, in the newest version of
 * their types, as `contracts/events` has them.
 */
export type Projection<State> = {
  /** The streams that it needs, by the beginnings of their names, such as `job-`; all of them where it is left out. */
  prefixes?: readonly string[]
  /** A fresh state. Made of what `structuredClone` copies where there is a `merge`. */
  initialState(): State
  /** The state after one more event. It may change the state that it is given, and return it. */
  evolve(state: State, event: StoredEvent): State
  /**
   * Makes one state of two that saw different streams. With it the fold runs in several threads, each of which has some
   * streams as a whole; leave it out where the order of events of different streams matters.
   */
  merge?(one: State, other: State): State
  /** What people are shown. With `--json` the state itself is printed. */
  print(state: State): string
}

/** Every stream there is. */
export const allStreams: readonly string[] = [
  'job-',
  'credits-',
  'key-',
  'organization-',
  'removal-',
  'requests-',
  'webhook-',
  'delivery-',
]

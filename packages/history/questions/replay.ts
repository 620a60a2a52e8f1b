import type { HistoryStore } from './history-store.ts'
import { allStreams, type Projection } from './projection.ts'
import { type HistoryRange, readHistory } from './read-history.ts'

/** A state, and the number of events that made it. */
export type Replayed<State> = { state: State; events: number }

export type ReplayOptions = Omit<HistoryRange, 'prefixes'> & {
  /** Replaces the projection's own prefixes. */
  prefixes?: readonly string[] | undefined
  /** Called after each batch with the events folded so far. */
  tell?: (events: number) => void
}

/** Folds the history, or a part of it, by a projection. */
export async function replay<State>(
  store: HistoryStore,
  projection: Projection<State>,
  { prefixes, tell, ...range }: ReplayOptions = {},
): Promise<Replayed<State>> {
  let state = projection.initialState()
  let events = 0
  const wanted = prefixes ?? projection.prefixes ?? allStreams
  await readHistory(store, { ...range, prefixes: wanted }, (batch) => {
    for (const event of batch) state = projection.evolve(state, event)
    events += batch.length
    tell?.(events)
  })
  return { state, events }
}

/** Merges the states of parts with different streams. @throws TypeError the projection has no `merge` */
export function merged<State>(projection: Projection<State>, parts: readonly Replayed<State>[]): Replayed<State> {
  const merge = projection.merge?.bind(projection)
  if (merge === undefined) throw new TypeError('the projection has no merge')
  return parts.reduce((one, other) => ({
    state: merge(one.state, other.state),
    events: one.events + other.events,
  }))
}

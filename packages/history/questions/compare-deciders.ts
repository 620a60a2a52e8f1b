import { type Decider, fold, isEventOf } from '#packages/event-sourcing/decider.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { changesOf } from './changes.ts'
import type { HistoryStore } from './history-store.ts'
import { type HistoryRange, readHistory } from './read-history.ts'

/** How streams of one kind are folded. */
export type Rules<State> = Pick<Decider<State, never, DomainEvent>, 'eventTypes' | 'initialState' | 'evolve'>

/** Two sets of rules for streams of one kind. */
export type Rivals<State> = {
  /** The common prefix of the streams' names. */
  prefix: string
  present: Rules<State>
  changed: Rules<State>
}

/** The states of a stream under both sets of rules. `revision`: of the last event that was read. */
export type StateDifference = { stream: string; revision: number; present: unknown; changed: unknown }

export type RuleComparison = {
  streams: number
  events: number
  differingStates: number
  /** The first ones, up to the limit. */
  differences: StateDifference[]
}

export type CompareOptions = Omit<HistoryRange, 'prefixes'> & {
  tell?: (events: number) => void
  /** The most streams with states in memory at once. Default 50,000. */
  atOnce?: number
  /** The most differences that are listed. Default 1,000. */
  listed?: number
}

/** One stream under both rules. */
type Pair<State> = { revision: number; present: State; changed: State }

/**
 * Folds the whole history under changed rules and under the present ones, and compares the final states of the streams.
 */
export async function compareDeciders<State>(
  store: HistoryStore,
  rivals: Rivals<State>,
  { tell, ...options }: CompareOptions = {},
): Promise<RuleComparison> {
  const comparison = new Comparison(store, rivals, options)
  let events = 0
  await readHistory(store, { ...options, prefixes: [rivals.prefix] }, async (batch) => {
    for (const event of batch) await comparison.take(event)
    events += batch.length
    tell?.(events)
  })
  return { ...comparison.end(), events }
}

class Comparison<State> {
  readonly #store: HistoryStore
  readonly #rivals: Rivals<State>
  readonly #atOnce: number
  readonly #listed: number
  /** The streams in memory, the most recently used last. */
  readonly #pairs = new Map<string, Pair<State>>()
  readonly #streams = new Set<string>()
  /** By stream; undefined beyond the listed ones. */
  readonly #differing = new Map<string, StateDifference | undefined>()

  constructor(
    store: HistoryStore,
    rivals: Rivals<State>,
    { atOnce = 50_000, listed = 1000 }: Pick<CompareOptions, 'atOnce' | 'listed'>,
  ) {
    this.#store = store
    this.#rivals = rivals
    this.#atOnce = atOnce
    this.#listed = listed
  }

  async take(event: StoredEvent): Promise<void> {
    const { stream, revision } = event
    const { present, changed } = this.#rivals
    const pair = this.#pairs.get(stream) ?? (await this.#read(stream, revision))
    this.#pairs.delete(stream)
    this.#pairs.set(stream, {
      revision,
      present: isEventOf(present, event) ? present.evolve(pair.present, event) : pair.present,
      changed: isEventOf(changed, event) ? changed.evolve(pair.changed, event) : pair.changed,
    })
    const [oldest] = this.#pairs
    if (this.#pairs.size > this.#atOnce && oldest !== undefined) this.#leave(...oldest)
  }

  end(): Omit<RuleComparison, 'events'> {
    for (const [stream, pair] of this.#pairs) this.#leave(stream, pair)
    const differences = [...this.#differing.values()].filter((difference) => difference !== undefined)
    return { streams: this.#streams.size, differingStates: this.#differing.size, differences }
  }

  /** Reads the earlier state of a stream that began before the range, or that was dropped from memory. */
  async #read(stream: string, revision: number): Promise<Pair<State>> {
    this.#streams.add(stream)
    const { present, changed } = this.#rivals
    const events = revision === 0 ? [] : await this.#store.read(stream, { to: revision - 1 })
    return { revision: revision - 1, present: fold(present, events), changed: fold(changed, events) }
  }

  /** Drops a stream from memory, and records whether its states differ. */
  #leave(stream: string, states: Pair<State>): void {
    this.#pairs.delete(stream)
    this.#differing.delete(stream)
    // Compared as JSON, which leaves out the private fields of a state.
    if (changesOf(states.present, states.changed).length === 0) return
    this.#differing.set(stream, this.#differing.size < this.#listed ? { stream, ...states } : undefined)
  }
}

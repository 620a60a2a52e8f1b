import { isDeepStrictEqual } from 'node:util'
import { type Decider, fold, isEventOf } from '#packages/event-sourcing/decider.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { changesOf } from './changes.ts'
import type { HistoryStore } from './history-store.ts'
import { type HistoryRange, readHistory } from './read-history.ts'

/** Rules of one kind of stream. Without `decide` only the states are compared. */
export type Rules<State, Command> = Pick<
  Decider<State, Command, DomainEvent>,
  'eventTypes' | 'initialState' | 'evolve'
> &
  Partial<Pick<Decider<State, Command, DomainEvent>, 'decide'>>

/** Two sets of rules for streams of one kind. */
export type Rivals<State, Command> = {
  /** The beginning of the streams' names. */
  prefix: string
  present: Rules<State, Command>
  changed: Rules<State, Command>
  /** The command that an event tells of; undefined where it tells of none. */
  commandOf(event: StoredEvent): Command | undefined
}

/** Where the rules differ: in the state that a stream ends with, or in what they decide on one command. */
export type RuleDifference = {
  what: 'state' | 'decision'
  stream: string
  revision: number
  present: unknown
  changed: unknown
}

export type RuleComparison = {
  streams: number
  events: number
  /** Commands that both rules have decided. */
  decisions: number
  differingStates: number
  differingDecisions: number
  /** The first ones of each kind. */
  differences: RuleDifference[]
}

export type CompareOptions = Omit<HistoryRange, 'prefixes'> & {
  tell?: (events: number) => void
  /** Streams whose states are in memory at once. Default 50,000. */
  atOnce?: number
  /** Most differences of each kind that are listed. Default 1,000. */
  listed?: number
}

/** One stream under both rules. */
type Pair<State> = {
  revision: number
  present: State
  changed: State
  /** The states before the renewals that came last: they were decided together with the command after them. */
  before: { present: State; changed: State } | undefined
}

/**
 * Compares changed rules with the present ones over the whole history: the states that streams end with, and what is
 * decided on each command that the history tells of.
 */
export async function compareDeciders<State, Command>(
  store: HistoryStore,
  rivals: Rivals<State, Command>,
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

class Comparison<State, Command> {
  readonly #store: HistoryStore
  readonly #rivals: Rivals<State, Command>
  readonly #atOnce: number
  readonly #listed: number
  /** The streams that had events last, the latest at the end. */
  readonly #pairs = new Map<string, Pair<State>>()
  readonly #streams = new Set<string>()
  readonly #differing = new Map<string, RuleDifference | undefined>()
  readonly #decided: RuleDifference[] = []
  #decisions = 0
  #differingDecisions = 0

  constructor(
    store: HistoryStore,
    rivals: Rivals<State, Command>,
    { atOnce = 50_000, listed = 1000 }: Pick<CompareOptions, 'atOnce' | 'listed'>,
  ) {
    this.#store = store
    this.#rivals = rivals
    this.#atOnce = atOnce
    this.#listed = listed
  }

  async take(event: StoredEvent): Promise<void> {
    const { stream, revision } = event
    const pair = this.#pairs.get(stream) ?? (await this.#read(stream, revision))
    this.#pairs.delete(stream)
    this.#pairs.set(stream, this.#evolved(pair, event))
    const [oldest] = this.#pairs
    if (this.#pairs.size > this.#atOnce && oldest !== undefined) this.#leave(...oldest)
  }

  end(): Omit<RuleComparison, 'events'> {
    for (const [stream, pair] of this.#pairs) this.#leave(stream, pair)
    const states = [...this.#differing.values()].filter((difference) => difference !== undefined)
    return {
      streams: this.#streams.size,
      decisions: this.#decisions,
      differingStates: this.#differing.size,
      differingDecisions: this.#differingDecisions,
      differences: [...states, ...this.#decided],
    }
  }

  /** A stream whose beginning is before the range, or was left: as it was before this revision. */
  async #read(stream: string, revision: number): Promise<Pair<State>> {
    this.#streams.add(stream)
    const { present, changed } = this.#rivals
    const events = revision === 0 ? [] : await this.#store.read(stream, { to: revision - 1 })
    return { revision: revision - 1, present: fold(present, events), changed: fold(changed, events), before: undefined }
  }

  #evolved(pair: Pair<State>, event: StoredEvent): Pair<State> {
    const { present, changed } = this.#rivals
    const own = { present: pair.present, changed: pair.changed }
    const before = event.type === 'CreditsRenewed' ? (pair.before ?? own) : undefined
    if (before === undefined) this.#decide(pair.before ?? own, event)
    return {
      revision: event.revision,
      present: isEventOf(present, event) ? present.evolve(own.present, event) : own.present,
      changed: isEventOf(changed, event) ? changed.evolve(own.changed, event) : own.changed,
      before,
    }
  }

  #decide(states: { present: State; changed: State }, event: StoredEvent): void {
    const { present, changed, commandOf } = this.#rivals
    const command = commandOf(event)
    if (command === undefined || present.decide === undefined || changed.decide === undefined) return
    this.#decisions++
    const decided = {
      present: present.decide(command, states.present),
      changed: changed.decide(command, states.changed),
    }
    if (isDeepStrictEqual(decided.present, decided.changed)) return
    this.#differingDecisions++
    const { stream, revision } = event
    if (this.#decided.length < this.#listed) this.#decided.push({ what: 'decision', stream, revision, ...decided })
  }

  /** Notes whether the states of a stream differ, and forgets them. */
  #leave(stream: string, { revision, present, changed }: Pair<State>): void {
    this.#pairs.delete(stream)
    this.#differing.delete(stream)
    // As JSON has them: what a state holds in private fields is told by it alone.
    if (changesOf(present, changed).length === 0) return
    const isListed = this.#differing.size < this.#listed
    this.#differing.set(stream, isListed ? { what: 'state', stream, revision, present, changed } : undefined)
  }
}

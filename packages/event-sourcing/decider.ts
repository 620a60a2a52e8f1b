/** An event as the store returns it, with the time at which the store recorded it. No other time counts. */
export type Recorded<Event> = Event & {
  /** Milliseconds since 1970, UTC. */
  recordedAt: number
}

/**
 * The rules of one kind of stream (an aggregate). Past events make the state; state and command make new events. Pure:
 * no clock, no randomness, no I/O. Everything that a decision needs is in its command.
 */
export type Decider<State, Command, Event extends { type: string }> = {
  /** Every type of event that such a stream may hold. */
  readonly eventTypes: readonly Event['type'][]
  /** The state before the first event. */
  readonly initialState: State
  /** The state after one more event. A repeated or late event changes nothing. */
  evolve(state: State, event: Recorded<Event>): State
  /** The events that a command leads to, in order; none if it changes nothing. */
  decide(command: Command, state: State): readonly Event[]
}

/** The part of a decider that `fold` uses. */
export type Evolution<State, Event extends { type: string }> = Pick<
  Decider<State, never, Event>,
  'eventTypes' | 'initialState' | 'evolve'
>

/** Whether an event is of one of the decider's types. */
export const isEventOf = <State, Event extends { type: string }>(
  { eventTypes }: Evolution<State, Event>,
  event: { type: string; recordedAt: number },
): event is Recorded<Event> => eventTypes.includes(event.type)

/** Folds events, oldest first, from `state` on. Skips events of other types. */
export function fold<State, Event extends { type: string }>(
  evolution: Evolution<State, Event>,
  events: Iterable<{ type: string; recordedAt: number }>,
  state: State = evolution.initialState,
): State {
  let current = state
  for (const event of events) if (isEventOf(evolution, event)) current = evolution.evolve(current, event)
  return current
}

import type { EventMetadata } from '#contracts/generated/messages.ts'
import type { DomainEvent } from '#packages/domain/event.ts'
import { appendUntilAnswered } from '#packages/ports/append-until-answered.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { type EventStore, type NewEvent, RevisionConflictError } from '#packages/ports/event-store.ts'
import { eventId, type Ids } from '#packages/ports/ids.ts'
import { type Decider, fold } from './decider.ts'

/** A command for one stream, on whose behalf, and until when it is tried. */
export type Handling<Command> = {
  stream: string
  command: Command
  metadata: EventMetadata
  /** Milliseconds since 1970: the last error is thrown from then on. */
  giveUpAt: number
}

/** What became of a command. */
export type Handled<State, Event> = {
  /** The state it was decided on. */
  state: State
  /** What was appended; nothing where the command changed nothing. */
  events: readonly Event[]
  /** Where the stream's last event stands in the feed, ours included; 0 for a stream without events. */
  position: number
}

/**
 * Carries out a command on one stream.
 * @throws StreamRemovedError, InvalidEventError, AppendTooLargeError as the store answers
 * Any other error leaves open whether the events were stored.
 */
export async function handleCommand<State, Command, Event extends DomainEvent>(
  ports: { store: EventStore; clock: Clock; ids: Ids },
  decider: Decider<State, Command, Event>,
  { stream, command, metadata, giveUpAt }: Handling<Command>,
): Promise<Handled<State, Event>> {
  for (;;) {
    // 1. Read what has happened.
    const history = await ports.store.read(stream)
    const last = history.at(-1)
    // 2. Fold it to the state.
    const state = fold(decider, history)
    // 3. Decide.
    const events = decider.decide(command, state)
    if (events.length === 0) return { state, events, position: last?.position ?? 0 }
    // 4. Append at the revision that was decided on.
    const newEvents = toAppend(stream, events, metadata)
    try {
      const { position } = await appendUntilAnswered(ports, stream, last?.revision ?? 'no-stream', newEvents, giveUpAt)
      return { state, events, position }
    } catch (error) {
      // 5. Somebody else was first: from the beginning, on the newer state.
      if (!(error instanceof RevisionConflictError) || ports.clock.now() >= giveUpAt) throw error
    }
  }
}

/**
 * Decided events, ready to be appended. The id of each follows from its stream, `step` and its data: a repeat of the same
 * decision is known as such, another decision is another event.
 * @param step names the logical step that an event records; by default its type
 */
export const toAppend = (
  stream: string,
  events: readonly DomainEvent[],
  metadata: EventMetadata,
  step: (event: DomainEvent) => string = ({ type }) => type,
): NewEvent[] => events.map((event) => ({ ...event, id: eventId(stream, step(event), event.data), metadata }))

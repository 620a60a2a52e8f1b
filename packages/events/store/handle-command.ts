import type { EventMetadata } from '#contracts/generated/messages.ts'
import { type Decider, fold } from '#packages/event-sourcing/decider.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { type EventStore, RevisionConflictError } from '#packages/ports/event-store.ts'
import type { Ids } from '#packages/ports/ids.ts'
import { appendUntilAnswered } from './append-until-answered.ts'
import { toAppend } from './to-append.ts'

/** A command for one stream, its metadata, and how long to try it. */
export type Handling<Command> = {
  stream: string
  command: Command
  metadata: EventMetadata
  /** Milliseconds since 1970. After this instant a failed append is not repeated: its error is thrown. */
  giveUpAt: number
}

/** The outcome of a command. */
export type Handled<State, Event> = {
  /** The state on which the command was decided. */
  state: State
  /** The appended events; none if the command changed nothing. */
  events: readonly Event[]
  /** The position of the stream's last event, after the append; 0 for a stream without events. */
  position: number
}

/**
 * Carries out a command on one stream.
 * @throws StreamRemovedError, InvalidEventError, AppendTooLargeError from the store
 * @throws any other error: the events may be stored or not
 */
export async function handleCommand<State, Command, Event extends DomainEvent>(
  ports: { store: EventStore; clock: Clock; ids: Ids },
  decider: Decider<State, Command, Event>,
  { stream, command, metadata, giveUpAt }: Handling<Command>,
): Promise<Handled<State, Event>> {
  for (;;) {
    // 1. Read the history.
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
      // 5. Another writer was first: begin again, on the newer state.
      if (!(error instanceof RevisionConflictError) || ports.clock.now() >= giveUpAt) throw error
    }
  }
}

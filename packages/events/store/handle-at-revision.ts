import type { Decider } from '#packages/event-sourcing/decider.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore, ExpectedRevision, NewEvent } from '#packages/ports/event-store.ts'
import type { Ids } from '#packages/ports/ids.ts'
import { appendUntilAnswered, type GiveUp } from './append-until-answered.ts'

/** A command from a sender that knows the stream's last revision. */
export type HandlingAtRevision<State, Command, Event, Revision extends ExpectedRevision> = GiveUp & {
  stream: string
  command: Command
  /** The state to decide on. */
  state: State
  /** The fencing token: the events are stored right after it, or not at all. */
  revision: Revision
  /** Gives the decided events their ids and metadata. */
  toAppend(events: readonly Event[]): readonly NewEvent[]
}

/**
 * Carries out a command at exactly the revision that the sender knows. Unlike `handleCommand`, it does not decide again
 * if another writer was first.
 * @returns the events, and the revision of the last one; the given revision if there are none
 * @throws RevisionConflictError another writer was first
 * @throws StreamRemovedError, InvalidEventError, AppendTooLargeError from the store
 * @throws any other error: the events may be stored or not
 */
export async function handleAtRevision<State, Command, Event extends DomainEvent, Revision extends ExpectedRevision>(
  ports: { store: EventStore; clock: Clock; ids: Ids },
  decider: Decider<State, Command, Event>,
  { stream, command, state, revision, toAppend, ...giveUp }: HandlingAtRevision<State, Command, Event, Revision>,
): Promise<{ events: readonly Event[]; revision: Revision | number }> {
  // 1. Decide.
  const events = decider.decide(command, state)
  if (events.length === 0) return { events, revision }
  // 2. Append at that revision.
  const answer = await appendUntilAnswered(ports, stream, revision, toAppend(events), giveUp)
  return { events, revision: answer.revision }
}

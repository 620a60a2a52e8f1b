import type { EventData } from '#contracts/generated/events.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { appendUntilAnswered } from '#packages/events/store/append-until-answered.ts'
import { toAppend } from '#packages/events/store/to-append.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore, ExpectedRevision } from '#packages/ports/event-store.ts'
import { type Ids, streams } from '#packages/ports/ids.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'

type Ports = { store: EventStore; clock: Clock; ids: Ids }

/** What an event removes. */
export type Removed = { reason: EventData['StreamsRemoved']['reason']; streams: readonly string[] }

/** A decision to remove streams. `about`: the forgotten job or organization, or the first stream's UUID for retention. */
export type RemovalDecision = {
  about: string
  orgId: string
  /** What caused it: a request, a command, or the previous event. */
  cause: string
  data: Removed
}

/** The most streams that one event names. */
export const MOST_STREAMS = 500

const GIVE_UP_AFTER_MS = 5000

/**
 * Appends StreamsRemoved. From then on the streams will be removed, even after a crash: `services/retention` carries
 * it out.
 * @returns its revision and position
 * @throws RevisionConflictError if another decision came first
 */
export async function recordRemoval(
  ports: Ports,
  { about, orgId, cause, data: { reason, streams: removed } }: RemovalDecision,
  expected: ExpectedRevision,
): Promise<{ revision: number; position: number }> {
  const [first, ...others] = removed
  if (first === undefined) throw new RangeError('there is nothing to remove')
  const stream = streams.removal(about)
  const metadata = { orgId, correlationId: about, causationId: cause, traceparent: newTraceparent(false) }
  const event: DomainEvent = { type: 'StreamsRemoved', data: { reason, streams: [first, ...others] } }
  const events = toAppend(stream, [event], metadata, () => `StreamsRemoved/${first}`)
  return appendUntilAnswered(ports, stream, expected, events, ports.clock.now() + GIVE_UP_AFTER_MS)
}

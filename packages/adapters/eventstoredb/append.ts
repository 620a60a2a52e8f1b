import { ErrorType, type EventStoreDBClient, type WrongExpectedVersionError } from '@eventstore/db-client'
import type { EncodedEvent } from '#packages/events/format/codec.ts'
import {
  type Appended,
  AppendTooLargeError,
  type ExpectedRevision,
  RevisionConflictError,
  StreamRemovedError,
} from '#packages/ports/event-store.ts'
import { proposedOf } from './calls/append-request.ts'
import { typeOf } from './calls/failures.ts'
import { recordedPosition } from './calls/records.ts'
import type { Connection } from './connection.ts'
import { eventsOf } from './in-time.ts'

/** The part of the connection that an append uses. */
type Appender = Pick<Connection, 'askOverStream' | 'appendsOf' | 'options'>

/**
 * Appends after an exact revision. If the answer was lost, sends the identical call again. The server recognizes the
 * repeat by the ids after that revision, even after a restart.
 */
export async function appendExactly(
  connection: Appender,
  stream: string,
  expected: ExpectedRevision,
  events: readonly EncodedEvent[],
): Promise<Appended> {
  const proposed = proposedOf(stream, expected, events)
  return connection.askOverStream(async (client, repeats) => {
    try {
      return await connection.appendsOf(client).append(proposed)
    } catch (error) {
      const conflict = refusalOf(error, stream, expected, events)
      const lost = conflict instanceof RevisionConflictError && repeats > 0
      const { deadlineMs } = connection.options
      const ours = lost ? await findOurs(client, deadlineMs, stream, expected, events) : undefined
      if (ours !== undefined) return ours
      throw conflict
    }
  })
}

/** The port's error for a refusal. Any other error is returned unchanged. */
function refusalOf(
  error: unknown,
  stream: string,
  expected: ExpectedRevision,
  events: readonly EncodedEvent[],
): unknown {
  const type = typeOf(error)
  if (type === ErrorType.STREAM_DELETED) return new StreamRemovedError(stream)
  if (type === ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED)
    return new AppendTooLargeError(
      stream,
      events.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0),
    )
  if (type !== ErrorType.WRONG_EXPECTED_VERSION) return error
  const { actualVersion } = error as WrongExpectedVersionError
  return new RevisionConflictError(
    stream,
    expected,
    typeof actualVersion === 'bigint' ? Number(actualVersion) : 'no-stream',
  )
}

/**
 * After a lost answer we may conflict with our own first attempt. Then our events follow the expected revision
 * directly.
 */
async function findOurs(
  client: EventStoreDBClient,
  withinMs: number,
  stream: string,
  expected: ExpectedRevision,
  events: readonly EncodedEvent[],
): Promise<Appended | undefined> {
  const first = expected === 'no-stream' ? 0 : expected + 1
  const options = { fromRevision: BigInt(first), maxCount: events.length }
  const stored = await eventsOf(client, stream, options, withinMs)
  const last = stored.at(-1)
  if (last === undefined || stored.length !== events.length) return undefined
  if (
    stored.some(
      (event, index) => event.id !== events[index]?.id.toLowerCase() || Number(event.revision) !== first + index,
    )
  )
    return undefined
  return { revision: Number(last.revision), position: recordedPosition(last) }
}

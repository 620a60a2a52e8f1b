import {
  type AppendResult,
  ErrorType,
  type EventStoreDBClient,
  NO_STREAM,
  type WrongExpectedVersionError,
} from '@eventstore/db-client'
import type { EncodedEvent } from '#packages/events/codec.ts'
import {
  AppendTooLargeError,
  type ExpectedRevision,
  RevisionConflictError,
  StreamRemovedError,
} from '#packages/ports/event-store.ts'
import type { Connection } from './connection.ts'
import { typeOf } from './failures.ts'
import { inTime } from './in-time.ts'
import { eventToAppend, positionOf, recordedPosition } from './records.ts'

/** The part of the connection that an append uses. */
type Appender = Pick<Connection, 'ask' | 'credentials' | 'options'>
type Appended = { revision: number; position: number }

/**
 * Appends after an exact revision. A call whose answer was lost is repeated identically: the server recognizes a repeat
 * by the ids after that revision, also after a restart.
 */
export function appendExactly(
  connection: Appender,
  stream: string,
  expected: ExpectedRevision,
  events: readonly EncodedEvent[],
): Promise<Appended> {
  const proposed = events.map(eventToAppend)
  const { credentials } = connection
  const { deadlineMs: deadline } = connection.options
  const expectedRevision: typeof NO_STREAM | bigint = expected === 'no-stream' ? NO_STREAM : BigInt(expected)
  const options = { expectedRevision, credentials, deadline, requiresLeader: true }
  return connection.ask(async (client, repeats) => {
    try {
      const result = await client.appendToStream(stream, proposed, options)
      if (result.success) return appended(result)
      throw new RevisionConflictError(stream, expected, revisionOf(result.nextExpectedRevision))
    } catch (error) {
      const conflict = refusalOf(error, stream, expected, events)
      const lost = conflict instanceof RevisionConflictError && repeats > 0
      const ours = lost ? await findOurs(client, deadline, stream, expected, events) : undefined
      if (ours !== undefined) return ours
      throw conflict
    }
  })
}

/** A repeat of events that were deleted meanwhile has no position: nobody can read them or needs to wait for them. */
function appended({ nextExpectedRevision, position }: AppendResult): Appended {
  return { revision: Number(nextExpectedRevision), position: position === undefined ? 0 : positionOf(position) }
}

const revisionOf = (revision: bigint): ExpectedRevision => (revision < 0n ? 'no-stream' : Number(revision))

/** The port's error for a refusal; any other error unchanged. */
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
    typeof actualVersion === 'bigint' ? revisionOf(actualVersion) : 'no-stream',
  )
}

/**
 * After a lost answer a conflict may be with our own first attempt: our events are then right after the expected
 * revision.
 */
async function findOurs(
  client: EventStoreDBClient,
  withinMs: number,
  stream: string,
  expected: ExpectedRevision,
  events: readonly EncodedEvent[],
): Promise<Appended | undefined> {
  const first = expected === 'no-stream' ? 0 : expected + 1
  const options = { fromRevision: BigInt(first), maxCount: events.length, requiresLeader: true }
  const stored = (await inTime(client.readStream(stream, options), withinMs)).map(({ event }) => event)
  const last = stored.at(-1)
  if (last === undefined || stored.length !== events.length) return undefined
  if (
    stored.some(
      (event, index) => event?.id !== events[index]?.id.toLowerCase() || Number(event?.revision) !== first + index,
    )
  )
    return undefined
  return { revision: Number(last.revision), position: recordedPosition(last) }
}

import { ErrorType, type EventStoreDBClient, type WrongExpectedVersionError } from '@eventstore/db-client'
import {
  type Appended,
  AppendTooLargeError,
  RevisionConflictError,
  StreamRemovedError,
} from '#packages/ports/event-store.ts'
import type { Proposed } from './calls/append-request.ts'
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
export function appendExactly(connection: Appender, proposed: Proposed): Promise<Appended> {
  return connection.askOverStream(async (client, repeats) => {
    try {
      return await connection.appendsOf(client).append(proposed)
    } catch (error) {
      const conflict = refusalOf(error, proposed)
      const lost = conflict instanceof RevisionConflictError && repeats > 0
      const ours = lost ? await findOurs(client, connection.options.deadlineMs, proposed) : undefined
      if (ours !== undefined) return ours
      throw conflict
    }
  })
}

/** The port's error for a refusal. Any other error is returned unchanged. */
function refusalOf(error: unknown, { stream, expected, events }: Proposed): unknown {
  const type = typeOf(error)
  if (type === ErrorType.STREAM_DELETED) return new StreamRemovedError(stream)
  if (type === ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED) {
    const bytes = events.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0)
    return new AppendTooLargeError(stream, bytes)
  }
  if (type !== ErrorType.WRONG_EXPECTED_VERSION) return error
  const { actualVersion } = error as WrongExpectedVersionError
  const actual = typeof actualVersion === 'bigint' ? Number(actualVersion) : 'no-stream'
  return new RevisionConflictError(stream, expected, actual)
}

/**
 * After a lost answer we may conflict with our own first attempt. Then our events follow the expected revision
 * directly.
 */
async function findOurs(
  client: EventStoreDBClient,
  withinMs: number,
  { stream, expected, events }: Proposed,
): Promise<Appended | undefined> {
  const first = expected === 'no-stream' ? 0 : expected + 1
  const options = { fromRevision: BigInt(first), maxCount: events.length }
  const stored = await eventsOf(client, stream, options, withinMs)
  const last = stored.at(-1)
  if (last === undefined || stored.length !== events.length) return undefined
  const areOurs = stored.every(
    ({ id, revision }, index) => id === events[index]?.id.toLowerCase() && Number(revision) === first + index,
  )
  return areOurs ? { revision: Number(last.revision), position: recordedPosition(last) } : undefined
}

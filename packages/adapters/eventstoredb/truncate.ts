import {
  BACKWARDS,
  END,
  ErrorType,
  type EventStoreDBClient,
  jsonEvent,
  NO_STREAM,
  type ReadStreamOptions,
} from '@eventstore/db-client'
import { noSuchRevision } from '#packages/ports/event-store.ts'
import { typeOf } from './calls/failures.ts'
import type { RecordedEvent } from './calls/records.ts'
import type { Connection } from './connection.ts'
import { eventsOf } from './in-time.ts'

/** The server's name, in a stream's metadata, for the first readable revision. */
const truncateBefore = '$tb'

/** How often to read the metadata again after another writer has changed it. */
const TRIES = 5

/**
 * Makes reads of a stream begin at a revision, and keeps the rest of its metadata. The client's own `setStreamMetadata`
 * would replace all of it. The next scavenge deletes the earlier events.
 * @throws RangeError the stream has no event of this revision
 */
export function truncateStream(connection: Connection, stream: string, before: number): Promise<void> {
  if (!Number.isSafeInteger(before) || before < 0) return Promise.reject(noSuchRevision(stream, before))
  return connection.ask(async (client) => {
    for (let tries = 1; ; tries++) {
      try {
        return await truncateOnce(connection, client, stream, before)
      } catch (error) {
        if (typeOf(error) === ErrorType.STREAM_DELETED) return
        if (typeOf(error) !== ErrorType.WRONG_EXPECTED_VERSION || tries === TRIES) throw error
      }
    }
  })
}

async function truncateOnce(
  { credentials, options }: Connection,
  client: EventStoreDBClient,
  stream: string,
  before: number,
): Promise<void> {
  const first = await eventOf(client, stream, { fromRevision: BigInt(before) }, options.deadlineMs)
  if (first === undefined) throw noSuchRevision(stream, before)
  const ofMetadata = `$$${stream}`
  const held = await eventOf(client, ofMetadata, { direction: BACKWARDS, fromRevision: END }, options.deadlineMs)
  const metadata = (held?.data ?? {}) as Record<string, unknown>
  if (Number(first.revision) > before || Number(metadata[truncateBefore] ?? 0) >= before) return
  const changed = jsonEvent({ type: '$metadata', data: { ...metadata, [truncateBefore]: before } })
  await client.appendToStream(ofMetadata, [changed], {
    expectedRevision: held === undefined ? NO_STREAM : held.revision,
    credentials,
    deadline: options.deadlineMs,
    requiresLeader: true,
  })
}

/** The event that a read of one event returns; undefined if there is no event or no stream. */
async function eventOf(
  client: EventStoreDBClient,
  stream: string,
  options: ReadStreamOptions,
  withinMs: number,
): Promise<RecordedEvent | undefined> {
  try {
    return (await eventsOf(client, stream, { ...options, maxCount: 1 }, withinMs))[0]
  } catch (error) {
    if (typeOf(error) === ErrorType.STREAM_NOT_FOUND) return undefined
    throw error
  }
}

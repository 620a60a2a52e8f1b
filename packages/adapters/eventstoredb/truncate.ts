import { BACKWARDS, END, ErrorType, type EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client'
import { noSuchRevision } from '#packages/ports/event-store.ts'
import { typeOf } from './calls/failures.ts'
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
  const read = { fromRevision: BigInt(before), maxCount: 1 }
  const [first] = await eventsOf(client, stream, read, options.deadlineMs)
  if (first === undefined) throw noSuchRevision(stream, before)
  const ofMetadata = `$$${stream}`
  const readLast = { direction: BACKWARDS, fromRevision: END, maxCount: 1 } as const
  const [held] = await eventsOf(client, ofMetadata, readLast, options.deadlineMs)
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

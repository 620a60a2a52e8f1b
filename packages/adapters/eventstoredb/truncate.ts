import { BACKWARDS, END, ErrorType, type EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client'
import { noSuchRevision } from '#packages/ports/event-store.ts'
import { typeOf } from './calls/failures.ts'
import type { RecordedEvent } from './calls/records.ts'
import type { Connection } from './connection.ts'
import { inTime } from './in-time.ts'

/** The server's name for the first revision that is read, in the metadata of a stream. */
const truncateBefore = '$tb'

/** How often the metadata is read again because somebody else has written it meanwhile. */
const TRIES = 5

/**
 * Lets the reads of a stream begin at a revision. The rest of its metadata stays: the client's own `setStreamMetadata`
 * would replace all of it. The events before are deleted by the next scavenge.
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
  const one = { maxCount: 1, requiresLeader: true }
  const first = await eventOf(client.readStream(stream, { ...one, fromRevision: BigInt(before) }), options.deadlineMs)
  if (first === undefined) throw noSuchRevision(stream, before)
  const ofMetadata = `$$${stream}`
  const newest = { ...one, direction: BACKWARDS, fromRevision: END } as const
  const held = await eventOf(client.readStream(ofMetadata, newest), options.deadlineMs)
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

/** The event of a read of one; undefined where there is none, or no stream. */
async function eventOf(
  reading: ReturnType<EventStoreDBClient['readStream']>,
  withinMs: number,
): Promise<RecordedEvent | undefined> {
  try {
    const [found] = await inTime(reading, withinMs)
    return found?.event
  } catch (error) {
    if (typeOf(error) === ErrorType.STREAM_NOT_FOUND) return undefined
    throw error
  }
}

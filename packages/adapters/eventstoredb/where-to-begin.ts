import { BACKWARDS, type EventStoreDBClient, FORWARDS, type Position, START } from '@eventstore/db-client'
import { PositionError } from './calls/failures.ts'
import { type RecordedEvent, serverPosition } from './calls/records.ts'
import { firstOfLog } from './in-time.ts'

/** The event at a position, or else the next one. @throws PositionError the position is inside a record */
export async function eventFrom(
  client: EventStoreDBClient,
  position: number,
  withinMs: number,
): Promise<RecordedEvent | undefined> {
  try {
    return await firstOfLog(client, FORWARDS, serverPosition(position), withinMs)
  } catch (error) {
    // The server's error for a position without an event.
    if (!String(error).includes('Unexpected ReadAllResult')) throw error
    throw new PositionError(`the event store could not begin after position ${position}`, { cause: error })
  }
}

/**
 * The position at which a subscription has to begin to receive every event after `after`. If the record there was
 * scavenged, the server silently skips the first event after it. So the subscription begins at the newest earlier
 * record.
 * @throws PositionError the position is not one of this store
 */
export async function whereToBegin(
  client: EventStoreDBClient,
  after: number,
  withinMs: number,
): Promise<Position | typeof START> {
  if (after === 0) return START
  const next = await eventFrom(client, after, withinMs)
  // The log ends here. Callers check whether the store was restored from an older copy.
  if (next?.position === undefined || Number(next.position.commit) === after) return serverPosition(after)
  const before = await firstOfLog(client, BACKWARDS, serverPosition(after), withinMs)
  return before?.position ?? START
}

export const isSamePlace = (one: Position | typeof START, other: Position | typeof START): boolean =>
  one === other || (one !== START && other !== START && one.commit === other.commit && one.prepare === other.prepare)

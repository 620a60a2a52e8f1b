import { BACKWARDS, type EventStoreDBClient, FORWARDS, type Position, START } from '@eventstore/db-client'
import { PositionError } from './calls/failures.ts'
import { type RecordedEvent, serverPosition } from './calls/records.ts'
import { inTime } from './in-time.ts'

/** The event at a position, or else the next one. @throws PositionError the position is inside of a record */
export async function eventFrom(
  client: EventStoreDBClient,
  position: number,
  withinMs: number,
): Promise<RecordedEvent | undefined> {
  const options = {
    direction: FORWARDS,
    fromPosition: serverPosition(position),
    maxCount: 1,
    requiresLeader: true,
  } as const
  try {
    const [found] = await inTime(client.readAll(options), withinMs)
    return found?.event
  } catch (error) {
    // The server's error for a position without an event.
    if (!String(error).includes('Unexpected ReadAllResult')) throw error
    throw new PositionError(`the event store could not begin after position ${position}`, { cause: error })
  }
}

/**
 * Where a subscription has to begin to give every event after a position. If the record at that position was scavenged,
 * the server silently skips the first event after it. So the subscription begins at the newest earlier record.
 * @throws PositionError the position is not one of this store
 */
export async function whereToBegin(
  client: EventStoreDBClient,
  after: number,
  withinMs: number,
): Promise<Position | typeof START> {
  if (after === 0) return START
  const next = await eventFrom(client, after, withinMs)
  // The log ends here. Callers check whether it was put back.
  if (next?.position === undefined || Number(next.position.commit) === after) return serverPosition(after)
  const options = {
    direction: BACKWARDS,
    fromPosition: serverPosition(after),
    maxCount: 1,
    requiresLeader: true,
  } as const
  const [before] = await inTime(client.readAll(options), withinMs)
  return before?.event?.position ?? START
}

export const isSamePlace = (one: Position | typeof START, other: Position | typeof START): boolean =>
  one === other || (one !== START && other !== START && one.commit === other.commit && one.prepare === other.prepare)

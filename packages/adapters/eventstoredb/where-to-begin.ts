import { BACKWARDS, type EventStoreDBClient, FORWARDS, type Position, START } from '@eventstore/db-client'
import { PositionError } from './failures.ts'
import { inTime } from './in-time.ts'
import { type RecordedEvent, serverPosition } from './records.ts'

/** The event at a position, or else the next one behind it. @throws PositionError the position lies within a record */
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
    // What the server says of a place where no event stands.
    if (!String(error).includes('Unexpected ReadAllResult')) throw error
    throw new PositionError(`the event store could not begin after position ${position}`, { cause: error })
  }
}

/**
 * Where a subscription has to begin, so that it gives everything behind a position. The record at that position may
 * have been scavenged away, whoever wrote it: the server then passes over the first event behind it without a word. So it
 * begins at the newest record before.
 * @throws PositionError the position is none of this store's
 */
export async function whereToBegin(
  client: EventStoreDBClient,
  after: number,
  withinMs: number,
): Promise<Position | typeof START> {
  if (after === 0) return START
  const next = await eventFrom(client, after, withinMs)
  // The log ends here. Whether it has been put back is not looked for here.
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

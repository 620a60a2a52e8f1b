import { BACKWARDS, END, type EventStoreDBClient } from '@eventstore/db-client'
import { PositionError, unlessRemoved } from './calls/failures.ts'
import { commitOf, type RecordedEvent } from './calls/records.ts'
import { eventsOf, firstOfLog } from './in-time.ts'
import { eventFrom } from './where-to-begin.ts'

/** One of our events that was seen, and its place. */
export type SeenEvent = { id: string; stream: string; revision: number; position: number }

/** The place of an event of ours. */
export const seenIn = (event: RecordedEvent): SeenEvent => {
  const { id, streamId: stream, revision } = event
  return { id, stream, revision: Number(revision), position: commitOf(event) }
}

/** The last event in the log, including other programs' events. @throws Error no answer in time */
export const lastEvent = (client: EventStoreDBClient, withinMs: number): Promise<RecordedEvent | undefined> =>
  firstOfLog(client, BACKWARDS, END, withinMs)

const whatToDo =
  'another store, or an older copy, is in its place: bring it back, or stop all services and give them an empty database'

/**
 * The newest position and event that this process has seen. After an outage the store must still have them. If not, it
 * was replaced or restored from an older copy. The server itself does not report that.
 */
export class HighWaterMark {
  #position = 0
  #event: SeenEvent | undefined

  get position(): number {
    return this.#position
  }

  /** Records that there is an event at this position, or was before a scavenge. */
  note(position: number): void {
    this.#position = Math.max(this.#position, position)
  }

  /** Records that this event of ours is in the log. */
  noteEvent(event: SeenEvent): void {
    this.note(event.position)
    if (event.position >= (this.#event?.position ?? 0)) this.#event = event
  }

  /**
   * Why the store is not the one seen before, in one sentence; undefined if there is no proof. A missing event is no
   * proof, because it may have been scavenged.
   * @throws Error no answer in time
   */
  async problemOf(client: EventStoreDBClient, withinMs: number): Promise<string | undefined> {
    const [seen, event] = [this.#position, this.#event]
    if (seen === 0) return undefined
    const last = await lastEvent(client, withinMs)
    const end = last === undefined ? 0 : commitOf(last)
    if (end < seen)
      return `the event store ends at position ${end}, but its events were seen up to position ${seen}; ${whatToDo}`
    for (const position of [event?.position, seen]) {
      if (position === undefined || (await this.#fits(client, position, withinMs))) continue
      return `the event store holds something else at position ${position} than what was seen there; ${whatToDo}`
    }
    return undefined
  }

  /** False only if the position holds another event than the one seen there. */
  async #fits(client: EventStoreDBClient, position: number, withinMs: number): Promise<boolean> {
    const event = this.#event?.position === position ? this.#event : undefined
    try {
      const found = await eventFrom(client, position, withinMs)
      if (event === undefined || found === undefined) return true
      return commitOf(found) === position ? found.id === event.id : await fitsItsStream(client, event, withinMs)
    } catch (error) {
      if (error instanceof PositionError) return false
      throw error
    }
  }
}

/** For an event that is gone from the log: false if its stream has another event at its revision. */
async function fitsItsStream(client: EventStoreDBClient, event: SeenEvent, withinMs: number): Promise<boolean> {
  const options = { fromRevision: BigInt(event.revision), maxCount: 1 }
  const [found] = await unlessRemoved(eventsOf(client, event.stream, options, withinMs), [])
  return found === undefined || Number(found.revision) !== event.revision || found.id === event.id
}

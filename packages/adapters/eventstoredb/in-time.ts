import {
  type BACKWARDS,
  type END,
  ErrorType,
  type EventStoreDBClient,
  type FORWARDS,
  type Position,
  type ReadStreamOptions,
  type START,
  type StreamingRead,
} from '@eventstore/db-client'
import { typeOf } from './calls/failures.ts'
import type { RecordedEvent } from './calls/records.ts'

/**
 * Some events of a stream, from the leader; none if there is no such stream. A long answer is held in memory.
 * @throws the client's error STREAM_DELETED, if the stream was removed
 * @throws Error the server sent nothing in time
 */
export async function eventsOf(
  client: EventStoreDBClient,
  stream: string,
  options: ReadStreamOptions,
  withinMs: number,
): Promise<RecordedEvent[]> {
  try {
    const found = await inTime(client.readStream(stream, { ...options, requiresLeader: true }), withinMs)
    return found.flatMap(({ event }) => event ?? [])
  } catch (error) {
    if (typeOf(error) === ErrorType.STREAM_NOT_FOUND) return []
    throw error
  }
}

/** The first event of the log from a position on, in a direction; undefined if there is none. @throws as `eventsOf` */
export async function firstOfLog(
  client: EventStoreDBClient,
  direction: typeof FORWARDS | typeof BACKWARDS,
  fromPosition: Position | typeof START | typeof END,
  withinMs: number,
): Promise<RecordedEvent | undefined> {
  const [first] = await inTime(client.readAll({ direction, fromPosition, maxCount: 1, requiresLeader: true }), withinMs)
  return first?.event
}

/**
 * Reads everything, and fails after `withinMs` without an event: the client sets no deadline on reads. Uses the events
 * of the stream, because iterating takes a fifth more CPU.
 */
export function inTime<T>(reading: StreamingRead<T>, withinMs: number): Promise<T[]> {
  return new Promise((resolve, reject) => {
    const items: T[] = []
    let heard = false
    let ended = false
    const fail = (error: Error): void => {
      if (ended) return
      ended = true
      clearInterval(watch)
      reject(error)
      // Ends the call if it has not ended. Not awaited.
      reading.cancel().catch(() => undefined)
    }
    const watch = setInterval(() => {
      if (!heard) fail(new Error(`the event store gave nothing for ${withinMs} ms`))
      heard = false
    }, withinMs)
    reading.on('data', (item: T) => {
      heard = true
      items.push(item)
    })
    reading.on('error', fail)
    reading.on('end', () => {
      ended = true
      clearInterval(watch)
      resolve(items)
    })
    reading.on('close', () => fail(new Error('the event store ended a read early')))
  })
}

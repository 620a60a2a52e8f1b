import type { StreamingRead } from '@eventstore/db-client'

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

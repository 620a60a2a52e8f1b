/** The result of the client's reads: a stream that can be cancelled. */
type Reading<T> = AsyncIterable<T> & { destroy(error?: Error): unknown; cancel(): Promise<void> }

/** Reads everything. The client sets no deadline on reads: this one fails after `withinMs` without an event. */
export async function inTime<T>(reading: Reading<T>, withinMs: number): Promise<T[]> {
  const items: T[] = []
  let heard = false
  const watch = setInterval(() => {
    if (!heard) reading.destroy(new Error(`the event store gave nothing for ${withinMs} ms`))
    heard = false
  }, withinMs)
  try {
    for await (const item of reading) {
      heard = true
      items.push(item)
    }
    return items
  } finally {
    clearInterval(watch)
    // Ends the call if it has not ended; not awaited.
    reading.cancel().catch(() => undefined)
  }
}

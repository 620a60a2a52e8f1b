/** What the client's reads give: a readable stream that can be given up. */
type Reading<T> = AsyncIterable<T> & { destroy(error?: Error): unknown; cancel(): Promise<void> }

/**
 * Reads everything. The client sets no deadline on reads: a server that stands still is given up after so long
 * without an event.
 */
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
    // Ends the call where it has not ended; it is not waited for.
    reading.cancel().catch(() => undefined)
  }
}

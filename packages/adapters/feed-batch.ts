import type { EncodedRecord } from '#packages/events/format/codec.ts'
import type { FeedBatch, StoredEvent } from '#packages/ports/event-store.ts'

export type PageLimits = { events: number; bytes: number }

/** One page of the feed as a store holds it. `error`: the next record cannot be read. */
export type FeedPage = { records: readonly EncodedRecord[]; position: number; caughtUp: boolean; error?: unknown }

/**
 * Decodes one page. If an event cannot be decoded, yields the events before it and then throws the error. So a follower
 * stops exactly there.
 */
export function* feedBatch(decode: (record: EncodedRecord) => StoredEvent, page: FeedPage): Generator<FeedBatch> {
  const events: StoredEvent[] = []
  try {
    for (const record of page.records) events.push(decode(record))
  } catch (error) {
    const last = events.at(-1)
    if (last !== undefined) yield { events, position: last.position, caughtUp: false }
    throw error
  }
  if (page.error === undefined || page.records.length > 0)
    yield { events, position: page.position, caughtUp: page.caughtUp }
  if (page.error !== undefined) throw page.error
}

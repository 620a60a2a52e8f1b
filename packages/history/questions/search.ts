import { lastRevision } from '#packages/events/store/last-revision.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { HistoryStore } from './history-store.ts'

/**
 * The most by which recorded times may go back within a stream, milliseconds, because the clocks of processes differ.
 */
export const CLOCKS_DIFFER_MS = 60_000

/** Events per read. A ledger has a statement every 200 events or so. */
const PAGE = 250

/** The events of a stream from a revision back to its first, newest first. */
export async function* backwardsFrom(
  store: HistoryStore,
  stream: string,
  revision: number,
): AsyncIterable<StoredEvent> {
  for (let to = revision; to >= 0; to -= PAGE) {
    const page = await store.read(stream, { from: Math.max(0, to - PAGE + 1), to })
    if (page.length === 0) return
    yield* page.reverse()
  }
}

/** The events of a stream from a revision on, oldest first, read in pages. Truncated events are left out. */
export async function* forwardsFrom(store: HistoryStore, stream: string, revision: number): AsyncIterable<StoredEvent> {
  let from: number | undefined = revision
  while (from !== undefined) {
    const to: number = from + PAGE - 1
    const page = await store.read(stream, { from, to })
    yield* page
    const last = page.at(-1)
    if (last === undefined) from = await firstFrom(store, stream, from)
    else if (last.revision < to) return
    else from = to + 1
  }
}

/** The first existing revision from a given one on, found by bisection. Those before it may have been truncated. */
async function firstFrom(store: HistoryStore, stream: string, revision: number): Promise<number | undefined> {
  const last = await lastRevision(store, stream)
  if (last === undefined || last < revision) return undefined
  let [from, to] = [revision, last]
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    const [event] = await store.read(stream, { from: middle, to: middle })
    if (event === undefined) from = middle + 1
    else to = middle
  }
  return from
}

/**
 * The last event of a stream, in the order of the stream, that was recorded at or before an instant. Times in a stream
 * may go back a little: an event recorded after the instant also counts if a later one was recorded before it. The
 * search reads some thirty events, and those of the minute after the instant.
 * @param instant milliseconds since 1970
 * @returns its revision; undefined if there was no event yet
 */
export async function revisionAt(store: HistoryStore, stream: string, instant: number): Promise<number | undefined> {
  const last = await lastRevision(store, stream)
  if (last === undefined) return undefined
  // 1. Bisect to a place after which every event was recorded later, if times go back by less than the tolerance.
  let [from, to] = [0, last + 1]
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    const [event] = await store.read(stream, { from: middle, to: middle })
    // A truncated event was before those that are left.
    if (event === undefined || event.recordedAt <= instant + CLOCKS_DIFFER_MS) from = middle + 1
    else to = middle
  }
  // 2. Go back to the last event that was recorded in time.
  for await (const event of backwardsFrom(store, stream, from - 1))
    if (event.recordedAt <= instant) return event.revision
  return undefined
}

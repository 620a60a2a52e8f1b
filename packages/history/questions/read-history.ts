import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { HistoryStore } from './history-store.ts'
import { CLOCKS_DIFFER_MS } from './search.ts'

/** A place in the feed: a position, or an instant in milliseconds since 1970. */
export type Place = { position: number } | { instant: number }

export type HistoryRange = {
  prefixes: readonly string[]
  /** The first event that counts. Missing: the first of all. */
  from?: Place | undefined
  /** The last event that counts. Missing: the last one when reading gets there. */
  to?: Place | undefined
  /** A position before the first event that counts, at which to begin reading. Default 0, the beginning. */
  after?: number
}

/** Called with each batch of events that count. */
export type Take = (events: readonly StoredEvent[]) => Promise<void> | void

/**
 * Reads the feed from one place to another, or to its end. An instant selects events by their own recorded time. If
 * clocks differ, that order is not the order of the feed. Reading ends once events are a minute later than the last
 * instant.
 */
export async function readHistory(
  store: HistoryStore,
  { prefixes, from, to, after = 0 }: HistoryRange,
  take: Take,
): Promise<void> {
  const end = new AbortController()
  const countsAll = from === undefined && to === undefined
  for await (const { events, position, caughtUp } of store.follow({ after, prefixes, signal: end.signal })) {
    const counting = countsAll ? events : events.filter((event) => !isBefore(event, from) && !isAfter(event, to))
    if (counting.length > 0) await take(counting)
    if (caughtUp || isPast(to, position, events.at(-1))) end.abort()
  }
}

function isBefore({ position, recordedAt }: StoredEvent, from: Place | undefined): boolean {
  if (from === undefined) return false
  return 'position' in from ? position < from.position : recordedAt < from.instant
}

function isAfter({ position, recordedAt }: StoredEvent, to: Place | undefined): boolean {
  if (to === undefined) return false
  return 'position' in to ? position > to.position : recordedAt > to.instant
}

/** True if no event after this position counts. */
function isPast(to: Place | undefined, position: number, last: StoredEvent | undefined): boolean {
  if (to === undefined) return false
  if ('position' in to) return position >= to.position
  return last !== undefined && last.recordedAt > to.instant + CLOCKS_DIFFER_MS
}

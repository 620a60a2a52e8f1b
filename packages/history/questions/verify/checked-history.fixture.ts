import type { StoredEvent } from '#packages/ports/event-store.ts'
import { storeOf } from '../history-store.fixture.ts'
import { type Verified, type VerifyOptions, verifyHistory } from './verify-history.ts'

const HOUR_MS = 3_600_000

export const lastAt = (events: readonly StoredEvent[]): number =>
  Math.max(...events.map(({ recordedAt }) => recordedAt))

/** Checks a history, an hour after its last event. */
export const checked = (events: readonly StoredEvent[], options: VerifyOptions = {}): Promise<Verified> =>
  verifyHistory(storeOf(events), { workingAt: lastAt(events) + HOUR_MS, ...options })

/** The same streams with revisions from 0 on, as if the missing events had never been written. */
export function renumbered(events: readonly StoredEvent[]): StoredEvent[] {
  const next = new Map<string, number>()
  return events.map((event) => {
    const revision = next.get(event.stream) ?? 0
    next.set(event.stream, revision + 1)
    return { ...event, revision }
  })
}

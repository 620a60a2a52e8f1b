import { credits, evolveAll, inMonthOf } from '#packages/domain/credits/credits.ts'
import { periodOf } from '#packages/domain/credits/months.ts'
import { isEventOf } from '#packages/event-sourcing/decider.ts'
import type { ExpectedRevision, StoredEvent } from '#packages/ports/event-store.ts'
import type { Folded } from './load-stated.ts'

/** Most events that wait to be folded: folding copies the ledger once for all of them. */
const MAX_ARRIVED = 100

/** The number of a ledger's last event; -1 if it has none. */
export const endOf = (revision: ExpectedRevision): number => (revision === 'no-stream' ? -1 : revision)

/** The ledger with the events that follow it, at least one. */
export function foldFurther(folded: Folded, events: readonly StoredEvent[]): Folded {
  const own = events.filter((event) => isEventOf(credits, event))
  const ledger = own.length === 0 ? folded.ledger : evolveAll(folded.ledger, own)
  return { ledger, revision: events.at(-1)?.revision ?? folded.revision }
}

/**
 * The ledger of one organization as a process knows it. The process reads it once. Then its own appends and the feed
 * keep it up to date. It may be older than the stream, but is always right for its revision.
 */
export class KnownLedger {
  #folded: Folded | undefined
  /** Events of the feed that follow `#folded` without a gap. They are folded at the next access. */
  #arrived: StoredEvent[] = []

  /** The ledger with all events that have arrived. Undefined until it is read. */
  get folded(): Folded | undefined {
    if (this.#folded !== undefined && this.#arrived.length > 0) {
      this.#folded = foldFurther(this.#folded, this.#arrived)
      this.#arrived = []
    }
    return this.#folded
  }

  /** Stores a ledger after a read or an append of this process. Returns the known one if that is newer. */
  keep(folded: Folded): Folded {
    const end = endOf(folded.revision)
    if (this.#folded === undefined || endOf(this.#folded.revision) <= end) {
      this.#folded = folded
      this.#arrived = this.#arrived.filter(({ revision }) => revision > end)
    }
    return this.folded ?? folded
  }

  /** Takes an event of the feed. An event after a gap is left to the next read. */
  take(event: StoredEvent): void {
    if (this.#folded === undefined) return
    const end = this.#arrived.at(-1)?.revision ?? endOf(this.#folded.revision)
    // The event is from an append of this process: the feed shows when it was recorded.
    if (event.revision === end && this.#arrived.length === 0) this.#recordedAt(event.recordedAt)
    if (event.revision !== end + 1) return
    if (this.#arrived.push(event) >= MAX_ARRIVED) void this.folded
  }

  #recordedAt(instant: number): void {
    if (this.#folded === undefined || this.#folded.ledger.recordedIn === periodOf(instant)) return
    this.#folded = { ...this.#folded, ledger: inMonthOf(this.#folded.ledger, instant) }
  }

  forget(): void {
    this.#folded = undefined
    this.#arrived = []
  }
}

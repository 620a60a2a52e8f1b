import { credits } from '#packages/domain/credits/credits.ts'
import { apply, draftOf, initialLedger } from '#packages/domain/credits/ledger.ts'
import { isEventOf } from '#packages/event-sourcing/decider.ts'
import { isoOf } from '#packages/ports/clock.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { noteOf } from './event-note.ts'
import { secondsText } from './seconds-text.ts'

/** One stored event among others, and its cause. */
export type TimelineEntry = {
  event: StoredEvent
  /** Time since the entry before it, milliseconds; negative if the clocks of two processes differ. */
  sinceMs: number
  note: string
  cause: string
  /** The ledger's balance after this event; undefined if the ledger is not shown from its beginning. */
  balance: number | undefined
}

/** How much of an event's or request's id is shown. */
const SHORT = 8

/** Makes timeline entries of events, in order. */
export class HistoryTimeline {
  /** The types of jobs' events so far, by stream and revision. Only these events can be causes of others. */
  readonly #causes = new Map<string, string>()
  readonly #ledger = draftOf(initialLedger)
  #ledgerRevision = -1
  #before: number | undefined

  add(event: StoredEvent): TimelineEntry {
    const sinceMs = event.recordedAt - (this.#before ?? event.recordedAt)
    this.#before = event.recordedAt
    const entry = {
      event,
      sinceMs,
      note: noteOf(event),
      cause: this.#causeOf(event),
      balance: this.#balanceAfter(event),
    }
    if (event.stream.startsWith('job-')) this.#causes.set(placeOf(event), event.type)
    return entry
  }

  /** Each event names its cause: a request, a task, or an event of a job. */
  #causeOf({ metadata: { causationId, correlationId } }: StoredEvent): string {
    // The orchestrator's cause is `NAME/JOB/REVISION`, a worker's `JOB/REVISION/STEP/ATTEMPT`.
    const [, job, revision] = /^(?:[a-z]+\/)?([\w-]+)\/(\d+)(?:\/|$)/.exec(causationId) ?? []
    if (job !== correlationId || revision === undefined) return `request ${causationId.slice(0, SHORT)}`
    const cause = this.#causes.get(`job-${job} ${revision}`)
    return `job #${revision}${cause === undefined ? '' : ` ${cause}`}`
  }

  #balanceAfter(event: StoredEvent): number | undefined {
    if (!isEventOf(credits, event) || event.revision !== this.#ledgerRevision + 1) return undefined
    this.#ledgerRevision = event.revision
    apply(this.#ledger, event)
    return this.#ledger.balance
  }
}

const placeOf = ({ stream, revision }: StoredEvent): string => `${stream} ${revision}`

/** The kind of a stream and the revision: `credits #17`. */
const shortPlaceOf = ({ stream, revision }: StoredEvent): string => `${stream.split('-')[0]} #${revision}`

/** The job of a debit or a settlement, if the timeline is not that of a job. */
const jobOf = ({ type, data }: StoredEvent, asked: string): string =>
  (type === 'CreditsDebited' || type === 'CreditsSettled') && data.jobId !== asked ? `, job ${data.jobId}` : ''

/** The entry as a line for people. Text of strangers in it is unchanged. @param asked the id of the query */
export function lineOf({ event, sinceMs, note, cause, balance }: TimelineEntry, asked: string): string {
  const since = `${sinceMs < 0 ? '-' : '+'}${secondsText(Math.abs(sinceMs))}`
  const left = balance === undefined ? '' : `; ${balance} left`
  const said = `${note}${jobOf(event, asked)}${left}`
  const columns = [isoOf(event.recordedAt), since.padStart(11), shortPlaceOf(event).padEnd(14), event.type.padEnd(22)]
  return `${columns.join('  ')}  ${said.padEnd(48)}  from ${cause}`
}

/** The entry as an object for programs. */
export const fieldsOf = ({ event, sinceMs, note, cause, balance }: TimelineEntry): object => {
  const { recordedAt, type, stream, revision, position, id, data, metadata } = event
  const place = { at: isoOf(recordedAt), sinceMs, stream, revision, position }
  return { ...place, type, note, cause, ...(balance !== undefined && { balance }), id, data, metadata }
}

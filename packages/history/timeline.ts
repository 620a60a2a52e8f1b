import { credits } from '#packages/domain/credits/credits.ts'
import { apply, draftOf, initialLedger } from '#packages/domain/credits/ledger.ts'
import { isEventOf } from '#packages/event-sourcing/decider.ts'
import { isoOf } from '#packages/ports/clock.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { noteOf } from './event-note.ts'
import { secondsText } from './seconds-text.ts'

/** One stored event among others, with what led to it. */
export type TimelineEntry = {
  event: StoredEvent
  /** Since the entry before it, milliseconds; negative where the clocks of two processes differ. */
  sinceMs: number
  note: string
  cause: string
  /** Of the ledger after this event; undefined where the ledger is not shown from its beginning. */
  balance: number | undefined
}

/** What of an event's id, or of that of a request, is shown. */
const SHORT = 8

/** Makes entries of events, one after the other. */
export class HistoryTimeline {
  /** The types of jobs' events that were added, by stream and revision: only such events are causes of others. */
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

  /** Each event names a request, a task, or the event of a job that led to it. */
  #causeOf({ metadata: { causationId, correlationId } }: StoredEvent): string {
    // Of the orchestrator `NAME/JOB/REVISION`, of a worker `JOB/REVISION/STEP/ATTEMPT`.
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

/** The job of a debit or a settlement, where the timeline is not that of a job. */
const jobOf = ({ type, data }: StoredEvent, asked: string): string =>
  (type === 'CreditsDebited' || type === 'CreditsSettled') && data.jobId !== asked ? `, job ${data.jobId}` : ''

/** The entry as a line for people; text of strangers in it is as it was stored. @param asked the id that was asked for */
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

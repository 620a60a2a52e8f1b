import type { Ledgers } from '#packages/ledger/ledgers.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import type { Stored, Views } from '#packages/ports/views.ts'
import { foldJobDocument, type JobDocument } from '#packages/views/jobs.ts'

type Ports = { store: EventStore; views: Views; ledgers: Ledgers; clock: Clock }

/** Which job is asked for, and by whom. */
export type JobQuestion = { jobId: string; orgId: string; kind: JobDocument['kind'] }

/** What the outside sees of a job. */
export type SeenJob =
  | { status: 'queued' }
  | { status: 'completed' /** JSON. */; result: string }
  | { status: 'failed'; error: { code: string; message: string } }

/** Until a job is this old only the view may show its end, milliseconds. */
const VIEW_ALONE_MS = 10_000

/** An end whose settlement is not known is shown after this time, milliseconds. */
const SHOWN_UNSETTLED_AFTER_MS = 30_000

/** From {@link VIEW_ALONE_MS} on a waiting poll looks at the events this often, milliseconds. */
const LOOK_AGAIN_MS = 1000

const isUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

type Look = { seen: SeenJob; ageMs: number; position: number }

/** Tells how jobs stand, from the view, and from the events where the view may be behind. */
export class JobWatch {
  readonly #ports: Ports

  constructor(ports: Ports) {
    this.#ports = ports
  }

  /** @returns undefined where there is no such job for this organization */
  async see(question: JobQuestion): Promise<SeenJob | undefined> {
    return (await this.#look(question))?.seen
  }

  /** The same, but waits up to `waitMs` milliseconds for the end; the signal ends the wait. */
  async wait(question: JobQuestion, waitMs: number, signal: AbortSignal): Promise<SeenJob | undefined> {
    const { views, clock } = this.#ports
    const until = clock.now() + waitMs
    for (;;) {
      const look = await this.#look(question)
      const leftMs = until - clock.now()
      if (look === undefined || look.seen.status !== 'queued' || leftMs <= 0 || signal.aborted) return look?.seen
      const pauseMs = Math.min(leftMs, look.ageMs < VIEW_ALONE_MS ? VIEW_ALONE_MS - look.ageMs : LOOK_AGAIN_MS)
      await views.waitForChange('jobs', question.jobId, look.position, pauseMs, signal)
    }
  }

  async #look(question: JobQuestion): Promise<Look | undefined> {
    if (!isUuid.test(question.jobId)) return undefined
    const viewed = await this.#ports.views.get<JobDocument>('jobs', question.jobId)
    // A document that only a settlement has made does not tell whose job it is.
    const document = viewed?.orgId === undefined ? undefined : viewed
    if (document !== undefined && !isOf(document, question)) return undefined
    if (document !== undefined) {
      const seen = this.#seen(document)
      const ageMs = this.#ageMs(document)
      if (seen.status !== 'queued' || ageMs < VIEW_ALONE_MS) return { seen, ageMs, position: document.position }
    }
    return this.#lookAtEvents(question, document, viewed?.position ?? 0)
  }

  /** @param document what the view has of the job: events that are in it already may be large, and are not read again */
  async #lookAtEvents(
    question: JobQuestion,
    document: Stored<JobDocument> | undefined,
    position: number,
  ): Promise<Look | undefined> {
    const { store, ledgers } = this.#ports
    const events = await store.read(streams.job(question.jobId), { from: (document?.revision ?? -1) + 1 })
    const folded = foldJobDocument(events, document)
    if (folded === undefined || !isOf(folded, question)) return undefined
    const ageMs = this.#ageMs(folded)
    if (ageMs < VIEW_ALONE_MS) return { seen: { status: 'queued' }, ageMs, position }
    if (folded.status === 'queued') return { seen: { status: 'queued' }, ageMs, position }
    // Every job has a debit, written before it: one that is not open any more is settled.
    const { openDebits } = await ledgers.current(question.orgId)
    return { seen: this.#seen({ ...folded, settled: !openDebits.has(question.jobId) }), ageMs, position }
  }

  #ageMs({ requestedAt, endedAt }: Stored<JobDocument>): number {
    // A job that was never accepted has an end only.
    return this.#ports.clock.now() - (requestedAt ?? endedAt ?? 0)
  }

  #seen(document: Stored<JobDocument>): SeenJob {
    const { status, result, error, settled, endedAt } = document
    const shown = settled || this.#ports.clock.now() - (endedAt ?? 0) >= SHOWN_UNSETTLED_AFTER_MS
    if (status === 'completed' && shown) return { status, result: result ?? '{}' }
    if (status === 'failed' && shown) return { status, error: error ?? { code: 'internal_error', message: '' } }
    return { status: 'queued' }
  }
}

const isOf = (document: JobDocument, { orgId, kind }: JobQuestion): boolean =>
  document.orgId === orgId && document.kind === kind

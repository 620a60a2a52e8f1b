import { LRUCache } from 'lru-cache'
import type { EventData } from '#contracts/generated/events.ts'
import type { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import type { JobKind } from '#packages/domain/job/events.ts'
import type { FeedReader } from '#packages/events/store/follow.ts'
import { foldJobDocument, type JobDocument } from '#packages/events/views/jobs.ts'
import { growingTo } from '#packages/foundation/concurrency/growing-to.ts'
import type { OnWait } from '#packages/foundation/concurrency/single-flight.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore, FeedBatch } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { UnreachableError } from '#packages/ports/unreachable.ts'
import type { Stored, Views } from '#packages/ports/views.ts'
import { isForgotten } from './is-forgotten.ts'
import { isJobId } from './job-id.ts'

type Ports = { store: EventStore; views: Views; ledgers: Ledgers; clock: Clock }

/** The polled job, and the caller. */
export type JobQuestion = { jobId: string; orgId: string; kind: JobKind }

/** A job as its owner sees it, and the trace of its request. */
export type SeenJob = { traceId: string } & Standing

type Words = EventData['SpeechTranscribed']['words']

/**
 * The status of a job. `charged`: credits that the ended job cost. `captionsUnread`: why its text comes from speech
 * although there may be captions. `reused`: the job that the result comes from.
 */
export type Standing =
  | { status: 'queued' }
  | { status: 'completed' /** JSON. */; result: string; charged: number; captionsUnread?: string; reused?: string }
  | { status: 'failed'; error: { code: string; message: string }; charged: number }

/**
 * Only the view shows the end of a job that is younger than this, milliseconds. Older jobs are also looked up in the
 * events. So is every job while the views cannot be read, and for this long after: rebuilt views may be behind earlier
 * answers.
 */
const VIEW_ALONE_MS = 10_000

/** An end is shown once its debit is settled, or after this time, milliseconds. */
const SHOWN_UNSETTLED_AFTER_MS = 30_000

/** How often a waiting poll of a job older than {@link VIEW_ALONE_MS} looks at its events, milliseconds. */
const LOOK_AGAIN_MS = 1000

/** The most jobs to remember whose end the view may not show yet. */
const REMEMBERED_JOBS = 10_000

type Look = { seen: SeenJob; ageMs: number }

/**
 * Reads the status of jobs from the view, and from the events if the view may be behind. With the feed of ledgers,
 * polls that wait for the end of a job read its events as soon as its settlement comes.
 */
export class JobWatch implements FeedReader {
  readonly prefixes = ['credits-']
  readonly #ports: Ports
  /**
   * Jobs that have ended although the view may not show it: their settlement was read in the feed, or their end was
   * shown from their events. The value is the time until which the view alone must not answer for the latter; 0 for
   * the former.
   */
  readonly #ended = new LRUCache<string, number>({
    ...growingTo(REMEMBERED_JOBS),
    dispose: (until, _, reason) => {
      if (reason === 'evict') this.#letEventsTellUntil(until)
    },
  })
  /** Waiting polls, by their job. */
  readonly #waiting = new Map<string, Set<AbortController>>()
  /** The time until which the views may be behind answers from events. */
  #eventsTellUntil = 0

  constructor(ports: Ports) {
    this.#ports = ports
  }

  /** Reads a piece of the feed: settled jobs have ended. */
  take({ events }: Pick<FeedBatch, 'events'>): void {
    for (const event of events) {
      if (event.type !== 'CreditsSettled') continue
      const { jobId } = event.data
      this.#ended.set(jobId, this.#ended.get(jobId) ?? 0)
      for (const wake of this.#waiting.get(jobId) ?? []) wake.abort()
    }
  }

  /** @returns undefined if this organization has no such job */
  async see(question: JobQuestion): Promise<SeenJob | undefined> {
    return (await this.#lookAt(question, await this.#viewed(question.jobId)))?.seen
  }

  /** The words of speech with their times, even if its result does not show them. Undefined if unknown. */
  async wordsOf(jobId: string): Promise<Words | undefined> {
    const events = await this.#ports.store.read(streams.job(jobId))
    return events.findLast((event) => event.type === 'SpeechTranscribed')?.data.words
  }

  /**
   * The same as `see`, but waits up to `waitMs` milliseconds for the end. The signal ends the wait.
   * @param onWait called with each pause; the rest of the time is work
   */
  async wait(
    question: JobQuestion,
    waitMs: number,
    signal: AbortSignal,
    onWait: OnWait = () => {},
  ): Promise<SeenJob | undefined> {
    const { clock } = this.#ports
    const { jobId } = question
    const until = clock.now() + waitMs
    for (let document = await this.#viewed(jobId); ; ) {
      // From before the look, so that a settlement that comes during it ends the pause at once.
      using settled = this.#settlementOf(jobId)
      const look = await this.#lookAt(question, document)
      const leftMs = until - clock.now()
      if (look === undefined || look.seen.status !== 'queued' || leftMs <= 0 || signal.aborted) return look?.seen
      const isAlone = look.ageMs < VIEW_ALONE_MS && !this.#eventsTell
      const pauseMs = Math.min(leftMs, isAlone ? VIEW_ALONE_MS - look.ageMs : LOOK_AGAIN_MS)
      onWait(true)
      try {
        const over = AbortSignal.any([signal, settled.signal])
        document = await this.#viewAfter(document?.position ?? 0, jobId, pauseMs, over)
      } finally {
        onWait(false)
      }
    }
  }

  /** A signal that is aborted when the feed brings the settlement of a job. */
  #settlementOf(jobId: string): Disposable & { signal: AbortSignal } {
    const wake = new AbortController()
    const polls = this.#waiting.get(jobId) ?? new Set()
    this.#waiting.set(jobId, polls.add(wake))
    return {
      signal: wake.signal,
      [Symbol.dispose]: () => {
        polls.delete(wake)
        if (polls.size === 0) this.#waiting.delete(jobId)
      },
    }
  }

  /** The view's content once it is newer than `position`, or `pauseMs` milliseconds are over, or the signal is aborted. */
  async #viewAfter(
    position: number,
    jobId: string,
    pauseMs: number,
    signal: AbortSignal,
  ): Promise<Stored<JobDocument> | undefined> {
    try {
      return await this.#ports.views.waitForChange('jobs', jobId, position, pauseMs, signal)
    } catch (error) {
      this.#noteUnreadable(error)
      // Rejected only by the abort.
      await this.#ports.clock.sleep(Math.min(pauseMs, LOOK_AGAIN_MS), signal).catch(() => undefined)
      return this.#viewed(jobId)
    }
  }

  /** @throws any error except unreadable or unreachable views */
  #noteUnreadable(error: unknown): void {
    if (!(error instanceof UnreachableError)) throw error
    this.#letEventsTellUntil(this.#ports.clock.now() + VIEW_ALONE_MS)
  }

  /** Undefined also if the views cannot be read. */
  async #viewed(jobId: string): Promise<Stored<JobDocument> | undefined> {
    if (!isJobId(jobId)) return undefined
    try {
      return await this.#ports.views.get<JobDocument>('jobs', jobId)
    } catch (error) {
      this.#noteUnreadable(error)
      return undefined
    }
  }

  get #eventsTell(): boolean {
    return this.#ports.clock.now() < this.#eventsTellUntil
  }

  #letEventsTellUntil(time: number): void {
    this.#eventsTellUntil = Math.max(this.#eventsTellUntil, time)
  }

  /** Whether the view alone answers for a job of this age: no answer from the events may be ahead of it. */
  #isViewEnough(jobId: string, ageMs: number): boolean {
    return ageMs < VIEW_ALONE_MS && !this.#eventsTell && !this.#ended.has(jobId)
  }

  async #lookAt(question: JobQuestion, document: Stored<JobDocument> | undefined): Promise<Look | undefined> {
    const { jobId } = question
    if (!isJobId(jobId) || (document !== undefined && !isOf(document, question))) return undefined
    if (document !== undefined) {
      const seen = this.#seen(document)
      const ageMs = this.#ageMs(document)
      if (seen.status !== 'queued' || this.#isViewEnough(jobId, ageMs)) return { seen, ageMs }
    }
    const folded = await this.#fromEvents(jobId, document)
    if (folded === undefined || !isOf(folded, question)) return undefined
    if (document === undefined && folded.status !== 'queued' && (await isForgotten(this.#ports.store, jobId)))
      return undefined
    const ageMs = this.#ageMs(folded)
    if (folded.status === 'queued' || this.#isViewEnough(jobId, ageMs))
      return { seen: { traceId: folded.traceId, status: 'queued' }, ageMs }
    const seen = this.#seen({ ...folded, settled: await this.#isSettled(question) })
    // The view may not have this end yet, so it must not answer alone for this job.
    if (seen.status !== 'queued' && ageMs < VIEW_ALONE_MS)
      this.#ended.set(jobId, this.#ports.clock.now() + VIEW_ALONE_MS - ageMs)
    return { seen, ageMs }
  }

  /** Whether the debit of an ended job is settled. It was written before the job, and stays open until then. */
  async #isSettled({ jobId, orgId }: JobQuestion): Promise<boolean> {
    return this.#ended.has(jobId) || !(await this.#ports.ledgers.current(orgId)).openDebits.has(jobId)
  }

  /**
   * The job by its events: only those that the view's copy does not have are read, because events may be large.
   * Undefined if it has none, or if its history was removed.
   */
  async #fromEvents(
    jobId: string,
    document: Stored<JobDocument> | undefined,
  ): Promise<Stored<JobDocument> | undefined> {
    const { store } = this.#ports
    const stream = streams.job(jobId)
    const events = await store.read(stream, { from: (document?.revision ?? -1) + 1 })
    const mayBeRemoved = events.length === 0 && document !== undefined
    if (mayBeRemoved && (await store.read(stream, { from: 0, to: 0 })).length === 0) return undefined
    return foldJobDocument(events, document)
  }

  #ageMs({ requestedAt, endedAt }: Stored<JobDocument>): number {
    // A job that was never accepted has no request, only an end.
    return this.#ports.clock.now() - (requestedAt ?? endedAt ?? 0)
  }

  #seen(document: Stored<JobDocument>): SeenJob {
    const { traceId, status, result, error, settled, endedAt, captionsUnread, reused } = document
    const charged = document.charged ?? 0
    const shown = settled || this.#ports.clock.now() - (endedAt ?? 0) >= SHOWN_UNSETTLED_AFTER_MS
    if (status === 'completed' && shown)
      return {
        traceId,
        status,
        result: result ?? '{}',
        charged,
        ...(captionsUnread && { captionsUnread }),
        ...(reused && { reused }),
      }
    if (status === 'failed' && shown)
      return { traceId, status, error: error ?? { code: 'internal_error', message: '' }, charged }
    return { traceId, status: 'queued' }
  }
}

const isOf = (document: JobDocument, { orgId, kind }: JobQuestion): boolean =>
  document.orgId === orgId && document.kind === kind

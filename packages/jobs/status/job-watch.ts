import { LRUCache } from 'lru-cache'
import type { EventData } from '#contracts/generated/events.ts'
import type { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import type { JobKind } from '#packages/domain/job/events.ts'
import type { FeedReader } from '#packages/events/store/follow.ts'
import { foldJobDocument, type JobDocument } from '#packages/events/views/jobs.ts'
import { growingTo } from '#packages/foundation/concurrency/growing-to.ts'
import type { OnWait } from '#packages/foundation/concurrency/single-flight.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore, FeedBatch, StoredEvent } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { UnreachableError } from '#packages/ports/unreachable.ts'
import type { Stored, Views } from '#packages/ports/views.ts'
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

/**
 * The most jobs to remember: those with a recently read settlement, and those with an end that was shown before the
 * view had it.
 */
const REMEMBERED_JOBS = 10_000

type Look = { seen: SeenJob; ageMs: number; position: number }

/**
 * Reads the status of jobs from the view, and from the events if the view may be behind. With the feed of ledgers,
 * polls that wait for the end of a job read its events as soon as its settlement comes.
 */
export class JobWatch implements FeedReader {
  readonly prefixes = ['credits-']
  readonly #ports: Ports
  readonly #settled = new LRUCache<string, true>(growingTo(REMEMBERED_JOBS))
  /** Waiting polls, by their job. */
  readonly #waiting = new Map<string, Set<() => void>>()
  /** Jobs with an end that was shown from their events, and the time until which the view alone may not show it. */
  readonly #shownFromEvents = new LRUCache<string, number>({
    ...growingTo(REMEMBERED_JOBS),
    dispose: (until, _, reason) => {
      if (reason === 'evict') this.#eventsTellUntil = Math.max(this.#eventsTellUntil, until)
    },
  })
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
      this.#settled.set(jobId, true)
      for (const wake of this.#waiting.get(jobId) ?? []) wake()
    }
  }

  /** @returns undefined if this organization has no such job */
  async see(question: JobQuestion): Promise<SeenJob | undefined> {
    return (await this.#lookAt(question, await this.#viewed(question.jobId)))?.seen
  }

  /**
   * The words of a speech transcript with their times, even if its result does not show them. Undefined if they are
   * unknown.
   */
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
    const until = clock.now() + waitMs
    for (let document = await this.#viewed(question.jobId); ; ) {
      const wasSettled = this.#settled.has(question.jobId)
      const look = await this.#lookAt(question, document)
      const leftMs = until - clock.now()
      if (look === undefined || look.seen.status !== 'queued' || leftMs <= 0 || signal.aborted) return look?.seen
      // Settled meanwhile: the events show more by now.
      if (!wasSettled && this.#settled.has(question.jobId)) continue
      const alone = look.ageMs < VIEW_ALONE_MS && !this.#eventsTell
      const pauseMs = Math.min(leftMs, alone ? VIEW_ALONE_MS - look.ageMs : LOOK_AGAIN_MS)
      const pause = (over: AbortSignal) => this.#pause(question.jobId, look, pauseMs, over)
      onWait(true)
      try {
        document = await this.#unlessSettled(question.jobId, document, pause, signal)
      } finally {
        onWait(false)
      }
    }
  }

  /**
   * The result of the pause. Or, if the feed brings the job's settlement first, what is known: the events then show
   * more.
   */
  async #unlessSettled(
    jobId: string,
    known: Stored<JobDocument> | undefined,
    pause: (over: AbortSignal) => Promise<Stored<JobDocument> | undefined>,
    signal: AbortSignal,
  ): Promise<Stored<JobDocument> | undefined> {
    const over = new AbortController()
    const settled = Promise.withResolvers<Stored<JobDocument> | undefined>()
    const wake = (): void => settled.resolve(known)
    const polls = this.#waiting.get(jobId) ?? new Set()
    this.#waiting.set(jobId, polls.add(wake))
    try {
      return await Promise.race([settled.promise, pause(AbortSignal.any([signal, over.signal]))])
    } finally {
      over.abort()
      polls.delete(wake)
      if (polls.size === 0) this.#waiting.delete(jobId)
    }
  }

  /** Waits until the view changes, or `pauseMs` milliseconds are over. @returns the view's content then */
  async #pause(
    jobId: string,
    { position }: Look,
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
    this.#letEventsTell(VIEW_ALONE_MS)
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

  async #lookAt(question: JobQuestion, document: Stored<JobDocument> | undefined): Promise<Look | undefined> {
    if (!isJobId(question.jobId)) return undefined
    if (document !== undefined && !isOf(document, question)) return undefined
    if (document !== undefined) {
      const seen = this.#seen(document)
      const ageMs = this.#ageMs(document)
      const isEnough = ageMs < VIEW_ALONE_MS && !this.#mayBeBehind(question.jobId)
      if (seen.status !== 'queued' || isEnough) return { seen, ageMs, position: document.position }
    }
    return this.#lookAtEvents(question, document)
  }

  /** @param document the view's copy of the job: only later events are read, because events may be large */
  async #lookAtEvents(question: JobQuestion, document: Stored<JobDocument> | undefined): Promise<Look | undefined> {
    const { ledgers } = this.#ports
    const position = document?.position ?? 0
    const events = await this.#newEvents(question.jobId, document?.revision)
    const folded = events && foldJobDocument(events, document)
    if (folded === undefined || !isOf(folded, question)) return undefined
    if (document === undefined && folded.status !== 'queued' && (await this.#isForgotten(question.jobId)))
      return undefined
    const ageMs = this.#ageMs(folded)
    const queued = { seen: { traceId: folded.traceId, status: 'queued' }, ageMs, position } as const
    if (ageMs < VIEW_ALONE_MS && !this.#mayBeBehind(question.jobId)) return queued
    if (folded.status === 'queued') return queued
    // Every job has a debit, written before it. A debit that is no longer open is settled.
    const isSettled =
      this.#settled.has(question.jobId) || !(await ledgers.current(question.orgId)).openDebits.has(question.jobId)
    const seen = this.#seen({ ...folded, settled: isSettled })
    // The view may not have this end yet, so it must not answer alone for this job.
    if (seen.status !== 'queued' && ageMs < VIEW_ALONE_MS)
      this.#shownFromEvents.set(question.jobId, this.#ports.clock.now() + VIEW_ALONE_MS - ageMs)
    return { seen, ageMs, position }
  }

  /** Its removal is recorded. The views already show that, but its events may still exist. */
  async #isForgotten(jobId: string): Promise<boolean> {
    return (await this.#ports.store.read(streams.removal(jobId), { from: 0, to: 0 })).length > 0
  }

  #letEventsTell(ms: number): void {
    this.#eventsTellUntil = Math.max(this.#eventsTellUntil, this.#ports.clock.now() + ms)
  }

  /**
   * Whether the events may contain an end of the job that the view does not show yet, or whether they have already
   * shown one.
   */
  #mayBeBehind(jobId: string): boolean {
    return this.#eventsTell || this.#settled.has(jobId) || this.#shownFromEvents.has(jobId)
  }

  /** Events after a revision that the view has. Undefined if the job's history was removed. */
  async #newEvents(jobId: string, revision: number | undefined): Promise<StoredEvent[] | undefined> {
    const { store } = this.#ports
    const stream = streams.job(jobId)
    const events = await store.read(stream, { from: (revision ?? -1) + 1 })
    if (events.length > 0 || revision === undefined) return events
    const first = await store.read(stream, { from: 0, to: 0 })
    return first.length === 0 ? undefined : events
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

import type { EventData } from '#contracts/generated/events.ts'
import type { EventMetadata } from '#contracts/generated/messages.ts'
import type { Ledger } from '#packages/domain/credits/ledger.ts'
import { plans } from '#packages/domain/credits/plans.ts'
import type { Lane } from '#packages/domain/job/events.ts'
import { job } from '#packages/domain/job/job.ts'
import { debitOf, pricesOf } from '#packages/domain/job/price.ts'
import { assertBelieved } from '#packages/errors/assert-believed.ts'
import { LedgerBusyError } from '#packages/errors/ledger-busy-error.ts'
import { ServiceError } from '#packages/errors/service-error.ts'
import { appendUntilAnswered } from '#packages/event-store/append-until-answered.ts'
import { toAppend } from '#packages/event-store/to-append.ts'
import { noSuchJob } from '#packages/jobs/no-such-job.ts'
import type { Beginning, LedgerOutcome } from '#packages/ledger/ledger-entry.ts'
import type { Ledgers } from '#packages/ledger/ledgers.ts'
import { platformOf } from '#packages/platforms/urls/platform-of.ts'
import type { Clock } from '#packages/ports/clock.ts'
import {
  type EventStore,
  type NewEvent,
  RevisionConflictError,
  type StoredEvent,
  StreamRemovedError,
} from '#packages/ports/event-store.ts'
import { type Ids, sha256, streams } from '#packages/ports/ids.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import type { NamedWebhook } from '#packages/webhooks/named-webhook.ts'
import type { DailyCaps } from './daily-caps.ts'
import { type JobRequest, requestHashOf } from './job-request.ts'
import { KeyedJobs } from './keyed-jobs.ts'
import type { LaneAdmission } from './lane-admission.ts'
import type { PaceAdmission } from './pace-admission.ts'
import type { Surface } from './surface.ts'

type Ports = {
  store: EventStore
  ledgers: Ledgers
  clock: Clock
  ids: Ids
  admission: LaneAdmission
  pace: PaceAdmission
  caps: DailyCaps
  telemetry: Telemetry
}

export type AcceptanceOptions = {
  /** The window of a job, seconds. */
  windowSeconds: number
  /** How long appends of one request are tried again, milliseconds. */
  giveUpAfterMs: number
  /** How often an idempotency key may be used again after its 24 hours. */
  maxKeyUses: number
}

/** A request on its way to becoming a job. */
export type Application = {
  request: JobRequest
  /** The key by which it came; null: none, such as a test's. */
  keyId: string | null
  surface: Surface
  /** The most credits that jobs of that key may take in a calendar month (UTC); null: as many as there are. */
  monthlyCredits: number | null
  /** That is told of its end besides those that are told of every one; part of what an idempotency key stands for. */
  webhook?: NamedWebhook | undefined
  /** Sent by the caller; undefined: every request is a job of its own. */
  idempotencyKey: string | undefined
  /** Metadata of the events that the request causes. Acceptance adds the correlation id. */
  metadata: Omit<EventMetadata, 'correlationId'>
}

/** An application that is only tried. */
export type Rehearsal = Pick<Application, 'request' | 'keyId' | 'monthlyCredits'> & { orgId: string }

/** An accepted job. A repeat has the values of the request that it repeats. */
export type AcceptedJob = {
  jobId: string
  /** The span of the request that it was requested by. */
  traceparent: string
  /** Credits that were debited for it. */
  held: number
}

/** It is not known whether the job was taken on: its id can be polled. */
export class UnknownJobError extends ServiceError {
  readonly jobId: string
  /** Another request, under the same idempotency key, may begin the job in another trace. */
  readonly isShared: boolean

  constructor(jobId: string, isShared: boolean, cause: unknown) {
    const message = 'It is not known whether the job was taken on: its id can be polled.'
    super('unavailable', message, { details: { jobId }, retryAfterSeconds: 1, cause })
    this.jobId = jobId
    this.isShared = isShared
  }
}

/** An application with the hash of its request. */
type Applying = Application & { requestHash: string }

/** What a job is requested with. */
type Debit = { jobId: string; credits: number; lane: Lane; request: JobRequest }

/** A debit of the job is open. `byUs`: this request made it. `isRequested`: JobRequested is stored too. */
type Debited = Debit & { byUs: boolean; isRequested: boolean }

/** A job that is not there, and the ledger that was read before it was looked for. */
type Absent = { jobId: string; ledger: Ledger; absentAt: Beginning['absentAt'] }

/** When to try again where jobs under way hold the credits, seconds: most of them end within a few. */
const HELD_RETRY_SECONDS = 5

/** Attempts at one job: another process may take it on, or refuse it, after it was looked for. */
const MAX_ROUNDS = 10

/**
 * Turns requests into jobs: CreditsDebited, then JobRequested; both at once where the store can. Nothing is written for a
 * request that is refused. Where a crash leaves a debit without a job, the orchestrator refuses the job and refunds it
 * (`packages/domain/job/job.ts`).
 */
export class Acceptance {
  readonly #ports: Ports
  readonly #options: AcceptanceOptions
  readonly #keyed: KeyedJobs

  constructor(ports: Ports, options: AcceptanceOptions) {
    this.#ports = ports
    this.#options = options
    this.#keyed = new KeyedJobs(ports, options)
  }

  /**
   * @returns the job, once JobRequested is stored
   * @throws ServiceError forbidden (short of credits), idempotency_conflict, unavailable
   */
  async accept(application: Application): Promise<AcceptedJob> {
    assertBelieved(this.#ports.store)
    const applying: Applying = { ...application, requestHash: requestHashOf(application.request) }
    for (let round = 0; round < MAX_ROUNDS; round++) {
      // 1. The job that the idempotency key stands for, or the id of a new one.
      const found = await this.#find(applying)
      if (found.type === 'accepted') return found
      // 2. Debit the credits, unless an earlier request under the same idempotency key has. Where the store can, the job
      // is requested in the same append.
      const debited = await this.#debit(applying, found)
      // 3. Request the job, unless that is done.
      if (debited !== 'taken') return this.#request(applying, debited)
    }
    throw new ServiceError('unavailable', 'The job could not be taken on; try again.', { retryAfterSeconds: 1 })
  }

  /**
   * Whether `accept` would accept the request now. Nothing is written.
   * @returns the credits that it would debit, and how long it would wait for its turn, seconds
   * @throws ServiceError as `accept` does; LedgerBusyError
   */
  async rehearse({
    request,
    keyId,
    monthlyCredits,
    orgId,
  }: Rehearsal): Promise<{ credits: number; waitSeconds: number }> {
    const { ledgers, ids, admission, pace } = this.#ports
    assertBelieved(this.#ports.store)
    const { lane } = plans[(await ledgers.current(orgId)).plan]
    const admitted = await this.#admit(request, lane, orgId)
    const command = debitCommand(
      { request: admitted, keyId, monthlyCredits, requestHash: requestHashOf(request) },
      ids.uuid(),
    )
    const outcome = await ledgers.outcomeOf(orgId, command)
    assertCovered(outcome)
    const credits = outcome.type === 'debited' ? outcome.credits : command.full
    const turns = [await admission.waitSeconds(lane, orgId), await pace.waitSeconds(request.url, orgId)]
    return { credits, waitSeconds: Math.max(...turns) }
  }

  /**
   * The ledger is read before the job: a job whose debit was settled by then is found in its stream.
   * @throws ServiceError idempotency_conflict, unavailable, not_found: the job was forgotten, and its key still stands for
   * it
   */
  async #find(applying: Applying): Promise<(AcceptedJob & { type: 'accepted' }) | (Absent & { type: 'absent' })> {
    const { idempotencyKey: key, request, metadata } = applying
    const { orgId } = metadata
    const { ledger, revision } = await this.#ports.ledgers.known(orgId).catch(orUnavailable())
    if (key === undefined) return { type: 'absent', jobId: this.#ports.ids.uuid(), ledger, absentAt: 'always' }
    const found = await this.#keyed.find({ orgId, kind: request.kind, key })
    if (found.type === 'free') return { type: 'absent', jobId: found.jobId, ledger, absentAt: revision }
    if (!isRepeat(applying, found.by.data)) throw conflict()
    return { type: 'accepted', ...requestedBy(found.by) }
  }

  /**
   * `taken`: the job is there meanwhile, and nothing was debited.
   * @throws ServiceError forbidden, idempotency_conflict, unavailable: nothing is debited, or the debit is refunded
   */
  async #debit(applying: Applying, { jobId, ledger, absentAt }: Absent): Promise<Debited | 'taken'> {
    const { request, requestHash, idempotencyKey, metadata } = applying
    const { orgId } = metadata
    const { ledgers, store, telemetry } = this.#ports
    const { lane } = plans[ledger.plan]
    // The daily caps and admission control may refuse a new job, or take less of it on.
    const isOpen = ledger.openDebits.has(jobId)
    const admitted = isOpen ? request : await this.#admit(request, lane, orgId)
    await applying.webhook?.prepare()
    const command = debitCommand({ ...applying, request: admitted }, jobId)
    const debit = { jobId, lane, request: admitted }
    const events = new Map<number, NewEvent[]>()
    for (const credits of [command.full, command.least])
      if (!events.has(credits)) events.set(credits, this.#requestOf(applying, { ...debit, credits }))
    const begins = { stream: streams.job(jobId), events, absentAt }
    const isTogether = store.appendTogether !== undefined
    const outcome = await ledgers
      .execute(orgId, { command, metadata: { ...metadata, correlationId: jobId }, begins })
      .catch(orUnavailable(isTogether ? { jobId, isShared: idempotencyKey !== undefined } : undefined))
    assertCovered(outcome)
    if (outcome.type === 'already-open') {
      if (outcome.requestHash !== requestHash) throw conflict()
      return { ...debit, request, credits: outcome.credits, byUs: false, isRequested: false }
    }
    if (outcome.type !== 'debited') return 'taken'
    const { credits } = outcome
    const attributes = { [names.creditsOperation]: 'debited', [names.kind]: request.kind }
    telemetry.add(metrics.creditsMoved, credits, attributes)
    return { ...debit, credits, byUs: true, isRequested: isTogether }
  }

  /** The request as it may be taken on now. @throws ServiceError unavailable */
  async #admit(request: JobRequest, lane: Lane, orgId: string): Promise<JobRequest> {
    const admitted = await this.#ports.caps.admit(request, orgId)
    await this.#ports.admission.assertRoom(lane, orgId)
    await this.#ports.pace.assertRoom(request.url, orgId)
    return admitted
  }

  /** @throws ServiceError idempotency_conflict, unavailable, not_found */
  async #request(applying: Applying, debited: Debited): Promise<AcceptedJob> {
    const { jobId } = debited
    const isShared = applying.idempotencyKey !== undefined
    const stream = streams.job(jobId)
    try {
      if (!debited.isRequested) await this.#append(stream, this.#requestOf(applying, debited))
    } catch (error) {
      if (error instanceof RevisionConflictError) return requestedBefore(await this.#ports.store.read(stream), applying)
      // Another request under the same key had its job forgotten meanwhile: the orchestrator refunds the debit.
      if (error instanceof StreamRemovedError) throw noSuchJob()
      throw new UnknownJobError(jobId, isShared, error)
    }
    // The same append of two requests is one event: where another request may have made it, the event tells. Two
    // processes may even debit at the same instant, which only matters to who counts jobs and follows their traces.
    const mayBeAnothers = !debited.byUs || (isShared && this.#ports.telemetry.isExported)
    const { metadata } = applying
    const { causationId, traceparent } = mayBeAnothers ? await this.#firstMetadata(stream, metadata) : metadata
    if (causationId === metadata.causationId) this.#count(applying.request)
    return { jobId, traceparent, held: debited.credits }
  }

  /** That of the first event, which is there; `own` where it cannot be read: the job is accepted all the same. */
  async #firstMetadata<Own extends object>(stream: string, own: Own): Promise<EventMetadata | Own> {
    const [first] = await this.#ports.store.read(stream, { from: 0, to: 0 }).catch(() => [])
    return first?.metadata ?? own
  }

  #count({ kind, mode, url }: JobRequest): void {
    const { telemetry } = this.#ports
    // The platform is not looked up for nobody.
    if (!telemetry.isExported) return
    const modeOf = mode === null ? {} : { [names.mode]: mode }
    telemetry.add(metrics.jobsAccepted, 1, { [names.kind]: kind, ...modeOf, [names.platform]: platformOf(url) })
  }

  async #append(stream: string, events: readonly NewEvent[]): Promise<void> {
    const { clock, ledgers } = this.#ports
    const giveUp = { giveUpAt: clock.now() + this.#options.giveUpAfterMs, patience: ledgers.patience }
    await appendUntilAnswered(this.#ports, stream, 'no-stream', events, giveUp)
  }

  /** The events that request the job, of which there is one. */
  #requestOf({ keyId, surface, webhook, requestHash, idempotencyKey, metadata }: Applying, debit: Debit): NewEvent[] {
    const { jobId, credits: budget, lane, request } = debit
    const data = {
      orgId: metadata.orgId,
      ...request,
      keyId,
      surface,
      webhookId: webhook?.id ?? null,
      budget,
      prices: pricesOf(request.kind),
      lane,
      requestHash,
      idempotencyKeyHash: idempotencyKey === undefined ? null : sha256(idempotencyKey),
      windowSeconds: this.#options.windowSeconds,
    }
    const decided = job.decide({ type: 'request', request: data }, job.initialState)
    return toAppend(streams.job(jobId), decided, { ...metadata, correlationId: jobId })
  }
}

/**
 * Another writer was the first to append to the job's stream: a request under the same idempotency key, whose job
 * answers this request too, or the orchestrator, which has refused the job.
 */
function requestedBefore([first]: StoredEvent[], applying: Applying): AcceptedJob {
  if (first?.type === 'JobRequested' && isRepeat(applying, first.data)) return requestedBy(first)
  if (first?.type === 'JobRequested') throw conflict()
  throw new ServiceError('unavailable', 'The job was not taken on; nothing was charged.', { retryAfterSeconds: 1 })
}

/** Whether a request asks for what was asked for before under its key. */
const isRepeat = ({ requestHash, webhook }: Applying, before: EventData['JobRequested']): boolean =>
  before.requestHash === requestHash && before.webhookId === (webhook?.id ?? null)

type Debiting = Pick<Applying, 'request' | 'keyId' | 'monthlyCredits' | 'requestHash'>

function debitCommand({ request, keyId, monthlyCredits, requestHash }: Debiting, jobId: string) {
  const purpose = { operation: request.kind, mode: request.mode, platform: platformOf(request.url), keyId }
  return { type: 'debit', jobId, ...debitOf(request), requestHash, purpose, monthlyCredits } as const
}

/**
 * Handles the failure of a ledger that did not answer in time.
 * @param begun the job that may have been requested together with its debit
 */
const orUnavailable =
  (begun?: { jobId: string; isShared: boolean }) =>
  (error: unknown): never => {
    if (!(error instanceof LedgerBusyError)) throw error
    if (begun !== undefined && error.mayBeStored) throw new UnknownJobError(begun.jobId, begun.isShared, error)
    const message = 'The credits could not be taken in time; whatever was taken is given back.'
    throw new ServiceError('unavailable', message, { retryAfterSeconds: 1, cause: error })
  }

/** @throws ServiceError forbidden, unavailable: the ledger has refused the debit */
function assertCovered(outcome: LedgerOutcome): void {
  if (outcome.type === 'insufficient') throw insufficient(outcome)
  if (outcome.type === 'over-monthly-credits') throw overMonthlyCredits(outcome)
  if (outcome.type === 'too-many-open-debits')
    throw new ServiceError('unavailable', 'Too many jobs are open; nothing was charged.', { retryAfterSeconds: 5 })
}

const requestedBy = ({ stream, data, metadata }: StoredEvent & { type: 'JobRequested' }): AcceptedJob => ({
  jobId: stream.slice('job-'.length),
  traceparent: metadata.traceparent,
  held: data.budget,
})

const conflict = (): ServiceError =>
  new ServiceError('idempotency_conflict', 'This Idempotency-Key was used for another request.')

/** The result of a debit that was refused. */
type Short = { required: number; remaining: number; held: number }

const insufficient = (short: Short): ServiceError =>
  shortOfCredits('insufficient_credits', `This takes ${short.required} credits, and ${short.remaining} are left`, short)

const overMonthlyCredits = (short: Short): ServiceError =>
  shortOfCredits(
    'monthly_credits',
    `This takes ${short.required} credits, and the key has ${short.remaining} left this month`,
    short,
  )

/** Credits that jobs under way hold may come back: where they would do, waiting may help. */
function shortOfCredits(reason: string, message: string, { required, remaining, held }: Short): ServiceError {
  if (held === 0) return new ServiceError('forbidden', `${message}.`, { details: { reason, required, remaining } })
  const mayDo = remaining + held >= required
  return new ServiceError('forbidden', `${message}; jobs under way hold ${held} more, of which some may come back.`, {
    details: { reason, required, remaining, held },
    ...(mayDo && { retryAfterSeconds: HELD_RETRY_SECONDS }),
  })
}

/** Whether a request was refused because its organization, or its key, is short of credits. */
export const isShortOfCredits = (error: unknown): boolean =>
  error instanceof ServiceError &&
  error.code === 'forbidden' &&
  ['insufficient_credits', 'monthly_credits'].includes((error.details as { reason?: string } | null)?.reason ?? '')

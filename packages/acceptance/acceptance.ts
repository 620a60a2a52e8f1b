import type { EventMetadata } from '#contracts/generated/messages.ts'
import type { CreditsOutcome } from '#packages/domain/credits/credits.ts'
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
import type { Executed, LedgerEntry, NoEntry } from '#packages/ledger/ledger-entry.ts'
import type { Ledgers } from '#packages/ledger/ledgers.ts'
import { platformOf } from '#packages/platforms/urls/platform-of.ts'
import type { Clock } from '#packages/ports/clock.ts'
import {
  type EventStore,
  RevisionConflictError,
  type StoredEvent,
  type StreamAppend,
  StreamRemovedError,
} from '#packages/ports/event-store.ts'
import { type Ids, sha256, streams } from '#packages/ports/ids.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import type { DailyCaps } from './daily-caps.ts'
import { type JobRequest, requestHashOf } from './job-request.ts'
import { KeyedJobs } from './keyed-jobs.ts'
import type { LaneAdmission } from './lane-admission.ts'

type Ports = {
  store: EventStore
  ledgers: Ledgers
  clock: Clock
  ids: Ids
  admission: LaneAdmission
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
  /** The most credits that jobs of that key may take in a calendar month (UTC); null: as many as there are. */
  monthlyCredits: number | null
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

/**
 * An application with the hash of its request and the id that a new job would get. `requested`: the job that may have been
 * requested together with its debit.
 */
type Applying = Application & { requestHash: string; freshId: string; requested: string | undefined }

/** The job was requested before, under the same idempotency key. */
type Accepted = NoEntry & AcceptedJob & { type: 'accepted' }

/** What a job is requested with. */
type Debit = { jobId: string; credits: number; lane: Lane }

/** CreditsDebited is stored, by this request or an earlier one. `isRequested`: so is JobRequested. */
type Debited = NoEntry & Debit & { type: 'debited'; byUs: boolean; isRequested: boolean }

/** Nothing is stored yet: the debit comes first, or both together. */
type ToDebit = LedgerEntry & { type: 'to-debit'; jobId: string; lane: Lane }

/** When to try again where jobs under way hold the credits, seconds: most of them end within a few. */
const HELD_RETRY_SECONDS = 5

/** Attempts at one debit: the ledger may find it open already, and it may be settled before it is read again. */
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
    const requestHash = requestHashOf(application.request)
    const freshId = this.#keyed.freshId(application.metadata.orgId, this.#ports.ids.uuid())
    const applying: Applying = { ...application, requestHash, freshId, requested: undefined }
    // 1. Debit the credits, unless an earlier request under the same idempotency key has. Where the store can, the job is
    // requested in the same append.
    const debited = await this.#debit(applying)
    // 2. Request the job, unless that is done.
    return debited.type === 'accepted' ? debited : await this.#request(applying, debited)
  }

  /**
   * Whether `accept` would accept the request now. Nothing is written.
   * @returns the credits that it would debit
   * @throws ServiceError as `accept` does; LedgerBusyError
   */
  async rehearse({ request, keyId, monthlyCredits, orgId }: Rehearsal): Promise<number> {
    const { ledgers, ids } = this.#ports
    assertBelieved(this.#ports.store)
    const { lane } = plans[(await ledgers.current(orgId)).plan]
    await this.#assertOpen(request, lane, orgId)
    const command = debitCommand({ request, keyId, monthlyCredits, requestHash: requestHashOf(request) }, ids.uuid())
    const outcome = await ledgers.outcomeOf(orgId, command)
    assertCovered(outcome)
    return outcome.type === 'debited' ? outcome.credits : command.full
  }

  async #debit(applying: Applying): Promise<Accepted | Debited> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const { outcome, prepared, isTogether } = await this.#execute(applying)
      if (prepared.type !== 'to-debit') return prepared
      const { jobId, lane } = prepared
      if (outcome.type !== 'debited') continue
      const { credits } = outcome
      const { kind } = applying.request
      this.#ports.telemetry.add(metrics.creditsMoved, credits, {
        [names.creditsOperation]: 'debited',
        [names.kind]: kind,
      })
      return { type: 'debited', jobId, credits, lane, byUs: true, isRequested: isTogether }
    }
    throw new ServiceError('unavailable', 'The job could not be taken on; try again.', { retryAfterSeconds: 1 })
  }

  /** @throws ServiceError forbidden, idempotency_conflict, unavailable: nothing is debited, or the debit is refunded */
  async #execute(applying: Applying): Promise<Executed<Accepted | Debited | ToDebit>> {
    const { orgId } = applying.metadata
    applying.requested = undefined
    try {
      const executed = await this.#ports.ledgers.execute(orgId, (ledger) => this.#prepare(applying, ledger))
      assertCovered(executed.outcome)
      return executed
    } catch (error) {
      if (!(error instanceof LedgerBusyError)) throw error
      const { requested, idempotencyKey } = applying
      if (requested !== undefined) throw new UnknownJobError(requested, idempotencyKey !== undefined, error)
      const message = 'The credits could not be taken in time; whatever was taken is given back.'
      throw new ServiceError('unavailable', message, { retryAfterSeconds: 1, cause: error })
    }
  }

  /**
   * Finds the job or the open debit of the request, or makes the debit command. It reads the job's stream after the
   * ledger: a job whose debit was settled before the ledger was read is then found in its stream.
   */
  async #prepare(applying: Applying, ledger: Ledger): Promise<Accepted | Debited | ToDebit> {
    const { request, requestHash, metadata } = applying
    // 1. The job that the idempotency key stands for, or a new one.
    const { jobId, known } = await this.#identify(applying, ledger)
    if (known !== undefined) return { type: 'accepted', ...known }
    // 2. An open debit without a job.
    const { lane } = plans[ledger.plan]
    const open = ledger.openDebits.get(jobId)
    if (open !== undefined) {
      if (open.requestHash !== requestHash) throw conflict()
      return { type: 'debited', jobId, credits: open.credits, lane, byUs: false, isRequested: false }
    }
    // 3. The daily caps and admission control, which may refuse a new job.
    await this.#assertOpen(request, lane, metadata.orgId)
    // 4. The debit command. The ledger refuses it where credits are short.
    const command = debitCommand(applying, jobId)
    const beside = this.#besideDebit(applying, { jobId, lane })
    return { type: 'to-debit', jobId, lane, command, metadata: { ...metadata, correlationId: jobId }, beside }
  }

  /** The request of a job, as what is appended beside its debit. */
  #besideDebit(applying: Applying, job: Omit<Debit, 'credits'>): (outcome: CreditsOutcome) => StreamAppend | undefined {
    return (outcome) => {
      if (outcome.type !== 'debited') return undefined
      applying.requested = job.jobId
      return this.#requestOf(applying, { ...job, credits: outcome.credits })
    }
  }

  /** @throws ServiceError unavailable */
  async #assertOpen(request: JobRequest, lane: Lane, orgId: string): Promise<void> {
    await this.#ports.caps.assertLeft(request, orgId)
    await this.#ports.admission.assertRoom(lane, orgId)
  }

  /**
   * The job that the request repeats, or its open debit, or the id of a new job.
   * @throws ServiceError idempotency_conflict, not_found: the job was forgotten, and its key still stands for it
   */
  async #identify(applying: Applying, ledger: Ledger): Promise<{ jobId: string; known?: AcceptedJob }> {
    const { idempotencyKey: key, freshId: jobId, request, requestHash, metadata } = applying
    if (key === undefined) return { jobId }
    const found = await this.#keyed.find({ orgId: metadata.orgId, kind: request.kind, key })
    if (found.type === 'free') {
      const { otherId } = found
      return { jobId: otherId !== undefined && ledger.openDebits.has(otherId) ? otherId : found.jobId }
    }
    if (found.by.data.requestHash !== requestHash) throw conflict()
    const known = requestedBy(found.by)
    return { jobId: known.jobId, known }
  }

  /** @throws ServiceError idempotency_conflict, unavailable, not_found */
  async #request(applying: Applying, debited: Debited): Promise<AcceptedJob> {
    const { jobId } = debited
    const isShared = applying.idempotencyKey !== undefined
    const stream = streams.job(jobId)
    try {
      if (!debited.isRequested) await this.#append(this.#requestOf(applying, debited))
    } catch (error) {
      if (error instanceof RevisionConflictError)
        return requestedBefore(await this.#ports.store.read(stream), applying.requestHash)
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

  async #append({ stream, expected, events }: StreamAppend): Promise<void> {
    const { giveUpAfterMs: silenceMs } = this.#options
    const giveUp = { giveUpAt: this.#ports.clock.now() + silenceMs, silenceMs }
    await appendUntilAnswered(this.#ports, stream, expected, events, giveUp)
  }

  /** The append that requests the job. */
  #requestOf({ request, keyId, requestHash, idempotencyKey, metadata }: Applying, debit: Debit): StreamAppend {
    const { jobId, credits: budget, lane } = debit
    const stream = streams.job(jobId)
    const data = {
      orgId: metadata.orgId,
      ...request,
      keyId,
      budget,
      prices: pricesOf(request.kind),
      lane,
      requestHash,
      idempotencyKeyHash: idempotencyKey === undefined ? null : sha256(idempotencyKey),
      windowSeconds: this.#options.windowSeconds,
    }
    const decided = job.decide({ type: 'request', request: data }, job.initialState)
    return { stream, expected: 'no-stream', events: toAppend(stream, decided, { ...metadata, correlationId: jobId }) }
  }
}

/**
 * Another writer was the first to append to the job's stream: a request under the same idempotency key, whose job
 * answers this request too, or the orchestrator, which has refused the job.
 */
function requestedBefore([first]: StoredEvent[], requestHash: string): AcceptedJob {
  if (first?.type === 'JobRequested' && first.data.requestHash === requestHash) return requestedBy(first)
  if (first?.type === 'JobRequested') throw conflict()
  throw new ServiceError('unavailable', 'The job was not taken on; nothing was charged.', { retryAfterSeconds: 1 })
}

type Debiting = Pick<Applying, 'request' | 'keyId' | 'monthlyCredits' | 'requestHash'>

function debitCommand({ request, keyId, monthlyCredits, requestHash }: Debiting, jobId: string) {
  const purpose = { operation: request.kind, mode: request.mode, platform: platformOf(request.url), keyId }
  return { type: 'debit', jobId, ...debitOf(request), requestHash, purpose, monthlyCredits } as const
}

/** @throws ServiceError forbidden, unavailable: the ledger has refused the debit */
function assertCovered(outcome: CreditsOutcome): void {
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

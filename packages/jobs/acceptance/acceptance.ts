import type { EventMetadata } from '#contracts/generated/messages.ts'
import type { Beginning } from '#packages/accounts/ledger/ledger-entry.ts'
import type { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import type { Ledger, Purpose } from '#packages/domain/credits/ledger.ts'
import { plans } from '#packages/domain/credits/plans.ts'
import type { Lane } from '#packages/domain/job/events.ts'
import { job, NOT_ACCEPTED_AFTER_MS } from '#packages/domain/job/job.ts'
import { debitOf, pricesOf } from '#packages/domain/job/price.ts'
import type { Reusable } from '#packages/domain/job/reuse.ts'
import { appendUntilAnswered } from '#packages/events/store/append-until-answered.ts'
import { toAppend } from '#packages/events/store/to-append.ts'
import { assertStoreIntact } from '#packages/foundation/errors/assert-store-intact.ts'
import { LedgerBusyError } from '#packages/foundation/errors/ledger-busy-error.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { noSuchJob } from '#packages/jobs/status/no-such-job.ts'
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
import type { Views } from '#packages/ports/views.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import type { DailyCaps } from './daily-caps.ts'
import { type JobRequest, requestHashOf } from './job-request.ts'
import { KeyedJobs } from './keyed-jobs.ts'
import type { LaneAdmission } from './lane-admission.ts'
import type { PaceAdmission } from './pace-admission.ts'
import { ReusableResults } from './reusable-results.ts'
import { assertCovered } from './short-of-credits.ts'
import type { Surface } from './surface.ts'
import { factsOf, repeatHashOf, type Terms } from './terms.ts'
import { UnknownJobError } from './unknown-job-error.ts'

export type AcceptancePorts = {
  store: EventStore
  views: Pick<Views, 'page'>
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
  /** How long appends of one request are retried, milliseconds. */
  giveUpAfterMs: number
}

/** A request that may become a job. */
export type Application = {
  request: JobRequest
  terms: Terms
  /** The key of the request. Null: none, as in a test. */
  keyId: string | null
  surface: Surface
  /** The most credits that jobs of that key may take in a calendar month (UTC). Null: no limit. */
  monthlyCredits: number | null
  /** Sent by the caller. Undefined: every request is a separate job. */
  idempotencyKey: string | undefined
  /** The batch or watch that it is part of. Missing: it stands alone. */
  part?: Part
  /** Metadata of the events that the request causes. Acceptance adds the correlation id. */
  metadata: Omit<EventMetadata, 'correlationId'>
}

/**
 * Marks a job as part of a batch or watch. Such jobs wait if single jobs come first. `jobId` derives from its place in
 * the batch or watch, so a repeated request changes nothing. `batch`: the hold that pays. Null: the balance pays.
 */
export type Part = { jobId: string; batch: Purpose['batch'] }

/** An application for a dry run. */
export type DryRun = Pick<Application, 'request' | 'terms' | 'keyId' | 'monthlyCredits'> & { orgId: string }

/** An accepted job. A repeat gets the values of the original request. */
export type AcceptedJob = {
  jobId: string
  /** The span of the request that created it. */
  traceparent: string
  /** Credits that were debited for it. */
  held: number
  /** The job that its result is copied from. Null: it makes its own. */
  reused: string | null
}

/** An application with the hashes of its request and of its terms. */
type Applying = Application & { requestHash: string; repeatHash: string }

/** The data of a job to be requested. `reusable`: a result with which it ends at once. */
type Debit = { jobId: string; credits: number; lane: Lane; request: JobRequest; reusable: Reusable | undefined }

/** A debit of the job is open. `byUs`: this request made it. `isRequested`: JobRequested is stored too. */
type Debited = Debit & { byUs: boolean; isRequested: boolean }

/** A job that was not found, with the ledger as it was read before the search. */
type Absent = { jobId: string; ledger: Ledger; absentAt: Beginning['absentAt'] }

/** How often acceptance is tried for one job: another process may accept or refuse it after this one has looked. */
const MAX_ROUNDS = 10

/**
 * Turns requests into jobs: CreditsDebited, then JobRequested, or both at once if the store can. Writes nothing for a
 * refused request. If a crash leaves a debit without a job, the orchestrator refuses the job and refunds it
 * (`packages/domain/job/job.ts`).
 */
export class Acceptance {
  readonly #ports: AcceptancePorts
  readonly #options: AcceptanceOptions
  readonly #keyed: KeyedJobs
  readonly #results: ReusableResults

  constructor(ports: AcceptancePorts, options: AcceptanceOptions) {
    this.#ports = ports
    this.#options = options
    this.#keyed = new KeyedJobs(ports)
    this.#results = new ReusableResults(ports)
  }

  /**
   * @returns the job, once JobRequested is stored
   * @throws ServiceError forbidden (short of credits), idempotency_conflict, unavailable
   */
  async accept(application: Application): Promise<AcceptedJob> {
    assertStoreIntact(this.#ports.store)
    const requestHash = requestHashOf(application.request)
    const repeatHash = repeatHashOf({ requestHash, ...factsOf(application.terms) })
    const applying: Applying = { ...application, requestHash, repeatHash }
    for (let round = 0; round < MAX_ROUNDS; round++) {
      // 1. Find the job of the idempotency key, or the id of a new job.
      const found = await this.#find(applying)
      if (found.type === 'accepted') return found
      // 2. Debit the credits (none for a job that reuses a result), unless an earlier request under the same
      // idempotency key has. If the store can, the same append requests the job.
      const debited = await this.#debit(applying, found)
      // 3. Request the job, unless that is done.
      if (debited !== 'taken') return this.#request(applying, debited)
    }
    throw new ServiceError('unavailable', 'The job could not be accepted. Try again.', { retryAfterSeconds: 1 })
  }

  /**
   * Whether `accept` would accept the request now. Writes nothing.
   * @returns the credits that it would debit (none if it would reuse a result), and how long it would wait for its
   *   turn, seconds
   * @throws ServiceError as `accept` does; LedgerBusyError
   */
  async rehearse(dryRun: DryRun): Promise<{ credits: number; waitSeconds: number }> {
    const { request, terms, orgId } = dryRun
    const { ledgers, ids, admission, pace } = this.#ports
    assertStoreIntact(this.#ports.store)
    const { lane } = plans[(await ledgers.current(orgId)).plan]
    const requestHash = requestHashOf(request)
    if ((await this.#reusable({ terms, requestHash }, orgId)) !== undefined) return { credits: 0, waitSeconds: 0 }
    const admitted = await this.#admit(request, lane, orgId)
    const repeatHash = repeatHashOf({ requestHash, ...factsOf(terms) })
    const command = debitCommand({ ...dryRun, request: admitted, repeatHash }, ids.uuid())
    const outcome = await ledgers.outcomeOf(orgId, command)
    assertCovered(outcome)
    const credits = outcome.type === 'debited' ? outcome.credits : command.full
    const turns = [await admission.waitSeconds(lane, orgId), await pace.waitSeconds(request.url, orgId)]
    return { credits, waitSeconds: Math.max(...turns) }
  }

  /**
   * Reads the ledger before the job. So if the job's debit is settled by then, the job is found in its stream.
   * @throws ServiceError idempotency_conflict, unavailable, not_found: the job was forgotten, and its idempotency key
   *   still belongs to it
   */
  async #find(applying: Applying): Promise<(AcceptedJob & { type: 'accepted' }) | (Absent & { type: 'absent' })> {
    const { idempotencyKey: key, part, request, repeatHash, metadata } = applying
    const { orgId } = metadata
    const { ledger, revision } = await this.#ports.ledgers.known(orgId).catch(orUnavailable())
    if (part !== undefined) {
      const [first] = await this.#ports.store.read(streams.job(part.jobId), { from: 0, to: 0 })
      if (first?.type === 'JobRequested') return { type: 'accepted', ...requestedBy(first) }
      if (first !== undefined) throw refused()
      return { type: 'absent', jobId: part.jobId, ledger, absentAt: revision }
    }
    if (key === undefined) return { type: 'absent', jobId: this.#ports.ids.uuid(), ledger, absentAt: 'always' }
    const found = await this.#keyed.find({ orgId, kind: request.kind, key })
    if (found.type === 'free') return { type: 'absent', jobId: found.jobId, ledger, absentAt: revision }
    if (repeatHashOf(found.by.data) !== repeatHash) throw conflict()
    return { type: 'accepted', ...requestedBy(found.by) }
  }

  /**
   * Debits the job. `taken`: the job exists by now, and nothing was debited.
   * @throws ServiceError forbidden, idempotency_conflict, unavailable: nothing is debited, or the debit is refunded
   */
  async #debit(applying: Applying, { jobId, ledger, absentAt }: Absent): Promise<Debited | 'taken'> {
    const { request, repeatHash, idempotencyKey, metadata } = applying
    const { orgId } = metadata
    const { ledgers, store, telemetry } = this.#ports
    const lane = applying.part === undefined ? plans[ledger.plan].lane : 'bulk'
    const open = ledger.openDebits.get(jobId)
    // An open debit above 0 credits belongs to a job that makes its own result.
    const reusable = open === undefined || open.credits === 0 ? await this.#reusable(applying, orgId) : undefined
    // The daily caps and admission control may refuse a new job, or accept less of it.
    const isNewWork = open === undefined && reusable === undefined
    const admitted = isNewWork ? await this.#admit(request, lane, orgId) : request
    await applying.terms.webhook?.prepare()
    const debit = { jobId, lane, request: admitted, reusable }
    const command = debitCommand({ ...applying, request: admitted }, jobId, reusable)
    const isAtomic = store.appendTogether !== undefined && reusable === undefined
    const events = new Map<number, NewEvent[]>()
    // A copy of a result may be large, so it is appended separately, without the debits of other requests.
    for (const credits of isAtomic ? [command.full, command.least] : [])
      if (!events.has(credits)) events.set(credits, this.#requestOf(applying, { ...debit, credits }))
    const begins = { stream: streams.job(jobId), events, absentAt }
    const outcome = await ledgers
      .execute(orgId, { command, metadata: { ...metadata, correlationId: jobId }, begins })
      .catch(orUnavailable(isAtomic ? { jobId, isShared: idempotencyKey !== undefined } : undefined))
    assertCovered(outcome)
    if (outcome.type === 'already-open') {
      if (outcome.requestHash !== repeatHash) throw conflict()
      return { ...begunBefore(debit, outcome.credits), request, byUs: false, isRequested: false }
    }
    if (outcome.type !== 'debited') return 'taken'
    const { credits } = outcome
    const attributes = { [names.creditsOperation]: 'debited', [names.kind]: request.kind }
    telemetry.add(metrics.creditsMoved, credits, attributes)
    return { ...debit, credits, byUs: true, isRequested: isAtomic }
  }

  /** A result that the job may end with, if its terms allow that. */
  async #reusable(
    { terms, requestHash }: Pick<Applying, 'terms' | 'requestHash'>,
    orgId: string,
  ): Promise<Reusable | undefined> {
    return terms.reuse ? this.#results.find(orgId, requestHash) : undefined
  }

  /** The request in the form that may be accepted now. @throws ServiceError unavailable */
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
      if (error instanceof RevisionConflictError)
        return requestedBefore(await this.#ports.store.read(stream, { from: 0, to: 0 }), applying.repeatHash)
      // The job of another request under the same key was forgotten meanwhile. The orchestrator refunds the debit.
      if (error instanceof StreamRemovedError) throw noSuchJob()
      throw new UnknownJobError(jobId, isShared, error)
    }
    // The same append by two requests is one event. If another request may have made it, reading the event shows which
    // one did. Two processes may even debit at the same instant. That matters only for counting jobs and following
    // their traces.
    const mayBeAnothers = !debited.byUs || (isShared && this.#ports.telemetry.isExported)
    const { metadata } = applying
    const { causationId, traceparent } = mayBeAnothers ? await this.#firstMetadata(stream, metadata) : metadata
    if (causationId === metadata.causationId) this.#count(applying.request)
    return { jobId, traceparent, held: debited.credits, reused: debited.reusable?.jobId ?? null }
  }

  /** The metadata of the stream's first event, which exists. `own` if it cannot be read: the job is accepted anyway. */
  async #firstMetadata<Own extends object>(stream: string, own: Own): Promise<EventMetadata | Own> {
    const [first] = await this.#ports.store.read(stream, { from: 0, to: 0 }).catch(() => [])
    return first?.metadata ?? own
  }

  #count({ kind, mode, url }: JobRequest): void {
    const { telemetry } = this.#ports
    // Avoids the look at the platform if no telemetry is exported.
    if (!telemetry.isExported) return
    const modeOf = mode === null ? {} : { [names.mode]: mode }
    telemetry.add(metrics.jobsAccepted, 1, { [names.kind]: kind, ...modeOf, [names.platform]: platformOf(url) })
  }

  async #append(stream: string, events: readonly NewEvent[]): Promise<void> {
    const { clock, ledgers } = this.#ports
    const giveUp = { giveUpAt: clock.now() + this.#options.giveUpAfterMs, patience: ledgers.patience }
    await appendUntilAnswered(this.#ports, stream, 'no-stream', events, giveUp)
  }

  /** The event that requests the job. */
  #requestOf(applying: Applying, debit: Debit): NewEvent[] {
    const { terms, keyId, surface, requestHash, idempotencyKey, part, metadata } = applying
    const { jobId, credits: budget, lane, request, reusable } = debit
    const data = {
      orgId: metadata.orgId,
      ...request,
      ...factsOf(terms),
      reused: reusable?.jobId ?? null,
      batchId: part?.batch?.batchId ?? null,
      keyId,
      surface,
      budget,
      prices: pricesOf(request.kind),
      lane,
      requestHash,
      idempotencyKeyHash: idempotencyKey === undefined ? null : sha256(idempotencyKey),
      windowSeconds: this.#options.windowSeconds,
    }
    const results = reusable && { results: reusable.results }
    const decided = job.decide({ type: 'request', request: data, ...results }, job.initialState)
    return toAppend(streams.job(jobId), decided, { ...metadata, correlationId: jobId })
  }
}

/**
 * Another writer was the first to append to the job's stream. Either it was a request under the same idempotency key,
 * and its job answers this request too, or the orchestrator has refused the job.
 */
function requestedBefore([first]: StoredEvent[], repeatHash: string): AcceptedJob {
  if (first?.type === 'JobRequested' && repeatHashOf(first.data) === repeatHash) return requestedBy(first)
  if (first?.type === 'JobRequested') throw conflict()
  throw refused()
}

const refused = (): ServiceError =>
  new ServiceError('unavailable', 'The job was not accepted; nothing was charged.', { retryAfterSeconds: 1 })

type Debiting = Pick<Applying, 'request' | 'keyId' | 'monthlyCredits' | 'part' | 'repeatHash'>

/** A job that reuses a result costs nothing, but still has a debit, because ledgers record which jobs exist. */
function debitCommand(debiting: Debiting, jobId: string, reusable?: Reusable) {
  const { request, keyId, monthlyCredits, part, repeatHash } = debiting
  const { kind, mode, url } = request
  const purpose = { operation: kind, mode, platform: platformOf(url), keyId, batch: part?.batch ?? null }
  const amount = reusable === undefined ? debitOf(request) : { full: 0, least: 0 }
  return { type: 'debit', jobId, ...amount, requestHash: repeatHash, purpose, monthlyCredits } as const
}

/**
 * The debit that an earlier request under the same key has made.
 * @throws ServiceError unavailable: that request was to reuse a result, which is gone; the debit is refunded soon
 */
function begunBefore(debit: Omit<Debit, 'credits'>, credits: number): Debit {
  if (credits > 0) return { ...debit, credits, reusable: undefined }
  if (debit.reusable !== undefined) return { ...debit, credits }
  throw new ServiceError('unavailable', 'The result to reuse is gone. Try again in a moment.', {
    retryAfterSeconds: NOT_ACCEPTED_AFTER_MS / 1000,
  })
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

const requestedBy = ({ stream, data, metadata }: StoredEvent & { type: 'JobRequested' }): AcceptedJob => ({
  jobId: stream.slice('job-'.length),
  traceparent: metadata.traceparent,
  held: data.budget,
  reused: data.reused,
})

const conflict = (): ServiceError =>
  new ServiceError('idempotency_conflict', 'This Idempotency-Key was used for another request.')

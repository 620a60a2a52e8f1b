import type { EventMetadata } from '#contracts/generated/messages.ts'
import type { Ledger } from '#packages/domain/credits/ledger.ts'
import { plans } from '#packages/domain/credits/plans.ts'
import type { Lane } from '#packages/domain/job/events.ts'
import { type JobCommand, job } from '#packages/domain/job/job.ts'
import { debitOf } from '#packages/domain/job/price.ts'
import { assertBelieved } from '#packages/errors/assert-believed.ts'
import { ServiceError } from '#packages/errors/service-error.ts'
import { handleAtRevision } from '#packages/event-sourcing/handle-at-revision.ts'
import { toAppend } from '#packages/event-sourcing/handle-command.ts'
import {
  type Executed,
  LedgerBusyError,
  type LedgerEntry,
  type Ledgers,
  type NoEntry,
} from '#packages/ledger/ledgers.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { type EventStore, RevisionConflictError, type StoredEvent } from '#packages/ports/event-store.ts'
import { type Ids, sha256, streams, uuidFrom } from '#packages/ports/ids.ts'
import type { DailyCaps } from './daily-caps.ts'
import { type JobRequest, requestHashOf } from './job-request.ts'
import type { LaneAdmission } from './lane-admission.ts'

type Ports = { store: EventStore; ledgers: Ledgers; clock: Clock; ids: Ids; admission: LaneAdmission; caps: DailyCaps }

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
  /** Sent by the caller; undefined: every request is a job of its own. */
  idempotencyKey: string | undefined
  /** Of the events to come; the correlation id is added. */
  metadata: Omit<EventMetadata, 'correlationId'>
}

/** What acceptance works on: the application, the hash of its request, and the id that a new job would have. */
type Applying = Application & { requestHash: string; freshId: string }

/** The job was requested before, under the same idempotency key. */
type Accepted = NoEntry & { type: 'accepted'; jobId: string }

/** The credits for the job were taken; the job is not requested yet. */
type Debited = NoEntry & { type: 'debited'; jobId: string; credits: number; lane: Lane }

/** Nothing has happened yet: the credits are to be taken. */
type ToDebit = LedgerEntry & { type: 'to-debit'; jobId: string; lane: Lane }

const KEY_VALID_MS = 24 * 60 * 60 * 1000

/** Times that a debit is looked for again, which was open when it was to be made and is not open afterwards. */
const MAX_ROUNDS = 10

/**
 * Turns requests into jobs: CreditsDebited, then JobRequested. Nothing is written for a request that is refused. Where a
 * crash leaves a debit without a job, the orchestrator refuses the job and refunds it (`packages/domain/job/job.ts`).
 */
export class Acceptance {
  readonly #ports: Ports
  readonly #options: AcceptanceOptions

  constructor(ports: Ports, options: AcceptanceOptions) {
    this.#ports = ports
    this.#options = options
  }

  /**
   * @returns the job's id, once the job can no longer be lost
   * @throws ServiceError forbidden (short of credits), idempotency_conflict, unavailable
   */
  async accept(application: Application): Promise<string> {
    assertBelieved(this.#ports.store)
    const requestHash = requestHashOf(application.request)
    const applying = { ...application, requestHash, freshId: this.#ports.ids.uuid() }
    // 1. Take the credits, unless an earlier request under the same idempotency key has.
    const debited = await this.#debit(applying)
    // 2. Request the job, unless that earlier request has.
    if (debited.type === 'debited') await this.#request(applying, debited)
    return debited.jobId
  }

  async #debit(applying: Applying): Promise<Accepted | Debited> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const { outcome, prepared } = await this.#execute(applying)
      if (prepared.type !== 'to-debit') return prepared
      const { jobId, lane } = prepared
      if (outcome.type === 'debited') return { type: 'debited', jobId, credits: outcome.credits, lane }
    }
    throw new ServiceError('unavailable', 'The job could not be taken on; try again.', { retryAfterSeconds: 1 })
  }

  /** @throws ServiceError forbidden, idempotency_conflict, unavailable: nothing was taken, or it is given back */
  async #execute(applying: Applying): Promise<Executed<Accepted | Debited | ToDebit>> {
    const { orgId } = applying.metadata
    try {
      const executed = await this.#ports.ledgers.execute(orgId, (ledger) => this.#prepare(applying, ledger))
      const { outcome } = executed
      if (outcome.type === 'insufficient') throw insufficient(outcome)
      if (outcome.type === 'too-many-open-debits') {
        throw new ServiceError('unavailable', 'Too many jobs are open; nothing was charged.', { retryAfterSeconds: 5 })
      }
      return executed
    } catch (error) {
      if (!(error instanceof LedgerBusyError)) throw error
      const message = 'The credits could not be taken in time; whatever was taken is given back.'
      throw new ServiceError('unavailable', message, { retryAfterSeconds: 1, cause: error })
    }
  }

  /**
   * What is to be done to the ledger. The job's stream is read after the ledger, always: so a job that ended before the
   * ledger was read is seen.
   */
  async #prepare(applying: Applying, ledger: Ledger): Promise<Accepted | Debited | ToDebit> {
    const { request, requestHash, metadata } = applying
    // 1. The job that the idempotency key stands for, or a new one.
    const { jobId, isAccepted } = await this.#identify(applying)
    if (isAccepted) return { type: 'accepted', jobId }
    // 2. Its debit, where there is one without a job.
    const { lane } = plans[ledger.plan]
    const open = ledger.openDebits.get(jobId)
    if (open !== undefined) {
      if (open.requestHash !== requestHash) throw conflict()
      return { type: 'debited', jobId, credits: open.credits, lane }
    }
    // 3. What may refuse a new job.
    await this.#ports.caps.assertLeft(request)
    await this.#ports.admission.assertRoom(lane, metadata.orgId)
    // 4. The debit to be made. The ledger refuses it where credits are short.
    const { kind } = request
    const command = { type: 'debit', jobId, kind, ...debitOf(request), requestHash } as const
    return { type: 'to-debit', jobId, lane, command, metadata: { ...metadata, correlationId: jobId } }
  }

  /** The id that an idempotency key now stands for, and whether there is such a job. Without a key, a fresh id. */
  async #identify(applying: Applying): Promise<{ jobId: string; isAccepted: boolean }> {
    const { idempotencyKey: key, freshId, request, requestHash, metadata } = applying
    if (key === undefined) return { jobId: freshId, isAccepted: false }
    for (let n = 0; n < this.#options.maxKeyUses; n++) {
      const jobId = uuidFrom(metadata.orgId, request.kind, key, n)
      const [first] = await this.#ports.store.read(streams.job(jobId))
      if (first === undefined) return { jobId, isAccepted: false }
      if (first.type !== 'JobRequested' || this.#ports.clock.now() - first.recordedAt > KEY_VALID_MS) continue
      if (first.data.requestHash !== requestHash) throw conflict()
      return { jobId, isAccepted: true }
    }
    throw new ServiceError('unavailable', 'This Idempotency-Key was used too often; use another.')
  }

  /** @throws ServiceError idempotency_conflict, unavailable */
  async #request(applying: Applying, debited: Debited): Promise<void> {
    const { jobId } = debited
    const stream = streams.job(jobId)
    const metadata = { ...applying.metadata, correlationId: jobId }
    const giveUpAt = this.#ports.clock.now() + this.#options.giveUpAfterMs
    try {
      await handleAtRevision(this.#ports, job, {
        stream,
        command: this.#requestCommand(applying, debited),
        state: job.initialState,
        revision: 'no-stream',
        toAppend: (events) => toAppend(stream, events, metadata),
        giveUpAt,
      })
    } catch (error) {
      if (error instanceof RevisionConflictError)
        return assertRequested(await this.#ports.store.read(stream), applying.requestHash)
      const message = 'It is not known whether the job was taken on: its id can be polled.'
      throw new ServiceError('unavailable', message, { details: { jobId }, retryAfterSeconds: 1, cause: error })
    }
  }

  #requestCommand({ request, requestHash, idempotencyKey, metadata }: Applying, debited: Debited): JobCommand {
    const data = {
      orgId: metadata.orgId,
      ...request,
      budget: debited.credits,
      lane: debited.lane,
      requestHash,
      idempotencyKeyHash: idempotencyKey === undefined ? null : sha256(idempotencyKey),
      windowSeconds: this.#options.windowSeconds,
    }
    return { type: 'request', request: data }
  }
}

/**
 * Somebody else was first to append to the job's stream: another request under the same idempotency key, which is as
 * good, or the orchestrator, which has refused the job.
 */
function assertRequested([first]: StoredEvent[], requestHash: string): void {
  if (first?.type === 'JobRequested' && first.data.requestHash === requestHash) return
  if (first?.type === 'JobRequested') throw conflict()
  throw new ServiceError('unavailable', 'The job was not taken on; nothing was charged.', { retryAfterSeconds: 1 })
}

const conflict = (): ServiceError =>
  new ServiceError('idempotency_conflict', 'This Idempotency-Key was used for another request.')

const insufficient = ({ required, remaining }: { required: number; remaining: number }): ServiceError =>
  new ServiceError('forbidden', `This takes ${required} credits, and ${remaining} are left.`, {
    details: { reason: 'insufficient_credits', required, remaining },
  })

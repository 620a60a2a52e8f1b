import type { EventMetadata } from '#contracts/generated/messages.ts'
import { debitOf } from '#packages/domain/credits/costs.ts'
import type { LedgerOutcome } from '#packages/domain/credits/decide.ts'
import type { Ledger } from '#packages/domain/credits/ledger.ts'
import { type Lane, plans } from '#packages/domain/credits/plans.ts'
import { assertBelieved } from '#packages/errors/assert-believed.ts'
import { ServiceError } from '#packages/errors/service-error.ts'
import { LedgerBusyError, type LedgerEntry, type Ledgers } from '#packages/ledger/ledgers.ts'
import { appendUntilAnswered } from '#packages/ports/append-until-answered.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { type EventStore, RevisionConflictError, type StoredEvent } from '#packages/ports/event-store.ts'
import { eventId, type Ids, sha256, streams, uuidFrom } from '#packages/ports/ids.ts'
import type { DailyCaps } from './daily-caps.ts'
import { type JobRequest, requestHashOf } from './job-request.ts'
import type { LaneRoom } from './lane-room.ts'

type Ports = { store: EventStore; ledgers: Ledgers; clock: Clock; ids: Ids; room: LaneRoom; caps: DailyCaps }
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

/** What the ledger and the job's stream say before a debit. */
type Standing =
  | { type: 'accepted'; jobId: string }
  | { type: 'debited'; jobId: string; credits: number; lane: Lane }
  | { type: 'new'; jobId: string; lane: Lane }

const KEY_VALID_MS = 24 * 60 * 60 * 1000

/** Times that a debit that is open, and then is not, is looked at again. */
const MAX_ROUNDS = 10

/**
 * Turns requests into jobs: CreditsDebited, then JobRequested. Nothing is written for a
 * request that is refused; what a crash leaves between the two is refunded by the orchestrator.
 */
export class JobDesk {
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
    const standing = await this.#debit(application, requestHash)
    if (standing.type === 'accepted') return standing.jobId
    await this.#request(application, requestHash, standing)
    return standing.jobId
  }

  /** Takes the credits, unless the job or its debit is there already. */
  async #debit(application: Application, requestHash: string): Promise<Exclude<Standing, { type: 'new' }>> {
    const { request, metadata } = application
    const freshId = this.#ports.ids.uuid()
    for (let round = 0; round < MAX_ROUNDS; round++) {
      let standing: Standing | undefined
      const prepare = async (ledger: Ledger): Promise<LedgerEntry | undefined> => {
        standing = await this.#standing(application, requestHash, freshId, ledger)
        if (standing.type !== 'new') return undefined
        await this.#ports.caps.assertLeft(request)
        await this.#ports.room.assertRoom(standing.lane, metadata.orgId)
        const { jobId } = standing
        const command = { type: 'debit', jobId, operation: request.kind, ...debitOf(request), requestHash } as const
        return { command, metadata: { ...metadata, correlationId: jobId } }
      }
      const outcome = await this.#execute(metadata.orgId, prepare)
      // Asserted, because the assignment above is made in another function.
      const found = standing as Standing | undefined
      if (outcome.type === 'debited' && found?.type === 'new') {
        return { ...found, type: 'debited', credits: outcome.credits }
      }
      if (found !== undefined && found.type !== 'new') return found
    }
    throw new ServiceError('unavailable', 'The job could not be taken on; try again.', { retryAfterSeconds: 1 })
  }

  async #execute(orgId: string, prepare: (ledger: Ledger) => Promise<LedgerEntry | undefined>): Promise<LedgerOutcome> {
    try {
      const outcome = await this.#ports.ledgers.execute(orgId, prepare)
      if (outcome.type === 'insufficient') throw insufficient(outcome)
      if (outcome.type === 'too-many-open-debits') {
        throw new ServiceError('unavailable', 'Too many jobs are open; nothing was charged.', { retryAfterSeconds: 5 })
      }
      return outcome
    } catch (error) {
      if (!(error instanceof LedgerBusyError)) throw error
      const message = 'The credits could not be taken in time; whatever was taken is given back.'
      throw new ServiceError('unavailable', message, { retryAfterSeconds: 1, cause: error })
    }
  }

  /** Read after the ledger it is given, always: a job that ended before it is then seen. */
  async #standing(application: Application, hash: string, freshId: string, ledger: Ledger): Promise<Standing> {
    const { lane } = plans[ledger.plan]
    const { idempotencyKey } = application
    const jobId = idempotencyKey === undefined ? freshId : await this.#jobOfKey(application, idempotencyKey, hash)
    if (typeof jobId !== 'string') return jobId
    const open = ledger.openDebits.get(jobId)
    if (open === undefined) return { type: 'new', jobId, lane }
    if (open.requestHash !== hash) throw conflict()
    return { type: 'debited', jobId, credits: open.credits, lane }
  }

  /** The id that an idempotency key now stands for, or the job that was taken on under it. */
  async #jobOfKey({ request, metadata }: Application, key: string, hash: string): Promise<string | Standing> {
    for (let n = 0; n < this.#options.maxKeyUses; n++) {
      const jobId = uuidFrom(metadata.orgId, request.kind, key, n)
      const [first] = await this.#ports.store.read(streams.job(jobId))
      if (first === undefined) return jobId
      if (first.type !== 'JobRequested' || this.#ports.clock.now() - first.recordedAt > KEY_VALID_MS) continue
      if (first.data.requestHash !== hash) throw conflict()
      return { type: 'accepted', jobId }
    }
    throw new ServiceError('unavailable', 'This Idempotency-Key was used too often; use another.')
  }

  /** Makes the job, as the first event of its stream. */
  async #request(
    application: Application,
    requestHash: string,
    debited: { jobId: string; credits: number; lane: Lane },
  ) {
    const { clock } = this.#ports
    const { jobId } = debited
    const stream = streams.job(jobId)
    const event = this.#jobRequested(application, requestHash, debited)
    try {
      const giveUpAt = clock.now() + this.#options.giveUpAfterMs
      await appendUntilAnswered(this.#ports, stream, 'no-stream', [event], giveUpAt)
    } catch (error) {
      if (error instanceof RevisionConflictError)
        return this.#compare(await this.#ports.store.read(stream), requestHash)
      const message = 'It is not known whether the job was taken on: its id can be polled.'
      throw new ServiceError('unavailable', message, { details: { jobId }, retryAfterSeconds: 1, cause: error })
    }
  }

  #jobRequested(
    application: Application,
    requestHash: string,
    debited: { jobId: string; credits: number; lane: Lane },
  ) {
    const { request, idempotencyKey, metadata } = application
    const data = {
      orgId: metadata.orgId,
      ...request,
      budget: debited.credits,
      lane: debited.lane,
      requestHash,
      idempotencyKeyHash: idempotencyKey === undefined ? null : sha256(idempotencyKey),
      windowSeconds: this.#options.windowSeconds,
    }
    const id = eventId(streams.job(debited.jobId), 'JobRequested', data)
    return { type: 'JobRequested', data, id, metadata: { ...metadata, correlationId: debited.jobId } } as const
  }

  /** Somebody else was first: another request under the same idempotency key, or the orchestrator's refund. */
  #compare([first]: StoredEvent[], requestHash: string): void {
    if (first?.type === 'JobRequested' && first.data.requestHash === requestHash) return
    if (first?.type === 'JobRequested') throw conflict()
    throw new ServiceError('unavailable', 'The job was not taken on; nothing was charged.', { retryAfterSeconds: 1 })
  }
}

const conflict = (): ServiceError =>
  new ServiceError('idempotency_conflict', 'This Idempotency-Key was used for another request.')

const insufficient = ({ required, remaining }: { required: number; remaining: number }): ServiceError =>
  new ServiceError('forbidden', `This takes ${required} credits, and ${remaining} are left.`, {
    details: { reason: 'insufficient_credits', required, remaining },
  })

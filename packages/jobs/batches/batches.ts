import type { EventMetadata } from '#contracts/generated/messages.ts'
import { batch } from '#packages/domain/batch/batch.ts'
import {
  type Batch,
  type BatchEvent,
  countsOf,
  type ItemState,
  isKnown,
  type KnownBatch,
} from '#packages/domain/batch/state.ts'
import { plans } from '#packages/domain/credits/plans.ts'
import { FoldedStreams } from '#packages/events/store/folded-streams.ts'
import { SHOWN_WITHIN_MS } from '#packages/events/store/handle-and-show.ts'
import { handleCommand } from '#packages/events/store/handle-command.ts'
import type { BatchDocument } from '#packages/events/views/batches.ts'
import { invalidRequest, ServiceError } from '#packages/foundation/errors/service-error.ts'
import { isJobId as isId } from '#packages/jobs/status/job-id.ts'
import { cursorOf, placeOf } from '#packages/jobs/status/page-cursor.ts'
import { streams } from '#packages/ports/ids.ts'
import type { Views } from '#packages/ports/views.ts'
import { type AcceptBatchPorts, BatchAcceptance, type BatchApplication } from './accept-batch.ts'
import { type ListedBatch, listedBatch, type OwnBatch, type OwnItem, ownBatch, ownItem } from './own-batch.ts'

export type BatchesPorts = AcceptBatchPorts & { views: Views }

/** Which items of a batch to list. `state`: undefined for all. `limit`: items per page. */
export type ItemsQuestion = { state?: ItemState | undefined; cursor?: string | undefined; limit: number }

/** How long an append is retried, milliseconds. */
const GIVE_UP_AFTER_MS = 5000

/** The pace of a batch shows its probable end only after this time, milliseconds. */
const PACE_KNOWN_AFTER_MS = 60_000

/** Items of batches that one process keeps in memory. */
const CACHED_ITEMS = 50_000

export const noSuchBatch = (): ServiceError => new ServiceError('not_found', 'There is no such batch.')

/**
 * The batches of organizations, for every surface. Each method throws ServiceError: not_found if the organization has
 * no such batch, unavailable if the store does not answer.
 */
export class Batches {
  readonly #ports: BatchesPorts
  readonly #acceptance: BatchAcceptance
  readonly #known: FoldedStreams<Batch, BatchEvent>

  constructor(ports: BatchesPorts) {
    this.#ports = ports
    this.#acceptance = new BatchAcceptance(ports)
    this.#known = new FoldedStreams(ports.store, batch, {
      maxSize: CACHED_ITEMS,
      sizeOf: (state) => (isKnown(state) ? state.items.length : 0),
    })
  }

  /**
   * Accepts a batch: holds its credits, and stores all its items.
   * @throws ServiceError forbidden (short of credits), invalid_request, idempotency_conflict, unavailable
   */
  async create(application: BatchApplication): Promise<{ batchId: string }> {
    const { batchId, position } = await this.#acceptance.accept(application)
    await this.#ports.views.waitForApplied(position, SHOWN_WITHIN_MS)
    return { batchId }
  }

  /** Newest first. @throws ServiceError invalid_request for a cursor that was never given */
  async list(
    orgId: string,
    { cursor, limit }: { cursor?: string | undefined; limit: number },
  ): Promise<{ batches: ListedBatch[]; nextCursor: string | null }> {
    const after = cursor === undefined ? {} : { after: placeOf(cursor) }
    const question = { where: { orgId: [orgId] }, by: 'requestedAt', ...after, limit: limit + 1 }
    const found = await this.#ports.views.page<BatchDocument>('batches', question)
    const page = found.slice(0, limit)
    const last = found.length > limit ? page.at(-1) : undefined
    const nextCursor = last === undefined ? null : cursorOf({ by: last.requestedAt, id: last.id })
    return { batches: page.map(listedBatch), nextCursor }
  }

  /** From its own events. */
  async get(orgId: string, batchId: string): Promise<OwnBatch> {
    const known = await this.read(orgId, batchId)
    return ownBatch(batchId, known, await this.#expectedEndOf(known))
  }

  /** One page of its items, in order. @throws ServiceError invalid_request for a cursor that was never given */
  async items(
    orgId: string,
    batchId: string,
    { state, cursor, limit }: ItemsQuestion,
  ): Promise<{ items: OwnItem[]; nextCursor: string | null }> {
    const { items } = await this.read(orgId, batchId)
    const page: OwnItem[] = []
    for (let item = cursor === undefined ? 0 : numberIn(cursor); item < items.length; item++) {
      const each = items[item]
      if (each === undefined || (state !== undefined && each.state !== state)) continue
      if (page.length === limit) return { items: page, nextCursor: String(item) }
      page.push(ownItem(batchId, each, item))
    }
    return { items: page, nextCursor: null }
  }

  /** The batch as its stream has it now, to make something from its items. */
  async read(orgId: string, batchId: string): Promise<KnownBatch> {
    if (!isId(batchId)) throw noSuchBatch()
    const known = await this.#known.read(streams.batch(batchId))
    if (!isKnown(known) || known.orgId !== orgId) throw noSuchBatch()
    return known
  }

  /** Cancels the batch. Items that have not begun never will. Their credits are refunded once the rest has ended. */
  async cancel(batchId: string, { by, metadata }: { by: string | null; metadata: EventMetadata }): Promise<OwnBatch> {
    const { orgId } = metadata
    await this.read(orgId, batchId)
    const giveUpAt = this.#ports.clock.now() + GIVE_UP_AFTER_MS
    const command = { type: 'cancel', reason: 'asked', by } as const
    const handling = { stream: streams.batch(batchId), command, metadata, giveUpAt }
    await handleCommand(this.#ports, batch, handling).catch((cause: unknown) => {
      const message = 'The batch may not be cancelled yet. Try again.'
      throw new ServiceError('unavailable', message, { retryAfterSeconds: 1, cause })
    })
    return this.get(orgId, batchId)
  }

  /** The probable end, based on the pace so far, or on that of the plan if the batch has just begun. */
  async #expectedEndOf(known: KnownBatch): Promise<number | null> {
    if (known.status === 'ended') return null
    const { clock, ledgers } = this.#ports
    const now = clock.now()
    const { queued, working, completed, failed } = countsOf(known)
    const ran = now - known.requestedAt
    const ended = completed + failed
    const left = queued + working
    if (ended > 0 && ran >= PACE_KNOWN_AFTER_MS) return now + (left * ran) / ended
    const { heavyRequestsPerMinute } = plans[(await ledgers.known(known.orgId)).ledger.plan]
    return now + (left / heavyRequestsPerMinute) * 60_000
  }
}

function numberIn(cursor: string): number {
  if (!/^\d{1,5}$/.test(cursor))
    throw invalidRequest({ path: 'cursor', message: 'is not a cursor that this list returned' })
  return Number(cursor)
}

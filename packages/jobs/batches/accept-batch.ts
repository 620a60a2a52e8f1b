import type { EventMetadata } from '#contracts/generated/messages.ts'
import type { Beginning, LedgerOutcome } from '#packages/accounts/ledger/ledger-entry.ts'
import type { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { type BatchCommand, batch } from '#packages/domain/batch/batch.ts'
import { type AddedItem, isKnown, type KnownBatch } from '#packages/domain/batch/state.ts'
import { debitOf } from '#packages/domain/job/price.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import { handleCommand } from '#packages/events/store/handle-command.ts'
import { toAppend } from '#packages/events/store/to-append.ts'
import { assertStoreIntact } from '#packages/foundation/errors/assert-store-intact.ts'
import { LedgerBusyError } from '#packages/foundation/errors/ledger-busy-error.ts'
import { invalidRequest, ServiceError } from '#packages/foundation/errors/service-error.ts'
import { canonicalJson, type JobRequest } from '#packages/jobs/acceptance/job-request.ts'
import { assertCovered } from '#packages/jobs/acceptance/short-of-credits.ts'
import type { Surface } from '#packages/jobs/acceptance/surface.ts'
import type { NamedWebhook } from '#packages/jobs/webhooks/named-webhook.ts'
import type { Source } from '#packages/platforms/sources/source.ts'
import { platformOf } from '#packages/platforms/urls/platform-of.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { type EventStore, RevisionConflictError } from '#packages/ports/event-store.ts'
import { type Ids, sha256, streams, uuidFrom } from '#packages/ports/ids.ts'

export type AcceptBatchPorts = { store: EventStore; ledgers: Ledgers; clock: Clock; ids: Ids }

/** A request for a batch. */
export type BatchApplication = {
  /** The request for each of its videos. */
  request: Omit<JobRequest, 'url'>
  /** Its videos, each with its URL in canonical spelling and its line, from 1 on. Empty if a source is read. */
  videos: readonly { url: string; line: number }[]
  /** The source of its videos, the most to take, and the oldest date. Null: the request names the videos. */
  source: { from: Source; limit: number; since: number | null } | null
  /** The most credits that it may cost. Null: as much as its items may. */
  maxCredits: number | null
  /** Invalid lines that were left out. */
  skippedLines: number
  /** The key of the request. Null: none, as on the dashboard. */
  keyId: string | null
  surface: Exclude<Surface, 'batch' | 'watch'>
  /** The most credits that jobs of that key may take in a calendar month (UTC). Null: no limit. */
  monthlyCredits: number | null
  /** Sent by the caller. Undefined: every request is a separate batch. */
  idempotencyKey: string | undefined
  /** A webhook that is notified of its end, in addition to those for every batch. */
  webhook: NamedWebhook | undefined
  /** Whether webhooks are also notified of the end of each of its jobs. */
  tellsItems: boolean
  metadata: Omit<EventMetadata, 'correlationId'>
}

/** Bytes of items in one event, as JSON. */
const MOST_BYTES = 300_000

const GIVE_UP_AFTER_MS = 10_000
const KEY_VALID_MS = 24 * 60 * 60 * 1000

/** How often an idempotency key may be reused after its 24 hours. */
const MAX_KEY_USES = 100

/** How often acceptance is tried for one batch: another process may accept it after this one has looked. */
const MAX_ROUNDS = 10

type Accepted = { batchId: string; position: number }

/** `limit`: the most items; `price`: the credits of the dearest item; `held`: those of the whole batch. */
type Cost = { items: AddedItem[]; limit: number; price: number; held: number }

/** An application and what derives from it. */
type Applying = BatchApplication & Omit<Cost, 'items'> & { chunks: AddedItem[][]; hash: string }

/** The batch of an application. `absentAt`: set if the batch does not exist. */
type Found = { batchId: string; absentAt: Beginning['absentAt']; known: KnownBatch | undefined }

/**
 * Turns requests into batches: CreditsHeld, then BatchRequested with the first items, both at once if the store can.
 * Then it adds the other items. Writes nothing for a refused request. After a crash in between, a repeat under the
 * same idempotency key continues. Without one, the owner of the batches releases the credits.
 */
export class BatchAcceptance {
  readonly #ports: AcceptBatchPorts

  constructor(ports: AcceptBatchPorts) {
    this.#ports = ports
  }

  /** @throws ServiceError forbidden (short of credits), invalid_request, idempotency_conflict, unavailable */
  async accept(application: BatchApplication): Promise<Accepted> {
    assertStoreIntact(this.#ports.store)
    const applying = applyingOf(application)
    for (let round = 0; round < MAX_ROUNDS; round++) {
      // 1. Find the batch of the idempotency key, or the id of a new batch.
      const found = await this.#find(applying)
      // 2. Hold the credits, and request the batch.
      const isThere = found.known !== undefined || (await this.#hold(applying, found))
      // 3. Store its items.
      if (isThere) return this.#add(applying, found.batchId)
    }
    throw notAccepted()
  }

  async #find({ idempotencyKey, metadata, hash }: Applying): Promise<Found> {
    const { ids, ledgers, store, clock } = this.#ports
    const { orgId } = metadata
    if (idempotencyKey === undefined) return { batchId: ids.uuid(), absentAt: 'always', known: undefined }
    const { revision } = await ledgers.known(orgId).catch(unavailable)
    for (let n = 0; n < MAX_KEY_USES; n++) {
      const batchId = uuidFrom('batch', orgId, idempotencyKey, n)
      const known = fold(batch, await store.read(streams.batch(batchId)))
      const isFree = known.status === 'none' && !(await store.isRemoved(streams.batch(batchId)))
      if (isFree) return { batchId, absentAt: revision, known: undefined }
      if (!isKnown(known) || clock.now() - known.requestedAt > KEY_VALID_MS) continue
      if (known.requestHash !== hash) throw conflict()
      return { batchId, absentAt: revision, known }
    }
    throw new ServiceError('unavailable', 'This Idempotency-Key was used too often; use another.')
  }

  /** @returns false: another request has created the batch meanwhile */
  async #hold(applying: Applying, { batchId, absentAt }: Found): Promise<boolean> {
    const { ledgers, store } = this.#ports
    const { held: credits, hash: requestHash, keyId, monthlyCredits } = applying
    await applying.webhook?.prepare()
    const metadata = { ...applying.metadata, correlationId: batchId }
    const command = { type: 'hold', batchId, credits, keyId, requestHash, monthlyCredits } as const
    const stream = streams.batch(batchId)
    const requested = batch.decide(requestOf(applying), batch.initialState)
    const begins = { stream, events: new Map([[credits, toAppend(stream, requested, metadata)]]), absentAt }
    const outcome = await ledgers.execute(metadata.orgId, { command, metadata, begins }).catch(unavailable)
    assertCovered(outcome)
    if (outcome.type === 'already-open' && outcome.requestHash !== requestHash) throw conflict()
    if (!isHeld(outcome)) return false
    return (
      (outcome.type === 'debited' && store.appendTogether !== undefined) ||
      this.#handle(batchId, requestOf(applying), metadata)
    )
  }

  /** @throws ServiceError unavailable: its owner has released the credits meanwhile */
  async #add(applying: Applying, batchId: string): Promise<Accepted> {
    const metadata = { ...applying.metadata, correlationId: batchId }
    let from = applying.chunks[0]?.length ?? 0
    for (const [index, items] of applying.chunks.entries()) {
      if (index === 0) continue
      const isLast = index === applying.chunks.length - 1
      await this.#handle(batchId, { type: 'add', from, items, isLast, next: null }, metadata)
      from += items.length
    }
    const events = await this.#ports.store.read(streams.batch(batchId))
    const known = fold(batch, events)
    if (!isKnown(known) || known.reason === 'not_accepted') throw notAccepted()
    return { batchId, position: events.at(-1)?.position ?? 0 }
  }

  async #handle(batchId: string, command: BatchCommand, metadata: EventMetadata): Promise<true> {
    const giveUpAt = this.#ports.clock.now() + GIVE_UP_AFTER_MS
    const handling = { stream: streams.batch(batchId), command, metadata, giveUpAt }
    await handleCommand(this.#ports, batch, handling).catch(unavailable)
    return true
  }
}

const isHeld = ({ type }: LedgerOutcome): boolean => type === 'debited' || type === 'already-open'

/** The most that a batch may cost. @throws ServiceError invalid_request */
export function costOf(asked: Pick<BatchApplication, 'request' | 'videos' | 'source' | 'maxCredits'>): Cost {
  const { request, videos, source, maxCredits } = asked
  const items = distinct(videos)
  if (items.length === 0 && source === null) throw invalidRequest({ path: 'requests', message: 'has no video' })
  const limit = source?.limit ?? items.length
  const price = debitOf(request).full
  const held = Math.min(limit * price, maxCredits ?? Number.POSITIVE_INFINITY)
  if (held < price)
    throw invalidRequest({ path: 'maxCredits', message: `must be at least ${price}: one item may cost that much` })
  return { items, limit, price, held }
}

/** @throws ServiceError invalid_request */
function applyingOf(application: BatchApplication): Applying {
  const { request, source, webhook, tellsItems } = application
  const { items, limit, price, held } = costOf(application)
  const asked = { request, urls: items.map(({ url }) => url), source, held, webhookId: webhook?.id ?? null, tellsItems }
  return { ...application, chunks: chunksOf(items), limit, held, price, hash: sha256(canonicalJson(asked)) }
}

/** Equal requests are one item. */
function distinct(videos: BatchApplication['videos']): AddedItem[] {
  const items = new Map<string, AddedItem>()
  for (const { url, line } of videos) {
    const known = items.get(url)
    if (known === undefined) items.set(url, { url, platform: platformOf(url), lines: [line] })
    else known.lines.push(line)
  }
  return [...items.values()]
}

function chunksOf(items: readonly AddedItem[]): AddedItem[][] {
  const chunks: AddedItem[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const item of items) {
    const size = Buffer.byteLength(JSON.stringify(item))
    if (bytes + size > MOST_BYTES) {
      chunks.push([])
      bytes = 0
    }
    chunks.at(-1)?.push(item)
    bytes += size
  }
  return chunks
}

function requestOf(applying: Applying): BatchCommand {
  const { request, source, limit, held, price, keyId, surface, webhook, tellsItems, skippedLines } = applying
  const [items = []] = applying.chunks
  const data = {
    orgId: applying.metadata.orgId,
    request,
    source: source?.from ?? null,
    since: source?.since ?? null,
    limit,
    held,
    price,
    keyId,
    surface,
    webhookId: webhook?.id ?? null,
    tellsItems,
    skippedLines,
    requestHash: applying.hash,
    idempotencyKeyHash: applying.idempotencyKey === undefined ? null : sha256(applying.idempotencyKey),
  }
  return { type: 'request', batch: data, items, isLast: source === null && applying.chunks.length === 1, next: null }
}

function unavailable(error: unknown): never {
  if (!(error instanceof LedgerBusyError || error instanceof RevisionConflictError)) throw error
  const message =
    'The batch could not be accepted in time. Unless a repeat with the same key finds it, what was held is refunded.'
  throw new ServiceError('unavailable', message, { retryAfterSeconds: 1, cause: error })
}

const notAccepted = (): ServiceError =>
  new ServiceError('unavailable', 'The batch was not accepted; nothing was charged.', { retryAfterSeconds: 1 })

const conflict = (): ServiceError =>
  new ServiceError('idempotency_conflict', 'This Idempotency-Key was used for another request.')

import { AGAIN_FOR_MS } from '#packages/domain/batch/again.ts'
import { type Added, type BatchCommand, batch } from '#packages/domain/batch/batch.ts'
import { isKnown, type KnownBatch } from '#packages/domain/batch/state.ts'
import { latestOf } from '#packages/domain/published.ts'
import { handleCommand } from '#packages/events/store/handle-command.ts'
import type { OwnerPorts } from '#packages/events/store/owner-role.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import type { Asker } from '#packages/platforms/lookups/asker.ts'
import { type DateOf, knownDate } from '#packages/platforms/sources/date-of.ts'
import type { ReadSource, SourcePage } from '#packages/platforms/sources/read-source.ts'
import type { Source } from '#packages/platforms/sources/source.ts'
import { platformOf } from '#packages/platforms/urls/platform-of.ts'
import { streams } from '#packages/ports/ids.ts'
import type { OpenBatch } from './open-batches.ts'

type Parts = { readSource: ReadSource; dateOf: DateOf }

type Ports = Pick<OwnerPorts, 'store' | 'clock' | 'ids' | 'log'>

/** Read the next page once fewer items than this are waiting. */
const FEW = 20

const GIVE_UP_AFTER_MS = 5000

/** First and longest wait before a failed read is retried, milliseconds. The wait doubles each time. */
const FIRST_WAIT_MS = 30_000
const LONGEST_WAIT_MS = 30 * 60_000

/** True if the source does not exist or its name is invalid. */
const isFinal = (error: unknown): boolean =>
  error instanceof ServiceError && ['not_found', 'invalid_request', 'forbidden'].includes(error.code)

/** Reads the sources of batches page by page, as their items are used up. */
export class SourcePages {
  readonly #ports: Ports
  readonly #parts: Parts
  /** Batches with a read under way or a failed one: the earliest time of the next read, and the wait before it. */
  readonly #next = new Map<string, { at: number; waitMs: number }>()

  constructor(ports: Ports, parts: Parts) {
    this.#ports = ports
    this.#parts = parts
  }

  isDue({ batchId, state, revision, awaits }: OpenBatch): boolean {
    if (!isKnown(state) || state.status !== 'running' || state.source === null) return false
    if (state.isComplete || state.cancelled !== null || revision < awaits) return false
    const waiting = state.items.reduce((sum, item) => sum + Number(item.state === 'queued'), 0)
    return waiting < FEW && (this.#next.get(batchId)?.at ?? 0) <= this.#ports.clock.now()
  }

  /** Reads the next page and records its new items. Never rejects. */
  async readOn(open: OpenBatch, signal: AbortSignal): Promise<void> {
    const { batchId, state } = open
    if (!isKnown(state)) return
    const before = this.#next.get(batchId)?.waitMs ?? FIRST_WAIT_MS / 2
    this.#next.set(batchId, { at: Number.POSITIVE_INFINITY, waitMs: before })
    try {
      const asker = { orgId: state.orgId, requestId: batchId }
      const read = await this.#parts.readSource(state.source as Source, state.next ?? undefined, asker)
      const page = await this.#since(state, read, { asker, signal })
      await this.#handle(open, { type: 'add', from: state.items.length, ...addedOf(state, page) })
      this.#next.delete(batchId)
    } catch (err) {
      await this.#failed(open, state, { err, waitMs: Math.min(before * 2, LONGEST_WAIT_MS) })
    }
  }

  /** The items of a page that are recent enough for the batch. Items without a known date are included. */
  async #since(
    { since, source }: KnownBatch,
    { items, next }: SourcePage,
    { asker, signal }: { asker: Asker; signal: AbortSignal },
  ): Promise<SourcePage> {
    if (since === null) return { items, next }
    const wanted: SourcePage['items'] = []
    for (const item of items) {
      signal.throwIfAborted()
      const publishedAt = item.publishedAt ?? (await knownDate(this.#parts.dateOf, item.url, asker))
      if (publishedAt === null || latestOf(publishedAt) >= since) wanted.push(item)
      // A channel lists the newest videos first.
      else if ((source as Source).type === 'channel') return { items: wanted, next: null }
    }
    return { items: wanted, next }
  }

  async #failed(open: OpenBatch, { requestedAt }: KnownBatch, { err, waitMs }: { err: unknown; waitMs: number }) {
    const { clock, log } = this.#ports
    log.debug({ err, batchId: open.batchId }, 'the source of a batch could not be read')
    const isOver = isFinal(err) || clock.now() - requestedAt >= AGAIN_FOR_MS
    const cancel = { type: 'cancel', reason: 'source_failed', by: null } as const
    // A failed append is retried like a failed read.
    if (isOver) await this.#handle(open, cancel).catch(() => undefined)
    this.#next.set(open.batchId, { at: clock.now() + waitMs, waitMs })
  }

  async #handle({ batchId, metadata }: OpenBatch, command: BatchCommand): Promise<void> {
    const giveUpAt = this.#ports.clock.now() + GIVE_UP_AFTER_MS
    await handleCommand(this.#ports, batch, { stream: streams.batch(batchId), command, metadata, giveUpAt })
  }
}

/** The new items of a page, up to the batch's limit. An item's line is its place in the source. */
function addedOf({ items, limit }: KnownBatch, page: SourcePage): Added {
  const known = new Set(items.map(({ url }) => url))
  const added: Added['items'][number][] = []
  for (const { url } of page.items) {
    if (known.has(url) || items.length + added.length >= limit) continue
    known.add(url)
    added.push({ url, platform: platformOf(url), lines: [items.length + added.length + 1] })
  }
  const isLast = page.next === null || items.length + added.length >= limit
  return { items: added, isLast, next: isLast ? null : page.next }
}

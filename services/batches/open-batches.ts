import type { EventMetadata } from '#contracts/generated/messages.ts'
import { batch } from '#packages/domain/batch/batch.ts'
import type { ItemEnd } from '#packages/domain/batch/proceed.ts'
import { type Batch, isKnown } from '#packages/domain/batch/state.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { itemJobIdOf } from '#packages/ports/ids.ts'

/** One batch in the owner's memory, from its CreditsHeld until its CreditsReleased. */
export type OpenBatch = {
  batchId: string
  /** When its credits were held, milliseconds since 1970. */
  heldAt: number
  /** Metadata for the events that the batch causes. */
  metadata: EventMetadata
  state: Batch
  /** Revision of the newest event that was read; -1 before the first. */
  revision: number
  /** No decision about the batch is made until this revision was read. */
  awaits: number
  /** Ends of jobs that the batch's stream does not have yet, by item. */
  ends: Map<number, ItemEnd>
  /** Items with a requested job, and when to request it again, by item. Infinity: not again. */
  asked: Map<number, number>
  isKeyRevoked: boolean
}

export const batchIdIn = (stream: string): string => stream.slice('batch-'.length)

/** All batches with held credits, oldest first, folded from the `credits-`, `batch-` and `key-` streams of the feed. */
export class OpenBatches {
  readonly #byId = new Map<string, OpenBatch>()

  get size(): number {
    return this.#byId.size
  }

  [Symbol.iterator](): IterableIterator<OpenBatch> {
    return this.#byId.values()
  }

  remove(batchId: string): void {
    this.#byId.delete(batchId)
  }

  /** @param event shows that the batch exists */
  open(batchId: string, { recordedAt, metadata }: Pick<StoredEvent, 'recordedAt' | 'metadata'>): OpenBatch {
    const known = this.#byId.get(batchId)
    if (known !== undefined) return known
    const opened: OpenBatch = {
      batchId,
      heldAt: recordedAt,
      metadata: { ...metadata, correlationId: batchId, causationId: batchId },
      state: batch.initialState,
      revision: -1,
      awaits: -1,
      ends: new Map(),
      asked: new Map(),
      isKeyRevoked: false,
    }
    this.#byId.set(batchId, opened)
    return opened
  }

  /** Applies one event. @returns the batch, if its own stream has moved on */
  apply(event: StoredEvent): OpenBatch | undefined {
    switch (event.type) {
      case 'CreditsHeld':
        this.open(event.data.batchId, event)
        return undefined
      case 'CreditsReleased':
        this.remove(event.data.batchId)
        return undefined
      case 'CreditsSettled':
        this.#settled(event)
        return undefined
      case 'KeyRevoked':
        this.#revoked(event.stream.slice('key-'.length))
        return undefined
      case 'StreamsRemoved':
        for (const stream of event.data.streams) if (stream.startsWith('batch-')) this.remove(batchIdIn(stream))
        return undefined
      default:
        return event.stream.startsWith('batch-') ? this.#moveOn(event) : undefined
    }
  }

  /**
   * Applies an event of a batch's own stream. It opens the batch if it is the first, because the feed may bring the
   * hold later.
   */
  #moveOn(event: StoredEvent): OpenBatch | undefined {
    const batchId = batchIdIn(event.stream)
    const known = event.revision === 0 ? this.open(batchId, event) : this.#byId.get(batchId)
    if (known === undefined || event.revision <= known.revision) return undefined
    take(known, [event])
    return known
  }

  #settled({ data }: StoredEvent & { type: 'CreditsSettled' }): void {
    const open = this.#byId.get(data.batch?.batchId ?? '')
    if (open === undefined || data.batch === null) return
    const { item } = data.batch
    const attempt = atWork(open, item)
    if (attempt === undefined || itemJobIdOf(open.batchId, { item, attempt }) !== data.jobId) return
    const code = data.reason === 'completed' ? null : data.reason
    open.ends.set(item, { item, attempt, code, charged: data.charged })
  }

  #revoked(keyId: string): void {
    for (const open of this) if (isKnown(open.state) && open.state.keyId === keyId) open.isKeyRevoked = true
  }
}

/** The current attempt of an item in progress. */
function atWork({ state }: OpenBatch, item: number): number | undefined {
  const known = isKnown(state) ? state.items[item] : undefined
  return known?.state === 'working' ? known.attempt : undefined
}

/** Folds further events of the batch, oldest first. */
export function take(open: OpenBatch, events: readonly StoredEvent[]): void {
  const [first] = events
  const last = events.at(-1)
  if (first === undefined || last === undefined) return
  if (first.revision === 0) open.metadata = { ...open.metadata, traceparent: first.metadata.traceparent }
  open.state = fold(batch, events, open.state)
  open.revision = last.revision
  for (const { type, data } of events) {
    if (type !== 'BatchItemsEnded') continue
    for (const { item } of data.items) for (const of of [open.ends, open.asked]) of.delete(item)
  }
}

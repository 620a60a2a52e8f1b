import { LRUCache } from 'lru-cache'
import { batch } from '#packages/domain/batch/batch.ts'
import { type Batch, isKnown } from '#packages/domain/batch/state.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'

/** Items of batches that one process keeps in memory. */
const CACHED_ITEMS = 50_000

type Folded = { state: Batch; revision: number }

/** Batches, folded from their streams. Of one that was read before only what is new is read. */
export class KnownBatches {
  readonly #store: Pick<EventStore, 'read'>
  readonly #cache = new LRUCache<string, Folded>({
    maxSize: CACHED_ITEMS,
    sizeCalculation: ({ state }) => (isKnown(state) ? state.items.length : 0) + 1,
  })

  constructor(store: Pick<EventStore, 'read'>) {
    this.#store = store
  }

  /** The batch as its stream has it now. */
  async read(batchId: string): Promise<Batch> {
    const known = this.#cache.get(batchId) ?? { state: batch.initialState, revision: -1 }
    const tail = await this.#store.read(streams.batch(batchId), { from: known.revision + 1 })
    const last = tail.at(-1)
    if (last === undefined) return known.state
    const state = fold(batch, tail, known.state)
    this.#cache.set(batchId, { state, revision: last.revision })
    return state
  }
}

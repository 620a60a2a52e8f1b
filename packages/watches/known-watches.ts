import { LRUCache } from 'lru-cache'
import { isKnown, type Watch } from '#packages/domain/watch/state.ts'
import { watch } from '#packages/domain/watch/watch.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'

/** Ids of videos, of all watches, that one process keeps in memory. */
const CACHED_VIDEOS = 200_000

type Folded = { state: Watch; revision: number }

/** Watches, folded from their streams. Of one that was read before only what is new is read. */
export class KnownWatches {
  readonly #store: Pick<EventStore, 'read'>
  readonly #cache = new LRUCache<string, Folded>({
    maxSize: CACHED_VIDEOS,
    sizeCalculation: ({ state }) => (isKnown(state) ? state.seen.size : 0) + 1,
  })

  constructor(store: Pick<EventStore, 'read'>) {
    this.#store = store
  }

  /** The watch as its stream has it now. */
  async read(watchId: string): Promise<Watch> {
    const known = this.#cache.get(watchId) ?? { state: watch.initialState, revision: -1 }
    const tail = await this.#store.read(streams.watch(watchId), { from: known.revision + 1 })
    const last = tail.at(-1)
    if (last === undefined) return this.#unlessGone(watchId, known)
    const state = fold(watch, tail, known.state)
    this.#cache.set(watchId, { state, revision: last.revision })
    return state
  }

  /** What was removed from the store is not told of from memory: an empty tail may be that of a removed stream. */
  async #unlessGone(watchId: string, known: Folded): Promise<Watch> {
    if (known.revision < 0) return known.state
    const [first] = await this.#store.read(streams.watch(watchId), { from: 0, to: 0 })
    if (first !== undefined) return known.state
    this.#cache.delete(watchId)
    return watch.initialState
  }
}

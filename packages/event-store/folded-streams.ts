import { LRUCache } from 'lru-cache'
import { type Evolution, fold } from '#packages/event-sourcing/decider.ts'
import type { EventStore } from '#packages/ports/event-store.ts'

type Folded<State> = { state: State; revision: number }

/** `maxSize`: of all that one process keeps in memory, as `sizeOf` counts it. */
type CacheOptions<State> = { maxSize: number; sizeOf(state: State): number }

/** States folded from their own streams. Of one that was read before only what is new is read. */
export class FoldedStreams<State extends object, Event extends { type: string }> {
  readonly #store: Pick<EventStore, 'read'>
  readonly #evolution: Evolution<State, Event>
  readonly #cache: LRUCache<string, Folded<State>>

  constructor(
    store: Pick<EventStore, 'read'>,
    evolution: Evolution<State, Event>,
    { maxSize, sizeOf }: CacheOptions<State>,
  ) {
    this.#store = store
    this.#evolution = evolution
    this.#cache = new LRUCache({ maxSize, sizeCalculation: ({ state }) => sizeOf(state) + 1 })
  }

  /** As the stream has it now; its initial state where there is none. */
  async read(stream: string): Promise<State> {
    const known = this.#cache.get(stream) ?? { state: this.#evolution.initialState, revision: -1 }
    const tail = await this.#store.read(stream, { from: known.revision + 1 })
    const last = tail.at(-1)
    if (last === undefined) return this.#unlessGone(stream, known)
    const state = fold(this.#evolution, tail, known.state)
    this.#cache.set(stream, { state, revision: last.revision })
    return state
  }

  /** What was removed from the store is not told of from memory: an empty tail may be that of a removed stream. */
  async #unlessGone(stream: string, known: Folded<State>): Promise<State> {
    if (known.revision < 0) return known.state
    const [first] = await this.#store.read(stream, { from: 0, to: 0 })
    if (first !== undefined) return known.state
    this.#cache.delete(stream)
    return this.#evolution.initialState
  }
}

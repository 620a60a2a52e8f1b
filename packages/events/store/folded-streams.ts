import { LRUCache } from 'lru-cache'
import { type Evolution, fold } from '#packages/event-sourcing/decider.ts'
import type { EventStore } from '#packages/ports/event-store.ts'

type Folded<State> = { state: State; revision: number }

/** `maxSize`: the limit for all states that one process keeps in memory, as counted by `sizeOf`. */
type CacheOptions<State> = { maxSize: number; sizeOf(state: State): number }

/** States folded from their own streams. If a stream was read before, only its new events are read. */
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

  /** The present state of the stream; the initial state if it does not exist. */
  async read(stream: string): Promise<State> {
    const known = this.#cache.get(stream) ?? { state: this.#evolution.initialState, revision: -1 }
    const tail = await this.#store.read(stream, { from: known.revision + 1 })
    const last = tail.at(-1)
    if (last === undefined) return this.#unlessGone(stream, known)
    const state = fold(this.#evolution, tail, known.state)
    this.#cache.set(stream, { state, revision: last.revision })
    return state
  }

  /** A removed stream must not be answered from memory: its tail is empty, like that of an unchanged stream. */
  async #unlessGone(stream: string, known: Folded<State>): Promise<State> {
    if (known.revision < 0) return known.state
    const [first] = await this.#store.read(stream, { from: 0, to: 0 })
    if (first !== undefined) return known.state
    this.#cache.delete(stream)
    return this.#evolution.initialState
  }
}

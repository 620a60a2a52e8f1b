import type { Clock } from '#packages/ports/clock.ts'
import type {
  AppliedTo,
  Document,
  GuardedChange,
  GuardedRemoval,
  GuardedWrite,
  PageQuestion,
  Stored,
  Views,
  ViewsDefinition,
} from '#packages/ports/views.ts'
import {
  assertIndexed,
  assertPageIndex,
  documentKey,
  type HeldDocument,
  heldFields,
  listedDocument,
  stateKey,
  storedDocument,
} from '../documents.ts'
import { readUntil } from '../keyed-notifier.ts'
import {
  BegunViews,
  emptyState,
  movedTo,
  nextGeneration,
  problemOf,
  SeenViews,
  unappliedOf,
  type ViewsState,
} from '../views-state.ts'
import { MemoryDocuments } from './documents.ts'

/** Views without a disk. A wait ends when changes are applied, or by the given clock. */
export class MemoryViews implements Views {
  readonly #documents: MemoryDocuments
  readonly #clock: Clock
  readonly #definition: ViewsDefinition
  readonly #store: string
  readonly #begun = new BegunViews()
  readonly #seen = new SeenViews()
  #closed = false

  /** @param options `store`: the id of the event store */
  constructor(options: { clock: Clock; definition: ViewsDefinition; documents?: MemoryDocuments; store?: string }) {
    this.#clock = options.clock
    this.#definition = options.definition
    this.#documents = options.documents ?? new MemoryDocuments()
    this.#store = options.store ?? ''
  }

  async begin(): Promise<number> {
    let { state } = this.#documents
    if (state === undefined || this.#begun.problemOf(state, this.#store) !== undefined) {
      const generation = nextGeneration(this.#clock.now(), state?.generation ?? 0, this.#begun.generation)
      state = emptyState(this.#store, generation)
      this.#documents.makeNew(state)
    }
    this.#begun.note(state)
    return state.checkpoint
  }

  async apply(changes: readonly GuardedChange[], to: AppliedTo): Promise<void> {
    const state = this.#begun.assertOurs(this.#documents.state, this.#store)
    const unapplied = unappliedOf(changes, state)
    const keys = unapplied.flatMap((change) => ('removes' in change ? this.#remove(change) : this.#put(change)))
    this.#move(movedTo(state, to))
    for (const key of keys) this.#documents.changed.notify(key)
  }

  #move(state: ViewsState): void {
    this.#documents.state = state
    this.#begun.note(state)
    this.#documents.changed.notify(stateKey)
  }

  async verify(): Promise<void> {
    this.#begun.assertOurs(this.#documents.state, this.#store)
  }

  async makeReadable(): Promise<void> {
    this.#move({ ...this.#begun.assertOurs(this.#documents.state, this.#store), isReadable: true })
  }

  problem(): Promise<string | undefined> {
    return problemOf(() => this.#assertReadable())
  }

  #assertReadable(): void {
    this.#seen.assertReadable(this.#documents.state, this.#store)
  }

  /** @returns the keys of the changed documents, as the next method does */
  #put({ collection, id, position, fields }: GuardedWrite): string[] {
    const held = this.#documents.held(collection)
    if ((held.get(id)?.position ?? 0) >= position) return []
    held.set(id, { position, ...heldFields(this.#definition, collection, fields) })
    return [documentKey(collection, id)]
  }

  #remove({ collection, position, removes }: GuardedRemoval): string[] {
    const held = this.#documents.held(collection)
    const isRemoved = (id: string): boolean => ('id' in removes ? id === removes.id : id.startsWith(removes.idPrefix))
    const gone = [...held].filter(([id, document]) => isRemoved(id) && document.position < position)
    return gone.map(([id]) => {
      held.delete(id)
      return documentKey(collection, id)
    })
  }

  async checkpoint(): Promise<number> {
    return this.#documents.state?.checkpoint ?? 0
  }

  async waitForApplied(position: number, timeoutMs: number): Promise<boolean> {
    return readUntil({
      ...this.#wait(stateKey, timeoutMs),
      read: () => (this.#documents.state?.applied ?? 0) >= position,
      enough: (value) => value,
    })
  }

  #wait(key: string, timeoutMs: number, signal?: AbortSignal) {
    const { changed: notifier } = this.#documents
    return { notifier, key, clock: this.#clock, timeoutMs, signal, closed: () => this.#closed }
  }

  async get<D extends Document>(collection: string, id: string): Promise<Stored<D> | undefined> {
    this.#assertReadable()
    return this.#stored<D>(collection, id)
  }

  async getMany<D extends Document>(collection: string, ids: readonly string[]): Promise<Stored<D>[]> {
    return [...new Set(ids)].map((id) => this.#stored<D>(collection, id)).filter((document) => document !== undefined)
  }

  async listMany<D extends Document>(collection: string, ids: readonly string[]): Promise<Stored<D>[]> {
    this.#assertReadable()
    return [...new Set(ids)].flatMap((id) => {
      const held = this.#held(collection, id)
      return held ? [listedDocument<D>(this.#definition, collection, id, held)] : []
    })
  }

  async find<D extends Document>(collection: string, field: string, value: string): Promise<Stored<D>[]> {
    assertIndexed(this.#definition, collection, field)
    this.#assertReadable()
    return this.#listed<D>(collection).filter((document) => document[field] === value)
  }

  async page<D extends Document>(collection: string, question: PageQuestion): Promise<Stored<D>[]> {
    assertPageIndex(this.#definition, collection, question)
    this.#assertReadable()
    const { where, by, after, limit } = question
    const isAsked = (document: Stored): boolean =>
      typeof document[by] === 'number' &&
      Object.entries(where).every(([field, values]) => values.includes(String(document[field]))) &&
      (after === undefined || inOrder({ by: after.by, id: after.id }, { by: document[by], id: document.id }) < 0)
    const orderOf = (document: Stored) => ({ by: Number(document[by]), id: document.id })
    const page = this.#listed<D>(collection)
      .filter(isAsked)
      .sort((one, other) => inOrder(orderOf(one), orderOf(other)))
    return page.slice(0, limit)
  }

  async waitForChange<D extends Document>(
    collection: string,
    id: string,
    position: number,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<Stored<D> | undefined> {
    return readUntil({
      ...this.#wait(documentKey(collection, id), timeoutMs, signal),
      read: () => {
        this.#assertReadable()
        return this.#stored<D>(collection, id)
      },
      enough: (document) => (document === undefined ? position > 0 : document.position > position),
    })
  }

  async putNote(id: string, note: Document): Promise<void> {
    this.#documents.notes.set(id, JSON.stringify(note))
  }

  async getNotes<D extends Document>(ids: readonly string[]): Promise<Map<string, D>> {
    const found = new Map<string, D>()
    for (const id of ids) {
      const note = this.#documents.notes.get(id)
      if (note !== undefined) found.set(id, JSON.parse(note))
    }
    return found
  }

  #held(collection: string, id: string): HeldDocument | undefined {
    return this.#documents.collections.get(collection)?.get(id)
  }

  #listed<D extends Document>(collection: string): Stored<D>[] {
    const held = [...(this.#documents.collections.get(collection) ?? [])]
    return held.map(([id, document]) => listedDocument<D>(this.#definition, collection, id, document))
  }

  #stored<D extends Document>(collection: string, id: string): Stored<D> | undefined {
    const held = this.#held(collection, id)
    return held && storedDocument<D>(this.#definition, collection, id, held)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    this.#documents.changed.notifyAll()
  }
}

type Place = { by: number; id: string }

/** Negative if `one` comes before `other` on a page. */
const inOrder = (one: Place, other: Place): number =>
  other.by - one.by || (one.id < other.id ? 1 : one.id > other.id ? -1 : 0)

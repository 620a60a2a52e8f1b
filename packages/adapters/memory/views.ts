import type { Clock } from '#packages/ports/clock.ts'
import { allShards } from '#packages/ports/shards.ts'
import {
  type Document,
  type GuardedChange,
  type GuardedRemoval,
  type GuardedWrite,
  type PageQuestion,
  type Stored,
  type Views,
  type ViewsDefinition,
  ViewsReplacedError,
  ViewsUnreadableError,
  viewsProblem,
} from '#packages/ports/views.ts'
import {
  assertIndexed,
  assertPageIndex,
  checkpointKey,
  documentKey,
  type HeldDocument,
  heldFields,
  listedDocument,
  storedDocument,
} from '../documents.ts'
import { readUntil } from '../keyed-notifier.ts'
import { atStart, differIn, leastOf, type ShardPositions } from '../shard-positions.ts'
import { firstCheckpoint, moved, newestOf, nothingBegun, SeenViews, unappliedOf } from '../view-marks.ts'
import { MemoryDocuments } from './documents.ts'

/** Views without a disk. Waits end when somebody applies, or by the given clock. */
export class MemoryViews implements Views {
  readonly #documents: MemoryDocuments
  readonly #clock: Clock
  readonly #definition: ViewsDefinition
  readonly #collections: readonly string[]
  readonly #seen: SeenViews
  /** The generation to which the projections here write. */
  #generation: number | undefined
  #begun = nothingBegun
  #interruptions = atStart
  #closed = false

  constructor(options: { clock: Clock; definition: ViewsDefinition; documents?: MemoryDocuments }) {
    this.#clock = options.clock
    this.#definition = options.definition
    this.#collections = Object.keys(options.definition.collections)
    this.#seen = new SeenViews(this.#collections)
    this.#documents = options.documents ?? new MemoryDocuments()
  }

  async begin(projections: readonly string[], shards = allShards): Promise<number> {
    const what = this.#seen.problemOf(this.#documents, this.#begun)
    if (what !== undefined) this.#documents.setAside(this.#collections)
    const { generation, marks, checkpoints } = this.#documents
    for (const [collection, mark] of marks) this.#seen.noteMark(generation, collection, mark)
    for (const each of projections) if (!checkpoints.has(each)) checkpoints.set(each, firstCheckpoint)
    this.#begun = { projections, shards }
    this.#seen.begin(this.#documents, this.#begun)
    this.#generation = generation
    this.#interruptions = this.#documents.interruptions
    return Math.min(...projections.map((each) => leastOf(this.#positions(each), shards)))
  }

  async apply(projections: readonly string[], changes: readonly GuardedChange[], checkpoint?: number): Promise<void> {
    await this.verify()
    const { generation, changed } = this.#documents
    const positions = projections.map((each) => this.#positions(each))
    const unapplied = unappliedOf(changes, positions, this.#begun)
    const keys = unapplied.flatMap((change) => ('removes' in change ? this.#remove(change) : this.#put(change)))
    for (const collection of newestOf(unapplied).keys())
      this.#seen.noteMark(generation, collection, this.#documents.moveMark(collection))
    for (const key of keys) changed.notify(key)
    if (checkpoint !== undefined) this.#moveCheckpoints(projections, checkpoint)
  }

  #moveCheckpoints(projections: readonly string[], checkpoint: number): void {
    const { generation, checkpoints, marks, changed } = this.#documents
    for (const each of projections) {
      const to = { position: checkpoint, mark: marks.get(each) ?? 0 }
      checkpoints.set(each, moved(checkpoints.get(each) ?? firstCheckpoint, this.#begun, to))
      this.#seen.noteCheckpoint(generation, each, checkpoint)
      changed.notify(checkpointKey(each))
    }
  }

  async verify(): Promise<void> {
    const { generation, interruptions } = this.#documents
    if (differIn(this.#begun.shards, interruptions, this.#interruptions)) throw new ViewsReplacedError()
    if (this.#generation === undefined || (generation !== undefined && generation !== this.#generation))
      throw new ViewsReplacedError()
    this.#seen.verify(this.#documents, this.#begun)
  }

  async makeReadable(): Promise<void> {
    await this.verify()
    this.#documents.makeWhole(this.#begun.shards)
    this.#seen.noteWhole(this.#documents.generation)
  }

  async problem(): Promise<string | undefined> {
    try {
      for (const collection of this.#collections) this.#assertReadable(collection)
      return undefined
    } catch (error) {
      if (error instanceof ViewsUnreadableError) return viewsProblem
      throw error
    }
  }

  #assertReadable(collection: string): void {
    const { generation, isReadable, marks } = this.#documents
    if (!isReadable) throw new ViewsUnreadableError()
    this.#seen.read(generation, collection, marks.get(collection))
  }

  /** @returns the keys of the documents that have changed, as the next */
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

  async checkpoint(projection: string): Promise<number> {
    return leastOf(this.#positions(projection))
  }

  #positions(projection: string): ShardPositions {
    return this.#documents.checkpoints.get(projection)?.positions ?? atStart
  }

  async waitForCheckpoint(projection: string, position: number, timeoutMs: number): Promise<boolean> {
    return readUntil(
      {
        notifier: this.#documents.changed,
        key: checkpointKey(projection),
        read: () => leastOf(this.#positions(projection)) >= position,
        enough: (value) => value,
      },
      { clock: this.#clock, timeoutMs, closed: () => this.#closed },
    )
  }

  async get<D extends Document>(collection: string, id: string): Promise<Stored<D> | undefined> {
    this.#assertReadable(collection)
    return this.#stored<D>(collection, id)
  }

  async getMany<D extends Document>(collection: string, ids: readonly string[]): Promise<Stored<D>[]> {
    return [...new Set(ids)].map((id) => this.#stored<D>(collection, id)).filter((document) => document !== undefined)
  }

  async find<D extends Document>(collection: string, field: string, value: string): Promise<Stored<D>[]> {
    assertIndexed(this.#definition, collection, field)
    this.#assertReadable(collection)
    const held = [...(this.#documents.collections.get(collection) ?? [])]
    return held
      .map(([id, document]) => listedDocument<D>(this.#definition, collection, id, document))
      .filter((document) => document[field] === value)
  }

  async page<D extends Document>(collection: string, question: PageQuestion): Promise<Stored<D>[]> {
    assertPageIndex(this.#definition, collection, question)
    this.#assertReadable(collection)
    const { where, by, after, limit } = question
    const held = [...(this.#documents.collections.get(collection) ?? [])]
    const all = held.map(([id, document]) => listedDocument<D>(this.#definition, collection, id, document))
    const isAsked = (document: Stored): boolean =>
      typeof document[by] === 'number' &&
      Object.entries(where).every(([field, values]) => values.includes(String(document[field]))) &&
      (after === undefined || inOrder({ by: after.by, id: after.id }, { by: document[by], id: document.id }) < 0)
    const orderOf = (document: Stored) => ({ by: Number(document[by]), id: document.id })
    const page = all.filter(isAsked).sort((one, other) => inOrder(orderOf(one), orderOf(other)))
    return page.slice(0, limit)
  }

  async waitForChange<D extends Document>(
    collection: string,
    id: string,
    position: number,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<Stored<D> | undefined> {
    return readUntil(
      {
        notifier: this.#documents.changed,
        key: documentKey(collection, id),
        read: () => {
          this.#assertReadable(collection)
          return this.#stored<D>(collection, id)
        },
        enough: (document) => (document === undefined ? position > 0 : document.position > position),
      },
      { clock: this.#clock, timeoutMs, signal, closed: () => this.#closed },
    )
  }

  async putNote(id: string, note: Document): Promise<void> {
    this.#documents.notes.set(id, JSON.stringify(note))
  }

  async putNotes(notes: ReadonlyMap<string, Document>): Promise<void> {
    for (const [id, note] of notes) await this.putNote(id, note)
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

/** Negative where `one` comes before `other` on a page. */
const inOrder = (one: Place, other: Place): number =>
  other.by - one.by || (one.id < other.id ? 1 : one.id > other.id ? -1 : 0)

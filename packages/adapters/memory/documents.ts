import { allShards, type Shard } from '#packages/ports/shards.ts'
import type { HeldDocument } from '../documents.ts'
import { KeyedNotifier } from '../keyed-notifier.ts'
import { atStart, type ShardPositions } from '../shard-positions.ts'
import type { StoredCheckpoint } from '../view-marks.ts'

/** A copy of the stored documents, to be restored later. */
export type DocumentsCopy = Pick<
  MemoryDocuments,
  'collections' | 'marks' | 'checkpoints' | 'notes' | 'generation' | 'isReadable' | 'whole'
>

/** The "disk" of MemoryViews, which outlives them. Several may share one. It can be lost, like a real one. */
export class MemoryDocuments {
  collections = new Map<string, Map<string, HeldDocument>>()
  /** How often each collection was written. */
  marks = new Map<string, number>()
  checkpoints = new Map<string, StoredCheckpoint>()
  /** JSON, by id. */
  notes = new Map<string, string>()
  readonly changed = new KeyedNotifier()
  generation: number | undefined
  isReadable = false
  /** The shards that have reached the end of the feed. */
  whole = new Set<Shard>()
  /** How often the writers of each shard were interrupted. */
  interruptions: ShardPositions = atStart
  /** Never restored from a copy: each number is used once. */
  #generations = 0

  /** The documents of a collection, by id. */
  held(collection: string): Map<string, HeldDocument> {
    const held = this.collections.get(collection) ?? new Map<string, HeldDocument>()
    this.collections.set(collection, held)
    return held
  }

  /** The collection is written once more. @returns its new mark */
  moveMark(collection: string): number {
    const mark = (this.marks.get(collection) ?? 0) + 1
    this.marks.set(collection, mark)
    return mark
  }

  /** Begins new, empty views, which nobody reads yet. Notes stay. */
  setAside(collections: readonly string[]): void {
    this.generation = ++this.#generations
    this.isReadable = false
    this.whole = new Set()
    this.collections = new Map()
    this.marks = new Map(collections.map((collection) => [collection, 0]))
    this.checkpoints = new Map()
  }

  /** These shards have reached the end of the feed. */
  makeWhole(shards: ReadonlySet<Shard>): void {
    for (const shard of shards) this.whole.add(shard)
    this.isReadable ||= this.whole.size === allShards.size
  }

  /** Deletes everything. */
  empty(): void {
    this.putBack(new MemoryDocuments())
  }

  drop(collection: string): void {
    this.collections.delete(collection)
    this.marks.delete(collection)
  }

  copy(): DocumentsCopy {
    const { collections, marks, checkpoints, notes, generation, isReadable, whole } = this
    return structuredClone({ collections, marks, checkpoints, notes, generation, isReadable, whole })
  }

  /** Restores a copy, or one collection of it: where views were made anew since, that has another name. */
  putBack(copy: DocumentsCopy, only?: string): void {
    const { collections, marks, checkpoints, notes, generation, isReadable, whole } = structuredClone(copy)
    const all = { collections, marks, checkpoints, notes, generation, isReadable, whole }
    if (only === undefined) Object.assign(this, all)
    else if (generation === this.generation) {
      this.collections.set(only, collections.get(only) ?? new Map())
      this.marks.set(only, marks.get(only) ?? 0)
    }
  }
}

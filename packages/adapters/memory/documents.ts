import type { HeldDocument } from '../documents.ts'
import { KeyedNotifier } from '../keyed-notifier.ts'
import type { StoredCheckpoint } from '../view-marks.ts'

/** A copy of what is stored, to be put back later. */
export type DocumentsCopy = Pick<
  MemoryDocuments,
  'collections' | 'marks' | 'checkpoints' | 'notes' | 'generation' | 'isReadable'
>

/** What outlives a MemoryViews: the "disk". Several of them may share one. It can be lost, as a real one can. */
export class MemoryDocuments {
  collections = new Map<string, Map<string, HeldDocument>>()
  /** Of the newest event in each collection. */
  marks = new Map<string, number>()
  checkpoints = new Map<string, StoredCheckpoint>()
  /** JSON, by id. */
  notes = new Map<string, string>()
  readonly changed = new KeyedNotifier()
  generation: number | undefined
  isReadable = false
  /** Never put back: each generation is named once. */
  #generations = 0

  /** New views, empty, which nobody reads yet. Notes stay. */
  setAside(collections: readonly string[]): void {
    this.generation = ++this.#generations
    this.isReadable = false
    this.collections = new Map()
    this.marks = new Map(collections.map((collection) => [collection, 0]))
    this.checkpoints = new Map()
  }

  /** All is gone. */
  empty(): void {
    this.putBack(new MemoryDocuments())
  }

  drop(collection: string): void {
    this.collections.delete(collection)
    this.marks.delete(collection)
  }

  copy(): DocumentsCopy {
    const { collections, marks, checkpoints, notes, generation, isReadable } = this
    return structuredClone({ collections, marks, checkpoints, notes, generation, isReadable })
  }

  /** All of a copy, or one collection of it. */
  putBack(copy: DocumentsCopy, only?: string): void {
    const { collections, marks, checkpoints, notes, generation, isReadable } = structuredClone(copy)
    if (only === undefined) Object.assign(this, { collections, marks, checkpoints, notes, generation, isReadable })
    else {
      this.collections.set(only, collections.get(only) ?? new Map())
      this.marks.set(only, marks.get(only) ?? 0)
    }
  }
}

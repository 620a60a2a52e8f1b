import type { HeldDocument } from '../documents.ts'
import { KeyedNotifier } from '../keyed-notifier.ts'
import type { ViewsState } from '../views-state.ts'

/** A copy of the stored documents, to be restored later. */
export type DocumentsCopy = Pick<MemoryDocuments, 'collections' | 'state' | 'notes'>

/** The "disk" of MemoryViews, which outlives them. Several may share one. It can be lost, like a real one. */
export class MemoryDocuments {
  collections = new Map<string, Map<string, HeldDocument>>()
  state: ViewsState | undefined
  /** JSON, by id. */
  notes = new Map<string, string>()
  readonly changed = new KeyedNotifier()

  /** The documents of a collection, by id. */
  held(collection: string): Map<string, HeldDocument> {
    const held = this.collections.get(collection) ?? new Map<string, HeldDocument>()
    this.collections.set(collection, held)
    return held
  }

  /** Begins new, empty views, without notes of another event store. */
  makeNew(state: ViewsState): void {
    if (this.state !== undefined && this.state.store !== state.store) this.notes.clear()
    this.state = state
    this.collections = new Map()
  }

  /** Deletes everything. */
  empty(): void {
    this.putBack(new MemoryDocuments())
  }

  copy(): DocumentsCopy {
    const { collections, state, notes } = this
    return structuredClone({ collections, state, notes })
  }

  putBack({ collections, state, notes }: DocumentsCopy): void {
    Object.assign(this, structuredClone({ collections, state, notes }))
  }
}

import type { Shard } from '#packages/ports/shards.ts'
import type { Document, Stored, ViewsDefinition } from '#packages/ports/views.ts'
import type { MendedDocument, ViewsMender } from '#packages/ports/views-mender.ts'
import { documentKey, type HeldDocument, heldFields, storedDocument } from '../documents.ts'
import { greatestOf, leastOf } from '../shard-positions.ts'
import type { MemoryDocuments } from './documents.ts'

/** Mends the documents of MemoryViews. */
export class MemoryViewsMender implements ViewsMender {
  readonly #stored: MemoryDocuments
  readonly #definition: ViewsDefinition

  constructor({ documents, definition }: { documents: MemoryDocuments; definition: ViewsDefinition }) {
    this.#stored = documents
    this.#definition = definition
  }

  async checkpoints(projection: string): Promise<{ least: number; greatest: number } | undefined> {
    const positions = this.#stored.isReadable ? this.#stored.checkpoints.get(projection)?.positions : undefined
    return positions && { least: leastOf(positions), greatest: greatestOf(positions) }
  }

  async *documents(collection: string, idPrefix = ''): AsyncIterable<readonly Stored<Document>[]> {
    const ids = [...this.#held(collection).keys()].filter((id) => id.startsWith(idPrefix))
    yield await this.getMany(collection, ids)
  }

  async getMany(collection: string, ids: readonly string[]): Promise<Stored<Document>[]> {
    return ids.flatMap((id) => {
      const held = this.#held(collection).get(id)
      return held === undefined ? [] : [storedDocument(this.#definition, collection, id, held)]
    })
  }

  async put(documents: readonly MendedDocument[]): Promise<void> {
    const { marks, changed } = this.#stored
    for (const { collection, id, made, upTo } of documents) {
      const held = this.#held(collection)
      if ((held.get(id)?.position ?? 0) > upTo) continue
      held.delete(id)
      if (made !== undefined) {
        held.set(id, { position: made.position, ...heldFields(this.#definition, collection, made.fields) })
        marks.set(collection, Math.max(made.position, marks.get(collection) ?? 0))
      }
      changed.notify(documentKey(collection, id))
    }
  }

  async interrupt(shards: ReadonlySet<Shard>): Promise<void> {
    const { interruptions } = this.#stored
    this.#stored.interruptions = interruptions.map((count, shard) => (shards.has(shard) ? count + 1 : count))
  }

  #held(collection: string): Map<string, HeldDocument> {
    const { collections } = this.#stored
    const held = collections.get(collection) ?? new Map<string, HeldDocument>()
    collections.set(collection, held)
    return held
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

import type { Shard } from '#packages/ports/shards.ts'
import type { Document, Stored, ViewsDefinition } from '#packages/ports/views.ts'
import type { MendedDocument, ViewsMender } from '#packages/ports/views-mender.ts'
import { documentKey, heldFields, storedDocument } from '../documents.ts'
import { greatestOf, interruptedAgain, leastOf } from '../shard-positions.ts'
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
    const ids = [...this.#stored.held(collection).keys()].filter((id) => id.startsWith(idPrefix))
    yield await this.getMany(collection, ids)
  }

  async getMany(collection: string, ids: readonly string[]): Promise<Stored<Document>[]> {
    return ids.flatMap((id) => {
      const held = this.#stored.held(collection).get(id)
      return held === undefined ? [] : [storedDocument(this.#definition, collection, id, held)]
    })
  }

  async put(documents: readonly MendedDocument[]): Promise<void> {
    const { changed } = this.#stored
    for (const { collection, id, made, upTo } of documents) {
      const held = this.#stored.held(collection)
      if ((held.get(id)?.position ?? 0) > upTo) continue
      held.delete(id)
      if (made !== undefined) {
        held.set(id, { position: made.position, ...heldFields(this.#definition, collection, made.fields) })
        this.#stored.moveMark(collection)
      }
      changed.notify(documentKey(collection, id))
    }
  }

  async interrupt(shards: ReadonlySet<Shard>): Promise<void> {
    this.#stored.interruptions = interruptedAgain(this.#stored.interruptions, shards)
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

import { crc32 } from 'node:zlib'
import type { Projection } from '#packages/events/views/projection.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { Document, Stored } from '#packages/ports/views.ts'

export type FoldedDocument = {
  position: number
  fields: Document
  /** The approximate memory that it takes. */
  bytes: number
}

/** A share of the documents: those with `hash(id) % of === index`. */
export type DocumentShare = { of: number; index: number }

export const allDocuments: DocumentShare = { of: 1, index: 0 }

export const isIn = ({ of, index }: DocumentShare, id: string): boolean => of === 1 || crc32(id) % of === index

/** The estimated memory of a document without its texts, bytes. */
const FIELDS_BYTES = 500

function bytesOf(fields: Document): number {
  let bytes = FIELDS_BYTES
  // Called for each event. An array of the values would be slower.
  for (const name in fields) {
    const value = fields[name]
    if (typeof value === 'string') bytes += value.length
  }
  return bytes
}

/** The document as a store returns it: without undefined fields. */
export const asStored = (id: string, folded: FoldedDocument | undefined): Stored<Document> | undefined =>
  folded && { ...(JSON.parse(JSON.stringify(folded.fields)) as Document), id, position: folded.position }

/** The documents that a projection makes from events, in memory: all of them, or a share. */
export class DocumentFold {
  readonly projection: Projection
  share: DocumentShare
  /** Their approximate memory, bytes. */
  bytes = 0
  readonly documents = new Map<string, FoldedDocument>()

  constructor(projection: Projection, share: DocumentShare) {
    this.projection = projection
    this.share = share
  }

  /** Whether the projection reads streams of a category. */
  reads(category: string): boolean {
    return this.projection.prefixes.some((prefix) => prefix.startsWith(category) || category.startsWith(prefix))
  }

  take(event: StoredEvent): void {
    const change = this.projection.changeOf(event)
    if (change === undefined || !isIn(this.share, change.id)) return
    const before = this.documents.get(change.id)
    const fields = change.next(before?.fields)
    if (fields === undefined) return
    const bytes = bytesOf(fields)
    this.bytes += bytes - (before?.bytes ?? 0)
    this.documents.set(change.id, { position: event.position, fields, bytes })
  }

  /** Keeps only the documents of a smaller share. */
  narrow(share: DocumentShare): void {
    this.share = share
    for (const id of this.documents.keys()) if (!isIn(share, id)) this.#delete(id)
  }

  /** Applies the removal of streams by the event at this position. */
  remove(streams: readonly string[], position: number): void {
    for (const stream of streams) {
      const removes = this.projection.removedWith?.(stream)
      if (removes === undefined) continue
      const ids =
        'id' in removes ? [removes.id] : [...this.documents.keys()].filter((id) => id.startsWith(removes.idPrefix))
      for (const id of ids) if ((this.documents.get(id)?.position ?? position) < position) this.#delete(id)
    }
  }

  #delete(id: string): void {
    this.bytes -= this.documents.get(id)?.bytes ?? 0
    this.documents.delete(id)
  }
}

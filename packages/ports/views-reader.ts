import type { Document, Stored } from './views.ts'

/**
 * The stored views, for comparison with the events. It never writes, and services may write meanwhile: a document that
 * is read later may be newer.
 */
export interface ViewsReader extends AsyncDisposable {
  /**
   * The position up to which all events are in the documents. Some documents contain later events.
   * @returns undefined if they cannot be compared now: there are none, or they are being rebuilt
   */
  checkpoint(): Promise<number | undefined>
  /** All documents of a collection, in pages. */
  documents(collection: string): AsyncIterable<readonly Stored<Document>[]>
  /** The documents of `ids` that exist. */
  getMany(collection: string, ids: readonly string[]): Promise<Stored<Document>[]>
}

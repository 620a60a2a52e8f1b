import type { Document, Stored } from './views.ts'

/**
 * The stored views, for whoever compares them with the events. It never writes, and services may write meanwhile: a
 * document that is read later may be newer.
 */
export interface ViewsReader extends AsyncDisposable {
  /**
   * The positions up to which all events are in the documents of this projection: in each of its shards, of which some
   * are told late of events that are not theirs.
   * @returns undefined where they cannot be compared now: there are none, or they are being made anew
   */
  checkpoints(projection: string): Promise<{ least: number; greatest: number } | undefined>
  /** All documents of a collection, or those whose ids begin alike, in pages. */
  documents(collection: string, idPrefix?: string): AsyncIterable<readonly Stored<Document>[]>
  /** The documents of `ids` that exist. */
  getMany(collection: string, ids: readonly string[]): Promise<Stored<Document>[]>
}

import type { Shard } from './shards.ts'
import type { Document } from './views.ts'
import type { ViewsReader } from './views-reader.ts'

/** A document as all of its events up to a position have made it. */
export type MendedDocument = {
  collection: string
  id: string
  /** Undefined: they make none. Its position is that of the last of them. */
  made: { position: number; fields: Document } | undefined
  /** The stored document stays where it has an event after this position. */
  upTo: number
}

/** Mends single documents of the live views, which services read and write meanwhile. Checkpoints stay as they are. */
export interface ViewsMender extends ViewsReader {
  /**
   * Puts each in the place of what is stored, whatever that is and also at the same position, or removes that. Who reads a
   * document has the one or the other. What is removed may be made again by events after `upTo`.
   */
  put(documents: readonly MendedDocument[]): Promise<void>

  /**
   * Whoever has begun one of these shards has to `begin` again before it writes: what it keeps in memory may be made of a
   * document as it was. Its next `apply` throws ViewsReplacedError. One that is under way may still write.
   */
  interrupt(shards: ReadonlySet<Shard>): Promise<void>
}

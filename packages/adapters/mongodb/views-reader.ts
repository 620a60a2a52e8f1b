import type { Collection } from 'mongodb'
import type { Clock } from '#packages/ports/clock.ts'
import type { Document, Stored, ViewsDefinition } from '#packages/ports/views.ts'
import type { ViewsReader } from '#packages/ports/views-reader.ts'
import { rangeOf, storedDocument } from '../documents.ts'
import { greatestOf, leastOf } from '../shard-positions.ts'
import { type Checkpoint, positionsOf } from './checkpoints.ts'
import { inReach, type MongoConnection } from './connection.ts'
import { Generations, MARK } from './generations.ts'
import { type Held, isThere } from './guarded-writes.ts'

/** Documents of one page. */
const PAGE = 500

const STALE_AFTER_MS = 1000

export type MongoViewsReaderOptions = { connection: MongoConnection; clock: Clock; definition: ViewsDefinition }

/** Reads the live views in the database. The connection stays open. */
export function openMongoViewsReader({ connection, clock, definition }: MongoViewsReaderOptions): ViewsReader {
  const { db } = connection
  const generations = new Generations(db, clock, definition, STALE_AFTER_MS)
  const nameOf = async (view: string): Promise<string | undefined> => {
    const live = await generations.liveNow()
    return live?.isReadable ? generations.nameOf(view, live.generation) : undefined
  }
  const held = async (view: string): Promise<Collection<Held> | undefined> => {
    const name = await nameOf(view)
    return name === undefined ? undefined : db.collection<Held>(name)
  }
  const stored = (view: string, all: readonly Held[]): Stored<Document>[] =>
    all.filter(isThere).map((one) => storedDocument(definition, view, one._id, one))

  return {
    async checkpoints(projection) {
      const name = await nameOf(projection)
      if (name === undefined) return undefined
      const found = await inReach(db.collection<Checkpoint>('checkpoints').findOne({ _id: name }))
      const positions = found && positionsOf(found)
      return positions ? { least: leastOf(positions), greatest: greatestOf(positions) } : undefined
    },
    async *documents(view, idPrefix = '') {
      const collection = await held(view)
      const [from, to] = rangeOf(idPrefix)
      // No id begins with a space: the mark comes before them all.
      for (let after = MARK; collection !== undefined; ) {
        const page = await inReach(
          collection
            .find({ _id: { $gt: after, $gte: from, $lt: to } })
            .sort({ _id: 1 })
            .limit(PAGE)
            .toArray(),
        )
        const last = page.at(-1)
        if (last === undefined) return
        after = last._id
        yield stored(view, page)
      }
    },
    async getMany(view, ids) {
      const collection = await held(view)
      return collection === undefined
        ? []
        : stored(view, await inReach(collection.find({ _id: { $in: [...ids] } }).toArray()))
    },
    async [Symbol.asyncDispose]() {},
  }
}

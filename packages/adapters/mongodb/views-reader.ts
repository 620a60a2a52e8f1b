import type { Collection } from 'mongodb'
import type { Clock } from '#packages/ports/clock.ts'
import type { Document, Stored, ViewsDefinition } from '#packages/ports/views.ts'
import type { ViewsReader } from '#packages/ports/views-reader.ts'
import { storedDocument } from '../documents.ts'
import type { ViewsState } from '../views-state.ts'
import { inReach, type MongoConnection } from './connection.ts'
import { Generations } from './generations.ts'
import { type Held, isThere } from './guarded-writes.ts'

/** Documents of one page. */
const PAGE = 500

export type MongoViewsReaderOptions = { connection: MongoConnection; clock: Clock; definition: ViewsDefinition }

/** Reads the live views in the database. The connection stays open. */
export function openMongoViewsReader({ connection, clock, definition }: MongoViewsReaderOptions): ViewsReader {
  const { db } = connection
  const generations = new Generations(db, clock, definition)
  const readable = async (): Promise<ViewsState | undefined> => {
    const state = await generations.read()
    return state?.isReadable ? state : undefined
  }
  const held = async (view: string): Promise<Collection<Held> | undefined> => {
    const state = await readable()
    return state && db.collection<Held>(generations.nameOf(view, state.generation))
  }
  const stored = (view: string, all: readonly Held[]): Stored<Document>[] =>
    all.filter(isThere).map((one) => storedDocument(definition, view, one._id, one))

  return {
    async checkpoint() {
      return (await readable())?.checkpoint
    },
    async *documents(view) {
      const collection = await held(view)
      for (let after = ''; collection !== undefined; ) {
        const page = await inReach(
          collection
            .find({ _id: { $gt: after } })
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

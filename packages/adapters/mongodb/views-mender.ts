import type { Collection } from 'mongodb'
import { ViewsLostError } from '#packages/ports/views.ts'
import type { ViewsMender } from '#packages/ports/views-mender.ts'
import { inReach } from './connection.ts'
import { Generations, MARK } from './generations.ts'
import { applyMended, type Held } from './guarded-writes.ts'
import { interruptionOf } from './interruptions.ts'
import { writtenUpTo } from './mark.ts'
import { type MongoViewsReaderOptions, openMongoViewsReader } from './views-reader.ts'

/** Mends documents of the live views in the database. The connection stays open. */
export function openMongoViewsMender(options: MongoViewsReaderOptions): ViewsMender {
  const { connection, clock, definition } = options
  const generations = new Generations(connection.db, clock, definition, 0)
  const held = async (view: string): Promise<Collection<Held>> => {
    const live = await generations.liveNow()
    if (live === undefined) throw new ViewsLostError('there are none')
    return connection.db.collection<Held>(generations.nameOf(view, live.generation))
  }

  return {
    ...openMongoViewsReader(options),
    async put(documents) {
      const now = new Date(clock.now())
      for (const [view, ofOne] of Map.groupBy(documents, ({ collection }) => collection)) {
        const collection = await held(view)
        const position = Math.max(0, ...ofOne.map(({ made }) => made?.position ?? 0))
        const { matchedCount } = await inReach(collection.updateOne({ _id: MARK }, writtenUpTo(position)))
        if (matchedCount === 0) throw new ViewsLostError(`the collection ${view} is gone`)
        await applyMended(definition, collection, ofOne, now)
      }
    },
    async interrupt(shards) {
      for (const view of Object.keys(definition.collections))
        await inReach((await held(view)).updateOne({ _id: MARK }, interruptionOf(shards)))
    },
  }
}

import { freshDatabase } from '#packages/adapters/mongodb/fresh-database.fixture.ts'
import { MARK } from '#packages/adapters/mongodb/generations.ts'
import { openMongoViews } from '#packages/adapters/mongodb/views.ts'
import { openMongoViewsMender } from '#packages/adapters/mongodb/views-mender.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { projections } from '#packages/views/projections.ts'
import { viewsDefinition as definition } from '#packages/views/views-definition.ts'
import { describeOn } from '#test/doubles/engines/describe-on.ts'
import { describeRebuildShards } from './rebuild-shards.harness.ts'

describeOn('mongodb', (url) =>
  describeRebuildShards('MongoViews', async () => {
    const database = freshDatabase(url)
    const { connection } = database
    return {
      open: async () => openMongoViews({ connection, clock, definition, staleAfterMs: 50 }),
      openMender: () => openMongoViewsMender({ connection, clock, definition }),
      async stored() {
        const documents: [string, unknown][] = []
        const collections = await connection.db.listCollections({}, { nameOnly: true }).toArray()
        const views = collections.filter(({ name }) => projections.some((view) => name.startsWith(`${view.name}_`)))
        for (const { name } of views)
          for (const { _id, ...held } of await connection.db
            .collection<{ _id: string }>(name)
            .find({ _id: { $ne: MARK }, goneAt: { $exists: false } })
            .toArray())
            documents.push([`${name}/${_id}`, held])
        const checkpoints = await connection.db.collection('checkpoints').find().toArray()
        return {
          documents: Object.fromEntries(documents),
          checkpoints: Object.fromEntries(checkpoints.map(({ _id, ...held }) => [String(_id), held])),
        }
      },
      [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
    }
  }),
)

import { describeViewsReader } from '#packages/ports/views-reader.contract.ts'
import { sampleViews as definition } from '#packages/ports/views-samples.contract.ts'
import { describeOn } from '#test/doubles/engines/describe-on.ts'
import { systemClock as clock } from '../system/clock.ts'
import { freshDatabase } from './fresh-database.fixture.ts'
import { openMongoViews } from './views.ts'
import { openMongoViewsReader } from './views-reader.ts'

describeOn('mongodb', (url) =>
  describeViewsReader('MongoViews', async () => {
    const database = freshDatabase(url)
    const { connection } = database
    return {
      open: async () => openMongoViews({ connection, clock, definition, staleAfterMs: 50 }),
      openReader: () => openMongoViewsReader({ connection, clock, definition }),
      [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
    }
  }),
)

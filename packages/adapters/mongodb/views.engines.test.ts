import { describeViews } from '#packages/ports/views.contract.ts'
import { describeRebuild } from '#packages/ports/views-rebuild.contract.ts'
import { describeOn } from '#test/doubles/engines/describe-on.ts'
import { systemClock as clock } from '../system/clock.ts'
import { freshDatabase } from './mongo-trial.ts'
import { openMongoViews } from './views.ts'

describeOn('mongodb', (url) => {
  const makeFixture = async () => {
    const database = freshDatabase(url)
    return {
      open: async () => openMongoViews({ connection: database.connection, clock, staleAfterMs: 50 }),
      [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
    }
  }
  describeViews('MongoViews', makeFixture)
  describeRebuild('MongoViews', makeFixture)
})

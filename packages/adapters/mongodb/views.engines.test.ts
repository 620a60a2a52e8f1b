import { expect } from 'chai'
import type { CommandStartedEvent, Document } from 'mongodb'
import { describeViews } from '#packages/ports/views.contract.ts'
import { describeLoss } from '#packages/ports/views-loss.contract.ts'
import { describeRebuild } from '#packages/ports/views-rebuild.contract.ts'
import { describeRemovals } from '#packages/ports/views-removal.contract.ts'
import { sampleViews as definition } from '#packages/ports/views-samples.contract.ts'
import { describeOn } from '#test/doubles/engines/describe-on.ts'
import { systemClock as clock } from '../system/clock.ts'
import { freshDatabase } from './fresh-database.fixture.ts'
import { openMongoViews } from './views.ts'

const storeId = async () => 'events-1'

describeOn('mongodb', (url) => {
  const makeFixture = async () => {
    const database = freshDatabase(url)
    const { connection } = database
    return {
      open: async () => openMongoViews({ connection, clock, definition, storeId, staleAfterMs: 50 }),
      [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
    }
  }
  describeViews('MongoViews', makeFixture)
  describeRemovals('MongoViews', makeFixture)
  describeRebuild('MongoViews', makeFixture)

  describeLoss('MongoViews', async () => {
    const database = freshDatabase(url)
    const { connection } = database
    const { db } = connection
    const names = async (): Promise<string[]> =>
      (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name)
    const empty = async (): Promise<void> => {
      for (const name of await names()) await db.collection(name).drop()
    }
    return {
      open: async () => openMongoViews({ connection, clock, definition, storeId }),
      empty,
      async copy() {
        const copied = new Map<string, Document[]>()
        for (const name of await names()) copied.set(name, await db.collection(name).find().toArray())
        return async () => {
          await empty()
          for (const [name, documents] of copied)
            if (documents.length > 0) await db.collection(name).insertMany(documents)
        }
      },
      async exchange() {
        await empty()
        const views = openMongoViews({ connection, clock, definition, storeId: async () => 'others' })
        await views.begin()
        await views.apply([], { position: 99 })
        await views.putNote('theirs', {})
        await views.makeReadable()
      },
      [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
    }
  })

  it('looks for losses by reading one document', async () => {
    const commands: CommandStartedEvent[] = []
    await using database = freshDatabase(url, { onCommand: (command) => commands.push(command) })
    const views = openMongoViews({ connection: database.connection, clock, definition })
    await views.begin()
    commands.length = 0
    await views.verify()
    expect(commands.map(({ command }) => [command.find, command.filter])).to.deep.equal([
      ['states', { _id: `views ${definition.version}` }],
    ])
  })
})

import { expect } from 'chai'
import type { CommandStartedEvent, Document } from 'mongodb'
import { describeViews } from '#packages/ports/views.contract.ts'
import { describeLoss } from '#packages/ports/views-loss.contract.ts'
import { describeViewsMender } from '#packages/ports/views-mender.contract.ts'
import { describeRebuild } from '#packages/ports/views-rebuild.contract.ts'
import { describeRemovals } from '#packages/ports/views-removal.contract.ts'
import { sampleViews as definition, sampleCollections } from '#packages/ports/views-samples.contract.ts'
import { describeShards } from '#packages/ports/views-shards.contract.ts'
import { describeOn } from '#test/doubles/engines/describe-on.ts'
import { systemClock as clock } from '../system/clock.ts'
import { freshDatabase } from './fresh-database.fixture.ts'
import { openMongoViews } from './views.ts'
import { openMongoViewsMender } from './views-mender.ts'

describeOn('mongodb', (url) => {
  const makeFixture = async () => {
    const database = freshDatabase(url)
    return {
      open: async () => openMongoViews({ connection: database.connection, clock, definition, staleAfterMs: 50 }),
      openMender: () => openMongoViewsMender({ connection: database.connection, clock, definition }),
      [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
    }
  }
  describeViews('MongoViews', makeFixture)
  describeRemovals('MongoViews', makeFixture)
  describeViewsMender('MongoViews', makeFixture)
  describeRebuild('MongoViews', makeFixture)
  const losable = async () => {
    const database = freshDatabase(url)
    const { db } = database.connection
    const names = async (): Promise<string[]> =>
      (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name)
    const drop = async (...dropped: string[]): Promise<void> => {
      for (const name of dropped) await db.collection(name).drop()
    }
    const ofCollection = async (collection: string): Promise<string[]> =>
      (await names()).filter((name) => name.startsWith(`${collection}_`))
    return {
      open: async () => openMongoViews({ connection: database.connection, clock, definition, staleAfterMs: 50 }),
      empty: async () => drop(...(await names())),
      drop: async (collection: string) => drop(...(await ofCollection(collection))),
      async copy() {
        const copied = new Map<string, Document[]>()
        for (const name of await names()) copied.set(name, await db.collection(name).find().toArray())
        return async (collection?: string) => {
          const lost = collection === undefined ? await names() : await ofCollection(collection)
          await drop(...lost)
          for (const [name, documents] of copied)
            if ((collection === undefined || lost.includes(name)) && documents.length > 0)
              await db.collection(name).insertMany(documents)
        }
      },
      [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
    }
  }
  describeLoss('MongoViews', losable)
  describeShards('MongoViews', losable)

  it('looks for losses by one call, which reads the marks after the checkpoints that record them', async () => {
    const commands: CommandStartedEvent[] = []
    await using database = freshDatabase(url, { onCommand: (command) => commands.push(command) })
    const views = openMongoViews({ connection: database.connection, clock, definition })
    await views.begin(sampleCollections)
    commands.length = 0
    await views.verify()
    const [look] = commands
    expect(commands).to.have.length(1)
    const read = look?.command.pipeline.flatMap(({ $lookup }: Document) => $lookup?.from ?? [])
    expect(read[0]).to.equal('checkpoints')
    expect(read).to.have.length(1 + sampleCollections.length)
  })
})

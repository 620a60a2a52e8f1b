/** Our answers to the traps of MongoDB and its driver in ops/adr/engine-traps.md. */
import { expect } from 'chai'
import type { CommandStartedEvent } from 'mongodb'
import { type GuardedWrite, ViewsReplacedError } from '#packages/ports/views.ts'
import { sampleViews as definition } from '#packages/ports/views-samples.contract.ts'
import { describeOn } from '#test/doubles/engines/describe-on.ts'
import { until } from '#test/doubles/service/until.ts'
import { systemClock as clock } from '../system/clock.ts'
import { freshDatabase } from './fresh-database.fixture.ts'
import { openMongoViews } from './views.ts'

const job = (id: string, position: number, fields: object = {}): GuardedWrite => {
  return { collection: 'jobs', id, position, fields: { ...fields } }
}

describeOn('mongodb', (url) => {
  describe('MongoViews and the traps of MongoDB', function () {
    this.timeout(30_000)
    let database: ReturnType<typeof freshDatabase>
    let commands: CommandStartedEvent[]

    beforeEach(() => {
      commands = []
      database = freshDatabase(url, { onCommand: (event) => void commands.push(event) })
    })
    afterEach(() => database[Symbol.asyncDispose]())

    const unbegun = () => openMongoViews({ connection: database.connection, clock, definition })
    const views = async () => {
      const opened = unbegun()
      await opened.begin()
      await opened.makeReadable()
      commands.length = 0
      return opened
    }
    const sent = (name: string): Record<string, unknown>[] =>
      commands.flatMap((event) => (event.commandName === name ? [event.command as Record<string, unknown>] : []))

    it('write whole documents guarded by position, and increment nothing: a write may be sent twice', async () => {
      const opened = await views()
      await opened.apply([job('a', 1, { n: 1 }), job('a', 2, { n: 2 }), job('b', 1)], { position: 2, checkpoint: 2 })
      const [documents, state] = sent('update')
      const updates = documents?.updates as { q: Record<string, unknown>; u: Record<string, unknown> }[]
      expect(updates.map(({ q }) => q)).to.deep.equal([
        { _id: 'a', position: { $lt: 2 } },
        { _id: 'b', position: { $lt: 1 } },
      ])
      expect(updates.flatMap(({ u }) => Object.keys(u)).filter((name) => name.startsWith('$'))).to.deep.equal([])
      expect(state?.updates)
        .to.nested.property('0.u')
        .that.deep.equals({ $max: { applied: 2, checkpoint: 2 } })
    })

    it('write one unordered operation for each document, and compare and move the state last', async () => {
      const opened = await views()
      await opened.apply([job('a', 1), job('b', 2), job('a', 3), job('a', 2)], { position: 3, checkpoint: 3 })
      const writes = commands.filter(({ commandName }) => commandName !== 'find')
      const targets = writes.map(({ commandName, command: { [commandName]: name, ordered, updates = [] } }) => {
        return [commandName, String(name).split('_')[0], ordered, updates.length]
      })
      expect(targets).to.deep.equal([
        ['update', 'jobs', false, 2],
        ['update', 'states', true, 1],
      ])
    })

    it('leave the checkpoint unchanged if a document could not be written', async () => {
      const opened = await views()
      await opened.apply([job('a', 1)], { position: 1, checkpoint: 1 })
      const huge = job('b', 2, { text: 'x'.repeat(17 * 1024 * 1024) })
      const failed = await opened.apply([huge, job('c', 2)], { position: 2, checkpoint: 2 }).then(
        () => false,
        () => true,
      )
      expect(failed).to.equal(true)
      expect(await opened.checkpoint()).to.equal(1)
    })

    it('count an E11000 of a guarded upsert as already applied, and apply the rest of the bulk', async () => {
      const opened = await views()
      await opened.apply([job('a', 5, { n: 5 }), job('b', 5)], { position: 5, checkpoint: 5 })
      await opened.apply([job('a', 4, { n: 4 }), job('c', 6), job('b', 3), job('d', 6)], { position: 6, checkpoint: 6 })
      const found = await opened.getMany<{ n?: number }>('jobs', ['a', 'b', 'c', 'd'])
      expect(found.map(({ id, position, n }) => [id, position, n]).sort()).to.deep.equal([
        ['a', 5, 5],
        ['b', 5, undefined],
        ['c', 6, undefined],
        ['d', 6, undefined],
      ])
      expect(await opened.checkpoint()).to.equal(6)
    })

    it('produce the same documents when several writers apply the same batches at once', async () => {
      const writers = await Promise.all(Array.from({ length: 8 }, async () => views()))
      await Promise.all(
        writers.map(async (writer) => {
          for (const position of [1, 2, 3])
            for (let isWritten = false; !isWritten; ) {
              isWritten = await writer.apply([job('a', position)], { position, checkpoint: position }).then(
                () => true,
                (error: unknown) => {
                  if (!(error instanceof ViewsReplacedError)) throw error
                  return false
                },
              )
              if (!isWritten) await writer.begin()
            }
        }),
      )
      expect(await writers[0]?.get('jobs', 'a')).to.deep.equal({ id: 'a', position: 3 })
      expect(await writers[0]?.checkpoint()).to.equal(3)
    })

    it('ask for majority writes and read at the primary, without transactions or change streams', async () => {
      const opened = await views()
      await opened.apply([job('a', 1)], { position: 1, checkpoint: 1 })
      await opened.putNote('n', {})
      await opened.get('jobs', 'a')
      const writes = sent('update')
      for (const { writeConcern } of writes) expect(writeConcern).to.deep.include({ w: 'majority' })
      expect(writes).to.have.length(3)
      expect(database.connection.db.readPreference.mode).to.equal('primary')
      const text = JSON.stringify(commands.map(({ command }) => command))
      expect(text).to.not.contain('$changeStream').and.to.not.contain('startTransaction')
    })

    it('read a job with one query, and a list of keys with one, both by an index', async () => {
      const opened = await views()
      const key = { collection: 'keys', id: 'k', position: 1, fields: { listedFor: 'o' } }
      await opened.apply([job('a', 1), key], { position: 1 })
      await opened.get('jobs', 'a')
      commands.length = 0
      await opened.get('jobs', 'a')
      await opened.find('keys', 'listedFor', 'o')
      expect(sent('find').map(({ filter }) => filter)).to.deep.equal([{ _id: 'a' }, { listedFor: 'o' }])
      expect(commands).to.have.length(2)
      const names = (await database.connection.db.listCollections({}, { nameOnly: true }).toArray()).map(
        ({ name }) => name,
      )
      const keys = names.find((name) => name.startsWith('keys_')) ?? ''
      const indexes = await database.connection.db.collection(keys).indexes()
      expect(indexes.map(({ key }) => key)).to.deep.include({ listedFor: 1 })
    })

    it('look for all waiters by one query, and never twice within 10 ms, with any number of waiters', async () => {
      const opened = await views()
      await opened.get('jobs', 'a')
      const ids = Array.from({ length: 200 }, (_, n) => `job-${n}`)
      commands.length = 0
      const from = performance.now()
      const waits = ids.map((id) => opened.waitForChange('jobs', id, 0, 10_000))
      const queries = () => sent('find').filter(({ projection }) => projection !== undefined)
      const looks = () => queries().flatMap(({ filter }) => (filter as { _id: { $in?: string[] } })._id.$in ?? [])
      await until('it has looked for all of them', () => new Set(looks()).size === ids.length)
      expect(queries().length).to.be.within(1, (performance.now() - from) / 10 + 1)
      await opened.apply(
        ids.map((id) => job(id, 1)),
        { position: 1, checkpoint: 1 },
      )
      expect((await Promise.all(waits)).filter((document) => document?.position === 1)).to.have.length(200)
    })

    it('preserve names and values, even those with a meaning to MongoDB', async () => {
      const opened = await views()
      const fields = { 'a.b': { $set: { $inc: 1 } }, $x: -0.5, deep: [[], {}, null], long: 9007199254740991 }
      await opened.apply([job('a', 1, fields)], { position: 1, checkpoint: 1 })
      expect(await opened.get('jobs', 'a')).to.deep.equal({ id: 'a', position: 1, ...fields })
    })
  })
})

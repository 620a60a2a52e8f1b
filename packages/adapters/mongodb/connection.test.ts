import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { expect } from 'chai'
import { UnreachableError } from '#packages/ports/unreachable.ts'
import { sampleViews as definition } from '#packages/ports/views-samples.contract.ts'
import { onLoopback } from '#test/doubles/loopback-server.ts'
import { hello, type RefusingServer, startRefusingServer } from '#test/doubles/mongodb/refusing-server.ts'
import { until } from '#test/doubles/service/until.ts'
import { systemClock as clock } from '../system/clock.ts'
import { inReach, MongoConnection } from './connection.ts'
import { openMongoViews } from './views.ts'

describe('a connection to MongoDB', () => {
  it('fails within seconds if no server answers, without showing the password', async () => {
    await using silent = await onLoopback(createServer())
    const at = `mongodb://somebody:secret-password@127.0.0.1:${silent.port}/video?directConnection=true`
    const connection = new MongoConnection({ url: at, selectionTimeoutMs: 200 })
    const error = await connection.ping().catch((thrown: Error) => thrown)
    await connection[Symbol.asyncDispose]()
    expect(error).to.be.instanceOf(Error)
    expect(String(error)).to.not.contain('secret-password')
  })

  it('reports to users of the views that there was no answer', async () => {
    await using connection = new MongoConnection({ url: 'mongodb://127.0.0.1:9/none', selectionTimeoutMs: 100 })
    const views = openMongoViews({ connection, clock, definition })
    const error = await views.begin().catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(UnreachableError)
  })

  describe('in the middle of a large write', () => {
    const large = { text: 'x'.repeat(10_000_000) }
    const readsLittle = (): Promise<RefusingServer> =>
      startRefusingServer(({ hello: greets, ismaster }) => {
        return greets === undefined && ismaster === undefined ? undefined : hello()
      }, 100_000)
    const at = ({ port }: RefusingServer): string => `mongodb://127.0.0.1:${port}/video?directConnection=true`

    it('does not wait for ever for a server that stops reading', async () => {
      await using server = await readsLittle()
      await using connection = new MongoConnection({ url: at(server) })
      const write = connection.db.collection('large').bulkWrite([{ insertOne: { document: large } }])
      expect(await inReach(write, 500).catch((thrown: unknown) => thrown)).to.be.instanceOf(UnreachableError)
    })

    for (const [name, write] of [
      ['one document', ({ db }) => db.collection('large').insertOne({ ...large })],
      ['a bulk', ({ db }) => db.collection('large').bulkWrite([{ insertOne: { document: { ...large } } }])],
    ] as [string, (connection: MongoConnection) => Promise<unknown>][])
      it(`treats a server that is gone as one that does not answer: ${name}`, async () => {
        const server = await readsLittle()
        await using connection = new MongoConnection({ url: at(server) })
        await connection.ping()
        const outcome = inReach(write(connection)).catch((thrown: unknown) => thrown)
        await until('the write is under way', () => server.isFull)
        await server[Symbol.asyncDispose]()
        expect(await outcome).to.be.instanceOf(UnreachableError)
      })
  })

  it('keeps trying if no server answers, and reports why', async () => {
    const troubles: unknown[] = []
    const at = { url: 'mongodb://127.0.0.1:9/none', selectionTimeoutMs: 50 }
    await using connection = new MongoConnection({ ...at, onTrouble: (error) => troubles.push(error) })
    // A slow machine may learn of the refusal only at a later attempt.
    await until('it has tried again', () => troubles.slice(1).some((error) => String(error).includes('ECONNREFUSED')))
    // The driver's error between two attempts.
    expect(await inReach(connection.ping()).catch((thrown: unknown) => thrown)).to.be.instanceOf(UnreachableError)
  })

  it('uses the database that its URL names', async () => {
    const nameOf = async (path: string): Promise<string> => {
      await using connection = new MongoConnection({ url: `mongodb://a:1,b:2${path}` })
      return connection.db.databaseName
    }
    expect(await nameOf('/other?replicaSet=rs0')).to.equal('other')
    expect(await nameOf('/?replicaSet=rs0')).to.equal('video')
    expect(await nameOf('')).to.equal('video')
  })

  it('has a driver with pools that check their size at our interval: check it again when this fails', () => {
    const pool = createRequire(import.meta.url).resolve('mongodb/lib/cmap/connection_pool.js')
    expect(readFileSync(pool, 'utf8')).to.contain('options.minPoolSizeCheckFrequencyMS ?? 100')
  })
})

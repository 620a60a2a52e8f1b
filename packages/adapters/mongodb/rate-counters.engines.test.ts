import { expect } from 'chai'
import type { Db } from 'mongodb'
import { pino } from 'pino'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { describeRateCounters } from '#packages/ports/rate-counters.contract.ts'
import { describeOn } from '#test/doubles/engines/describe-on.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { until } from '#test/doubles/service/until.ts'
import { CircuitBreaker, PROBE_EVERY_MS } from '../circuit-breaker.ts'
import { isAway, MongoConnection } from './connection.ts'
import { freshDatabase } from './fresh-database.fixture.ts'
import { mongoRateCounters } from './rate-counters.ts'

const log = pino({ level: 'silent' })

/** A circuit breaker on the database. */
const watched = (answerWithinMs: number, probe: () => Promise<unknown>, clock: Clock): CircuitBreaker =>
  new CircuitBreaker({ clock, what: 'the database', probe, isAway, onAway: () => {}, answerWithinMs })

// The first count creates the indexes and connects.
const patient = { clock, log, database: watched(10_000, async () => {}, clock) }

describeOn('mongodb', (url) => {
  describeRateCounters('mongoRateCounters', async () => {
    const database = freshDatabase(url)
    return {
      counters: mongoRateCounters({ ...patient, db: database.connection.db }),
      [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
    }
  })

  describe('counters that all nodes share', function () {
    this.timeout(20_000)
    let database: ReturnType<typeof freshDatabase>
    let commands: string[]
    beforeEach(() => {
      commands = []
      const onCommand = ({ commandName }: { commandName: string }) => void commands.push(commandName)
      database = freshDatabase(url, { onCommand })
    })
    afterEach(() => database[Symbol.asyncDispose]())

    const node = async (tier = 'light') => mongoRateCounters({ ...patient, db: database.connection.db })(tier).count

    it('count an organization over all nodes, each tier separately, whatever limit is passed', async () => {
      const [one, other, polls] = [await node(), await node(), await node('polls')]
      const counts = [await one('acme', 5), await other('acme', 5), await one('acme', 3), await polls('acme', 5)]
      expect(counts.map(({ counted }) => counted)).to.deep.equal([1, 2, 3, 1])
      expect((await other('globex', 5)).counted).to.equal(1)
      for (const { endsInMs } of counts) expect(endsInMs).to.be.within(30_000, 60_000)
    })

    it('refuse the same organization on every node, and without a write once a node knows', async () => {
      const nodes = [await node(), await node()] as const
      const admitted: boolean[] = []
      for (let n = 0; n < 10; n++) admitted.push((await nodes[n % 2 === 0 ? 0 : 1]('acme', 5)).counted <= 5)
      expect(admitted).to.deep.equal([true, true, true, true, true, false, false, false, false, false])
      const before = commands.length
      for (let n = 0; n < 20; n++) {
        const { counted, endsInMs } = await nodes[0]('acme', 5)
        expect(counted).to.be.above(5)
        expect(endsInMs).to.be.within(1, 60_000)
      }
      expect(commands.length - before).to.equal(0)
    })

    it('count a large limit locally, and send all counts to the others twice a second in one write', async () => {
      const [one, other] = [await node('polls'), await node('polls')]
      for (const key of ['acme', 'globex', 'initech']) await one(key, 600)
      // After this count, it has created its indexes.
      await other('hooli', 600)
      const before = commands.length
      for (let n = 2; n <= 20; n++)
        for (const key of ['acme', 'globex']) expect((await one(key, 600)).counted).to.equal(n)
      expect(commands.slice(before)).to.deep.equal([])
      await until('they are told', () => commands.length >= before + 2)
      expect(commands.slice(before)).to.deep.equal(['update', 'find'])
      expect((await other('acme', 600)).counted).to.equal(21)
      expect((await other('initech', 600)).counted).to.equal(2)
      // The query may be answered before the other node has counted, or after.
      expect((await one('acme', 600)).counted, 'all seen here by the next telling').to.be.within(21, 22)
    })

    it('admit at most a twentieth of a limit more for each node, and never fewer than the limit', async () => {
      const nodes = [await node(), await node(), await node()] as const
      const admit = async (which: number, requests: number): Promise<number> => {
        let admitted = 0
        for (let n = 0; n < requests; n++) if ((await nodes[which as 0](key, 120)).counted <= 120) admitted++
        return admitted
      }
      let key = 'in turn'
      let admitted = 0
      for (let n = 0; n < 200; n++) admitted += await admit(n % 3, 1)
      expect(admitted).to.be.within(120, 120 + 3 * 6)
      // The worst case: two nodes do not know yet that a third has used up the limit. This can happen on a busy
      // machine.
      key = 'one first'
      const first = [await admit(0, 1), await admit(1, 1), await admit(2, 150)]
      expect(first).to.deep.equal([1, 1, 118])
      for (const which of [0, 1]) expect(await admit(which, 50)).to.be.at.most(6)
      expect(await admit(2, 50)).to.equal(0)
    })

    it('send the last requests before they are closed', async () => {
      const counters = mongoRateCounters({ ...patient, db: database.connection.db })
      const { count } = counters('light')
      for (let n = 0; n < 10; n++) await count('acme', 600)
      await counters[Symbol.asyncDispose]()
      expect((await (await node('light'))('acme', 600)).counted).to.equal(11)
    })

    it('count a burst exactly, with few writes', async () => {
      const one = await node('heavy')
      await one('acme', 30)
      const before = commands.length
      const counts = await Promise.all(Array.from({ length: 200 }, () => one('acme', 30)))
      expect(counts.filter(({ counted }) => counted <= 30)).to.have.length(29)
      expect(commands.length - before).to.be.at.most(2)
    })
  })
})

describe('counters of a node that does not reach the others', () => {
  it('count its own requests, without making each of them wait', async () => {
    await using connection = new MongoConnection({ url: 'mongodb://127.0.0.1:9/none', selectionTimeoutMs: 100 })
    using database = watched(500, () => connection.ping(), clock)
    const { count, giveBack } = mongoRateCounters({ db: connection.db, clock, log, database })('light')
    for (let n = 1; n <= 20; n++) expect((await count('acme', 10)).counted).to.equal(n)
    const together = await Promise.all([count('acme', 10, 5), count('acme', 10), count('acme', 10, 7)])
    expect(together.map(({ counted }) => counted)).to.deep.equal([25, 26, 33])
    await giveBack('acme')
    expect((await count('acme', 10)).counted, 'with one given back').to.equal(33)
  })

  it('continue without waiting when the database is lost, and use it again when it is back', async () => {
    let isThere = true
    let calls = 0
    const collection = {
      createIndex: async () => 'made',
      async findOneAndUpdate() {
        calls++
        if (!isThere) await new Promise(() => {})
        return { key: 'light:acme', points: 7, expire: new Date(Date.now() + 30_000) }
      },
    }
    const db = { collection: () => collection } as unknown as Db
    const clock = new ManualClock()
    const probe = async () => (isThere ? undefined : Promise.reject(new Error('away')))
    using database = watched(500, probe, clock)
    const { count } = mongoRateCounters({ db, clock, log, database })('light')
    expect((await count('acme', 10)).counted).to.equal(7)
    isThere = false
    const first = count('acme', 10)
    await clock.advance(500)
    expect((await first).counted, 'with those of the others that are known').to.equal(8)
    const before = calls
    // The clock does not advance, so these calls wait for nothing.
    for (let n = 9; n <= 50; n++) expect((await count('acme', 10)).counted).to.equal(n)
    expect(calls - before, 'queries while it counts as lost').to.equal(0)
    isThere = true
    await clock.advance(PROBE_EVERY_MS)
    expect((await count('acme', 10)).counted).to.equal(7)
  })
})

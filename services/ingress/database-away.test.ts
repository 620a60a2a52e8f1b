import { expect } from 'chai'
import type { Db } from 'mongodb'
import { pino } from 'pino'
import { CircuitBreaker } from '#packages/adapters/circuit-breaker.ts'
import { isAway } from '#packages/adapters/mongodb/connection.ts'
import { mongoRateCounters } from '#packages/adapters/mongodb/rate-counters.ts'
import { promptViews } from '#packages/adapters/prompt-views.ts'
import type { Views } from '#packages/ports/views.ts'
import { startIngress } from '#test/doubles/ingress/started-ingress.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'

const native = { url: 'https://cdn.example.com/film.mp4', mode: 'native' }
const log = pino({ level: 'silent' })

const reads: ReadonlySet<string | symbol> = new Set(['get', 'find', 'getNotes'])

/** A database that a test freezes. Frozen, it answers no call. */
class FreezingDatabase {
  isFrozen = false
  asked = 0

  async answer<T>(read: () => T | Promise<T>): Promise<T> {
    this.asked++
    return this.isFrozen ? new Promise(() => {}) : read()
  }

  /** The store of the rate counters. */
  readonly db = {
    collection: () => ({
      createIndex: async () => 'made',
      findOneAndUpdate: () => this.answer(() => ({ points: 1, expire: new Date(Date.now() + 30_000) })),
      bulkWrite: () => this.answer(() => undefined),
    }),
  } as unknown as Db

  viewsOf = (views: Views): Views =>
    new Proxy(views, {
      get: (target, name) => {
        const own = Reflect.get(target, name)
        if (typeof own !== 'function') return own
        const call = (...asked: unknown[]) => own.apply(target, asked)
        return reads.has(name) ? (...asked: unknown[]) => this.answer(() => call(...asked)) : call
      },
    })
}

describe('while the database does not answer', () => {
  it('the first request waits a moment, and later accepts and polls wait for nothing', async () => {
    const clock = new ManualClock()
    const frozen = new FreezingDatabase()
    const probe = () => frozen.answer(() => undefined)
    const answerWithinMs = 500
    using database = new CircuitBreaker({ clock, what: 'it', probe, isAway, onAway: () => {}, answerWithinMs })
    const counters = mongoRateCounters({ db: frozen.db, clock, log, database })
    const viewsOf = (views: Views) => promptViews(frozen.viewsOf(views), database)
    const options = { speechMinutesPerDay: 100, capSharePerOrganization: 0.5 }
    await using ingress = await startIngress({ clock, counters, viewsOf, options })
    const acme = await ingress.org()
    expect((await acme.post('/v1/transcript', native)).status).to.equal(202)
    // The cached values are out of date by now.
    await clock.advance(60_000)
    frozen.isFrozen = true
    let isAnswered = false
    const first = acme.post('/v1/transcript', native).finally(() => {
      isAnswered = true
    })
    while (!isAnswered) await clock.advance(10)
    const { status, body } = await first
    expect(status).to.equal(202)
    // The clock stands still from here, so a waiting request would never be answered. Only the probe is in progress.
    const { asked } = frozen
    for (const mode of ['native', 'auto', 'generate'])
      expect((await acme.post('/v1/transcript', { ...native, mode })).status).to.equal(202)
    const other = await ingress.org()
    expect((await other.post('/v1/transcript', native)).status).to.equal(202)
    expect((await acme.get(`/v1/transcript/${body.jobId}`)).body.status).to.equal('queued')
    expect(frozen.asked).to.equal(asked)
  })
})

import { expect } from 'chai'
import { pino } from 'pino'
import { MemoryEventStore, MemoryEvents } from '#packages/adapters/memory/event-store.ts'
import { systemClock } from '#packages/adapters/system/clock.ts'
import { systemIds } from '#packages/adapters/system/ids.ts'
import { granted, settled } from '#packages/domain/credits/credits.fixture.ts'
import { jobRequested, results } from '#packages/domain/job/job.fixture.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { allDocuments, asStored, DocumentFold } from '#packages/history/verify/document-fold.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { NewEvent } from '#packages/ports/event-store.ts'
import { allShards, type Shard } from '#packages/ports/shards.ts'
import type { Views } from '#packages/ports/views.ts'
import type { MendedDocument, ViewsMender } from '#packages/ports/views-mender.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { projections } from '#packages/views/projections.ts'
import { until } from '#test/doubles/service/until.ts'
import { Projector } from './projector.ts'
import { type RebuildOptions, rebuildShards } from './rebuild-shards.ts'

export type RebuildShardsFixture = AsyncDisposable & {
  open(): Promise<Views>
  openMender(): ViewsMender
  /** Documents by `collection/id`, without those that are removed, and checkpoints: each as it is stored. */
  stored(): Promise<{ documents: Record<string, unknown>; checkpoints: Record<string, unknown> }>
}

const log = pino({ level: 'silent' })
const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`

/** Noon of a day: no event of a test is of the next one. */
const NOON = Date.UTC(2026, 10, 21, 12)
const today = new Date(NOON).toISOString().slice(0, 10)
const ahead = NOON - systemClock.now()

/** Appended events are in the feed of MemoryEventStore at once: nobody has to wait long. */
const impatient = (mostMs: number): Clock => ({
  now: () => systemClock.now() + ahead,
  sleep: (ms, signal) => systemClock.sleep(Math.min(ms, mostMs), signal),
})
const clock = impatient(5)
const clockOfProjectors = impatient(50)

/** Organizations of the shards 0, 1 and 40. */
const [ours, next, far] = ['00-org', '04-org', 'a0-org'] as const
const orgs = [ours, next, far]

const endless = new AbortController().signal

/** Checks that documents of some shards are made anew, on the views of an adapter. */
export function describeRebuildShards(name: string, makeFixture: () => Promise<RebuildShardsFixture>): void {
  describe(`a rebuild of shards of ${name}`, function () {
    this.timeout(60_000)
    let events: MemoryEvents
    let store: MemoryEventStore
    let fixture: RebuildShardsFixture
    let mender: ViewsMender
    let running: { end: AbortController; ended: Promise<void>; views: Views }[]

    /** Runs a projector for each of these sets of shards, up to the end of the events. */
    const serve = async (...owners: ReadonlySet<Shard>[]): Promise<Views[]> => {
      const opened = owners.map(async (shards) => {
        const views = await fixture.open()
        const ports = { store, views, clock: clockOfProjectors, log, telemetry: noTelemetry }
        const projector = new Projector(ports, projections, { shards })
        const end = new AbortController()
        running.push({ end, ended: projector.run(end.signal), views })
        await projector.ready
        return views
      })
      return Promise.all(opened)
    }
    const stop = async (): Promise<void> => {
      for (const { end, ended, views } of running.splice(0)) {
        end.abort()
        await ended
        await views[Symbol.asyncDispose]()
      }
    }
    const append = async (orgId: string, stream: string, ...appended: DomainEvent[]): Promise<void> => {
      const { length } = await store.read(stream)
      const metadata = { orgId, correlationId: 'a test', causationId: 'a test', traceparent }
      const newEvents = appended.map((event) => ({ ...event, id: systemIds.uuid(), metadata }) as NewEvent)
      await store.append(stream, length === 0 ? 'no-stream' : length - 1, newEvents)
    }
    const job = async (orgId: string, jobId: string): Promise<void> => {
      const end: DomainEvent = { type: 'JobCompleted', data: { orgId, kind: 'transcript', credits: 1 } }
      await append(orgId, `job-${jobId}`, { type: 'JobRequested', data: jobRequested({ orgId }) }, results.fetched)
      await append(orgId, `job-${jobId}`, results.speech, end)
      await append(orgId, `credits-${orgId}`, settled(jobId, 1, 4, 'completed'))
    }
    /** What a replay makes of all events. */
    const replayed = async (): Promise<Record<string, unknown>> => {
      const folds = projections.map((projection) => new DocumentFold(projection, allDocuments))
      const end = new AbortController()
      for await (const batch of store.follow({ after: 0, prefixes: [''], signal: end.signal })) {
        for (const event of batch.events) for (const fold of folds) fold.take(event)
        if (batch.caughtUp) end.abort()
      }
      const documents = folds.flatMap(({ projection, documents }) =>
        [...documents].map(([id, folded]) => [`${projection.name}/${id}`, asStored(id, folded)]),
      )
      return Object.fromEntries(documents)
    }
    const shown = async (): Promise<Record<string, unknown>> => {
      const found: [string, unknown][] = []
      for (const { name } of projections)
        for await (const page of mender.documents(name))
          for (const document of page) found.push([`${name}/${document.id}`, document])
      return Object.fromEntries(found)
    }
    const untilAsReplayed = async (): Promise<void> => {
      const isSame = async () => {
        try {
          expect(await shown()).to.deep.equal(await replayed())
          return true
        } catch {
          return false
        }
      }
      await until('the views equal a replay', isSame, { seconds: 10 }).catch(() => undefined)
      expect(await shown()).to.deep.equal(await replayed())
    }
    const rebuild = (shards: readonly Shard[], options: RebuildOptions = {}, by = mender, signal = endless) =>
      rebuildShards({ store, mender: by, clock }, projections, new Set(shards), { lateMs: 50, ...options }, signal)

    const menderBy = (put: ViewsMender['put']): ViewsMender => ({
      checkpoints: (projection) => mender.checkpoints(projection),
      documents: (collection, idPrefix) => mender.documents(collection, idPrefix),
      getMany: (collection, ids) => mender.getMany(collection, ids),
      interrupt: (shards) => mender.interrupt(shards),
      put,
      async [Symbol.asyncDispose]() {},
    })

    const wrong = (collection: string, id: string, fields: object, position = 3): MendedDocument => {
      return { collection, id, upTo: 10 ** 15, made: { position, fields: { ...fields } } }
    }
    /** Removed at a position from before the end of the events, as a removal by mistake would be. */
    const none = (collection: string, id: string) => ({ collection, id, upTo: 12, made: undefined })
    /** Six documents of the shard 0: wrong ones, one of them at a position that no event has, missing ones, one too many. */
    const damage = () =>
      mender.put([
        wrong('jobs', '00-first', { orgId: ours, status: 'completed', result: 'of somebody else' }, 10 ** 13),
        wrong('dailyUse', `${today}/0`, { partOf: today, speechSeconds: 0, tokens: 0 }, 5),
        wrong('jobs', '03-extra', { orgId: ours, listedAs: 'completed', kind: 'transcript', requestedAt: 1 }),
        wrong('balances', ours, { name: null, plan: 'free', balance: 1_000_000, changedAt: 0 }),
        none('jobs', '00-second'),
        none('usage', `${ours}/${today}`),
      ])

    beforeEach(async () => {
      events = new MemoryEvents()
      store = new MemoryEventStore({ clock, events })
      fixture = await makeFixture()
      running = []
      for (const orgId of orgs) {
        await append(orgId, `credits-${orgId}`, granted(50))
        await job(orgId, `${orgId.slice(0, 2)}-first`)
        await job(orgId, `${orgId.slice(0, 2)}-second`)
      }
      await serve(new Set([0, 1]), allShards.difference(new Set([0, 1])))
      mender = fixture.openMender()
      await untilAsReplayed()
    })
    afterEach(async () => {
      await stop()
      await mender[Symbol.asyncDispose]()
      await fixture[Symbol.asyncDispose]()
    })

    for (const [how, options] of [
      ['in one pass', {}],
      ['in several, where the memory is small', { mostBytes: 1500 }],
    ] as const)
      it(`mends what is wrong, missing or too many, and leaves all else as it was byte for byte, ${how}`, async () => {
        await stop()
        await mender.put([wrong('jobs', '04-first', { orgId: next })])
        const before = await fixture.stored()
        await damage()
        const { documents, mended, elsewhere } = await rebuild([0], options)
        // Two jobs and the one too many; balance, usage, and the sums of the day.
        expect({ documents, mended, elsewhere }).to.deep.equal({ documents: 7, mended: 6, elsewhere: 0 })
        expect(await fixture.stored()).to.deep.equal(before)
        expect((await rebuild([0])).mended).to.equal(0)
        expect((await rebuild([0, 1, 40])).mended).to.equal(1)
        await untilAsReplayed()
      })

    it('goes on where one was killed in the middle', async () => {
      await stop()
      const before = await fixture.stored()
      await damage()
      const dying = menderBy(async (documents) => {
        await mender.put(documents.slice(0, 2))
        throw new Error('killed')
      })
      const error = await rebuild([0], {}, dying).catch((thrown: Error) => thrown.message)
      expect(error).to.equal('killed')
      await rebuild([0])
      expect(await fixture.stored()).to.deep.equal(before)
    })

    it('mends documents that change all the time, while jobs of their shard and of others are accepted and settled', async () => {
      await stop()
      await damage()
      await serve(new Set([0, 1]), allShards.difference(new Set([0, 1])))
      let isOver = false
      const counts = new Map<string, number>([ours, far].map((orgId) => [orgId, 0]))
      const traffic = async (orgId: string): Promise<void> => {
        for (let count = 0; !isOver; count++) {
          await job(orgId, `${orgId.slice(0, 2)}-${count}`)
          counts.set(orgId, count)
          await systemClock.sleep(1)
        }
      }
      const jobs = [traffic(ours), traffic(far)]
      const amidTraffic = menderBy(async (documents) => {
        const before = new Map(counts)
        await until('jobs have come before what is mended', () =>
          [...counts].every(([orgId, count]) => count > (before.get(orgId) ?? 0) + 3),
        )
        return mender.put(documents)
      })
      const { mended } = await rebuild([0], {}, amidTraffic).finally(() => {
        isOver = true
      })
      expect(mended).to.be.at.least(6)
      await Promise.all(jobs)
      await untilAsReplayed()
    })

    it('leaves nothing in the memory of a writer that it could make wrong documents of', async () => {
      await mender.put([wrong('balances', ours, { name: null, plan: 'free', balance: 1_000_000, changedAt: 0 })])
      await stop()
      const [views] = await serve(new Set([0]))
      // It keeps the wrong one, made newer.
      await append(ours, `credits-${ours}`, granted(1))
      const balance = async () => (await views?.getMany<{ balance: number }>('balances', [ours]))?.[0]?.balance
      await until('the wrong document is written on', async () => ((await balance()) ?? 0) > 1_000_000)
      expect((await rebuild([0])).mended).to.equal(1)
      await append(ours, `credits-${ours}`, granted(1))
      await untilAsReplayed()
    })

    it('leaves jobs alone whose ledger is in another shard, unless it is asked for both', async () => {
      await job(ours, 'a0-of a release before shards')
      await untilAsReplayed()
      // A projector may still save its checkpoint.
      await stop()
      const before = await fixture.stored()
      expect((await rebuild([40])).elsewhere).to.equal(1)
      expect((await rebuild([0])).elsewhere).to.equal(0)
      expect(await fixture.stored()).to.deep.equal(before)
      await mender.put([wrong('jobs', 'a0-of a release before shards', { orgId: ours })])
      expect((await rebuild([0, 40])).mended).to.equal(1)
      await untilAsReplayed()
    })

    it('gives up where somebody makes documents wrong again', async () => {
      await stop()
      await damage()
      const older = menderBy((documents) => mender.put(documents.map((one) => ({ ...one, made: undefined }))))
      const error = await rebuild([0], {}, older).catch((thrown: Error) => thrown.message)
      expect(error).to.contain('an older release')
    })

    it('ends at once when it is stopped', async () => {
      await damage()
      const end = new AbortController()
      const stopping = menderBy(async () => end.abort(new Error('stopped')))
      const error = await rebuild([0], {}, stopping, end.signal).catch((thrown: Error) => thrown.message)
      expect(error).to.equal('stopped')
    })
  })
}

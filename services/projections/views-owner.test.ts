import { expect } from 'chai'
import { pino } from 'pino'
import { MemoryDocuments } from '#packages/adapters/memory/documents.ts'
import { MemoryEventStore, MemoryEvents } from '#packages/adapters/memory/event-store.ts'
import { MemoryShardOwnership } from '#packages/adapters/memory/shard-ownership.ts'
import { MemoryViews } from '#packages/adapters/memory/views.ts'
import { Newest } from '#packages/adapters/newest.ts'
import { systemIds } from '#packages/adapters/system/ids.ts'
import { granted, settled } from '#packages/domain/credits/credits.fixture.ts'
import { jobRequested, results } from '#packages/domain/job/job.fixture.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import type { NewEvent } from '#packages/ports/event-store.ts'
import type { ShardOwnership } from '#packages/ports/shard-ownership.ts'
import { allShards, type Shard, shardOf } from '#packages/ports/shards.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { projections } from '#packages/views/projections.ts'
import { viewsDefinition as definition } from '#packages/views/views-definition.ts'
import { ManualClock, settle } from '#test/doubles/manual-clock.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import { ViewsOwner } from './views-owner.ts'

const log = pino({ level: 'silent' })
const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`

const copyOf = (documents: MemoryDocuments): unknown =>
  Object.fromEntries([...documents.collections].map(([name, held]) => [name, Object.fromEntries(held)]))

/** A store that tells each follower of its own events alone, as one on a server does: positions of others come never. */
class NarrowStore extends MemoryEventStore {
  /** Streams whose events were given to followers. */
  readonly delivered: string[] = []

  override async *follow(options: Parameters<MemoryEventStore['follow']>[0]) {
    let position = options.after
    let isFirst = true
    for await (const batch of super.follow(options)) {
      for (const { stream } of batch.events) this.delivered.push(stream)
      const last = batch.events.at(-1)
      if (last === undefined && !isFirst) continue
      position = isFirst ? batch.position : (last?.position ?? position)
      isFirst = false
      yield { ...batch, position }
    }
  }
}

describe('the owner of the views of shards', () => {
  let clock: ManualClock
  let events: MemoryEvents
  let documents: MemoryDocuments
  const running: { end: AbortController; ended: Promise<void> }[] = []

  const start = (ownership: ShardOwnership, on = documents) => {
    const store = new NarrowStore({ clock, events })
    const views = new MemoryViews({ clock, definition, documents: on })
    const telemetry = new RecordingTelemetry()
    const owner = new ViewsOwner({ store, views, clock, log, telemetry, ownership }, projections)
    const end = new AbortController()
    const life = { end, ended: owner.run(end.signal) }
    running.push(life)
    const stop = async () => {
      end.abort()
      await life.ended
    }
    const shards = () => [...(telemetry.gauges.get(metrics.viewsShards.name)?.() ?? [])][0]?.value
    return { owner, views, store, stop, shards }
  }
  const fixed = (...shards: Shard[]): { ownership: ShardOwnership; set: (...shards: Shard[]) => void } => {
    const newest = new Newest<ReadonlySet<Shard>>()
    newest.set(new Set(shards))
    return { ownership: { owned: (signal) => newest.follow(signal) }, set: (...to) => newest.set(new Set(to)) }
  }
  const append = async (orgId: string, stream: string, ...appended: DomainEvent[]): Promise<number> => {
    const store = new MemoryEventStore({ clock, events })
    const length = (await store.read(stream)).length
    const metadata = { orgId, correlationId: 'a test', causationId: 'a test', traceparent }
    const newEvents = appended.map((event) => ({ ...event, id: systemIds.uuid(), metadata }) as NewEvent)
    const { position } = await store.append(stream, length === 0 ? 'no-stream' : length - 1, newEvents)
    await settle()
    return position
  }
  const ended = (orgId: string): DomainEvent => {
    return { type: 'JobCompleted', data: { orgId, kind: 'transcript', credits: 1 } }
  }
  const job = async (orgId: string, jobId: string): Promise<void> => {
    await append(orgId, `job-${jobId}`, { type: 'JobRequested', data: jobRequested({ orgId }) }, results.fetched)
    await append(orgId, `job-${jobId}`, results.captions, ended(orgId))
    await append(orgId, `credits-${orgId}`, settled(jobId, 1, 4, 'completed'))
  }
  /** The documents that one process makes of everything. */
  const replayed = async (): Promise<unknown> => {
    const whole = new MemoryDocuments()
    const { owner } = start(fixed(...allShards).ownership, whole)
    await owner.ready
    await clock.advance(1000)
    return copyOf(whole)
  }

  beforeEach(() => {
    clock = new ManualClock()
    events = new MemoryEvents()
    documents = new MemoryDocuments()
  })
  afterEach(async () => {
    for (const { end, ended } of running.splice(0)) {
      end.abort()
      await ended
    }
  })

  it('keeps those of its shards alone, takes over those of another that is gone, and together they equal a replay', async () => {
    const ownership = new MemoryShardOwnership()
    const [one, other, third] = [start(ownership), start(ownership), start(ownership)]
    const orgs = Array.from({ length: 12 }, (_, index) => `${(index * 4).toString(16).padStart(2, '0')}-org`)
    for (const orgId of orgs) await append(orgId, `credits-${orgId}`, granted(50))
    for (const orgId of orgs) await job(orgId, `${orgId.slice(0, 2)}-first`)
    await clock.advance(1000)
    expect([one.shards(), other.shards(), third.shards()]).to.deep.equal([22, 21, 21])
    const delivered = (store: NarrowStore) =>
      new Set(store.delivered.filter((stream) => stream.startsWith('job-'))).size
    expect([one, other, third].map(({ store }) => delivered(store))).to.deep.equal([4, 4, 4])
    await other.stop()
    for (const orgId of orgs) await job(orgId, `${orgId.slice(0, 2)}-second`)
    start(ownership)
    for (const orgId of orgs) await job(orgId, `${orgId.slice(0, 2)}-third`)
    await clock.advance(1000)
    expect(copyOf(documents)).to.deep.equal(await replayed())
    expect(documents.collections.get('jobs')?.size).to.equal(36)
  })

  it('can be read once the owners of all shards have reached the end', async () => {
    const one = start(fixed(...[...allShards].filter((shard) => shard !== 5)).ownership)
    await one.owner.ready
    expect(await one.views.problem()).to.contain('made anew')
    await start(fixed(5).ownership).owner.ready
    expect(await one.views.problem()).to.equal(undefined)
  })

  it('passes every event of keys and removals, also of shards of others: a wait for all of them ends', async () => {
    const [one] = [
      start(fixed(...[...allShards].slice(0, 32)).ownership),
      start(fixed(...[...allShards].slice(32)).ownership),
    ]
    await one.owner.ready
    await settle()
    await append('00-org', 'job-00-a', { type: 'JobRequested', data: jobRequested({ orgId: '00-org' }) })
    const removal: DomainEvent = { type: 'StreamsRemoved', data: { reason: 'forgotten', streams: ['job-00-a'] } }
    const position = await append('00-org', 'removal-00-a', removal)
    expect(await one.views.waitForCheckpoint('jobs', position, 0)).to.equal(true)
    expect(await one.views.get('jobs', '00-a')).to.equal(undefined)
  })

  it('shows the end of a job whose id is in another shard than its ledger, however far the other owner is', async () => {
    const [orgId, jobId] = ['04-org', 'f0-of a release before shards']
    await append(orgId, `credits-${orgId}`, granted(50))
    const ledgers = start(fixed(shardOf(orgId)).ownership)
    await ledgers.owner.ready
    await job(orgId, jobId)
    await clock.advance(1000)
    const shown = await ledgers.views.getMany('jobs', [jobId])
    expect(shown[0]).to.include({ status: 'completed', settled: true, listedAs: 'completed' })
    start(fixed(...[...allShards].filter((shard) => shard !== shardOf(orgId))).ownership)
    await clock.advance(1000)
    expect(copyOf(documents)).to.deep.equal(await replayed())
  })

  it('goes on at the checkpoints of other shards once it has written for the last time for those of before', async () => {
    const { ownership, set } = fixed(0)
    const { owner, views } = start(ownership)
    await owner.ready
    const apply = views.apply.bind(views)
    const { promise, resolve } = Promise.withResolvers<void>()
    views.apply = async (...given) => {
      await promise
      return apply(...given)
    }
    await append('00-org', 'job-00-a', { type: 'JobRequested', data: jobRequested({ orgId: '00-org' }) })
    await append('04-org', 'job-04-a', { type: 'JobRequested', data: jobRequested({ orgId: '04-org' }) })
    set(1)
    await settle()
    expect(await views.getMany('jobs', ['00-a', '04-a'])).to.deep.equal([])
    resolve()
    await clock.advance(1000)
    expect((await views.getMany('jobs', ['00-a', '04-a'])).map(({ id }) => id)).to.deep.equal(['00-a', '04-a'])
    expect(documents.checkpoints.get('jobs')?.positions.slice(0, 3)).to.deep.equal([0, 2, 0])
  })

  it('keeps all while nobody tells it which are its own, and those alone from then on', async () => {
    const newest = new Newest<ReadonlySet<Shard>>()
    const { owner, shards } = start({ owned: (signal) => newest.follow(signal) })
    await clock.advance(4000)
    expect(shards()).to.equal(0)
    await clock.advance(1000)
    await owner.ready
    expect(shards()).to.equal(64)
    newest.set(new Set([3]))
    await settle()
    await clock.advance(100)
    expect(shards()).to.equal(1)
    newest.set(new Set())
    await clock.advance(100)
    expect([shards(), owner.lag.behindMs]).to.deep.equal([0, undefined])
  })

  it('ends with the error of its projector', async () => {
    const { store } = start(fixed().ownership)
    running.splice(0)[0]?.end.abort()
    store.follow = async function* () {
      yield* []
      throw new Error('the feed is damaged')
    }
    const views = new MemoryViews({ clock, definition, documents })
    const telemetry = new RecordingTelemetry()
    const { ownership } = fixed(...allShards)
    const failing = new ViewsOwner({ store, views, clock, log, telemetry, ownership }, projections)
    const failed = failing.run(new AbortController().signal).catch((error: Error) => error.message)
    expect(await failed).to.equal('the feed is damaged')
  })
})

import { expect } from 'chai'
import { pino } from 'pino'
import { MemoryDocuments } from '#packages/adapters/memory/documents.ts'
import { MemoryOwnership } from '#packages/adapters/memory/ownership.ts'
import { MemoryViews } from '#packages/adapters/memory/views.ts'
import { Newest } from '#packages/adapters/newest.ts'
import { systemIds } from '#packages/adapters/system/ids.ts'
import { jobRequested } from '#packages/domain/job/job.fixture.ts'
import { metadataOf } from '#packages/events/store/key-commands.fixture.ts'
import { projections } from '#packages/events/views/projections.ts'
import { viewsDefinition as definition } from '#packages/events/views/views-definition.ts'
import { untilDisposed } from '#packages/foundation/concurrency/until-disposed.ts'
import type { NewEvent } from '#packages/ports/event-store.ts'
import type { Ownership } from '#packages/ports/ownership.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { ManualClock, settle } from '#test/doubles/manual-clock.ts'
import { MemoryEventStore, MemoryEvents } from '#test/doubles/memory-event-store.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import { ViewsOwner } from './views-owner.ts'

const log = pino({ level: 'silent' })

describe('the owner of the views', () => {
  let clock: ManualClock
  let events: MemoryEvents
  let documents: MemoryDocuments
  const running: AsyncDisposable[] = []

  const start = (ownership: Ownership) => {
    const store = new MemoryEventStore({ clock, events })
    const views = new MemoryViews({ clock, definition, documents })
    const telemetry = new RecordingTelemetry()
    const owner = new ViewsOwner({ store, views, clock, log, telemetry, ownership }, projections)
    const life = untilDisposed((signal) => owner.run(signal))
    running.push(life)
    const isOwner = () => [...(telemetry.gauges.get(metrics.viewsOwner.name)?.() ?? [])][0]?.value
    return { owner, views, stop: () => life[Symbol.asyncDispose](), isOwner }
  }
  const given = (isOwner?: boolean): { ownership: Ownership; give: (isOwner: boolean) => void } => {
    const newest = new Newest<boolean>()
    if (isOwner !== undefined) newest.set(isOwner)
    return { ownership: { owned: (signal) => newest.follow(signal) }, give: (to) => newest.set(to) }
  }
  const request = async (jobId: string): Promise<void> => {
    const data = jobRequested({ orgId: 'acme' })
    const event: NewEvent = { type: 'JobRequested', data, id: systemIds.uuid(), metadata: metadataOf('acme') }
    await new MemoryEventStore({ clock, events }).append(`job-${jobId}`, 'no-stream', [event])
    await settle()
  }
  const shown = (): string[] => [...(documents.collections.get('jobs')?.keys() ?? [])]

  beforeEach(() => {
    clock = new ManualClock()
    events = new MemoryEvents()
    documents = new MemoryDocuments()
  })
  afterEach(async () => {
    for (const each of running.splice(0)) await each[Symbol.asyncDispose]()
  })

  it('shows nothing new while a write waits over a second, such as for a file that another program holds', async () => {
    const one = start(new MemoryOwnership())
    await one.owner.ready
    const { promise: free, resolve } = Promise.withResolvers<void>()
    const apply = one.views.apply.bind(one.views)
    one.views.apply = async (...words) => {
      await free
      await apply(...words)
    }
    await request('a')
    await clock.advance(900)
    expect(one.isOwner()).to.equal(1)
    await clock.advance(200)
    expect(one.isOwner()).to.equal(0)
    resolve()
    await settle()
    expect(one.isOwner()).to.equal(1)
    expect(shown()).to.deep.equal(['a'])
  })

  it('works alone while a standby is ready and waits; the standby continues once the owner has left', async () => {
    const ownership = new MemoryOwnership()
    const [one, other] = [start(ownership), start(ownership)]
    await one.owner.ready
    await other.owner.ready
    await settle()
    expect([one.isOwner(), other.isOwner()]).to.deep.equal([1, 0])
    expect(other.owner.lag.behindMs, 'of the standby').to.equal(undefined)
    await request('j1')
    await one.stop()
    await request('j2')
    await clock.advance(100)
    expect(shown()).to.deep.equal(['j1', 'j2'])
    expect(other.isOwner()).to.equal(1)
  })

  it('stops after its last write when it loses ownership, and continues when it owns them again', async () => {
    const { ownership, give } = given(true)
    const { owner, views, isOwner } = start(ownership)
    await owner.ready
    const apply = views.apply.bind(views)
    const { promise, resolve } = Promise.withResolvers<void>()
    views.apply = async (...call) => {
      await promise
      return apply(...call)
    }
    await request('j1')
    give(false)
    await settle()
    give(true)
    await request('j2')
    expect(shown()).to.deep.equal([])
    resolve()
    await clock.advance(1000)
    expect(shown()).to.deep.equal(['j1', 'j2'])
    give(false)
    await request('j3')
    await clock.advance(1000)
    expect([shown(), isOwner(), owner.lag.behindMs]).to.deep.equal([['j1', 'j2'], 0, undefined])
  })

  it('takes them on after five seconds without news of ownership, until it hears it is not the owner', async () => {
    const { ownership, give } = given()
    const { owner, isOwner } = start(ownership)
    await clock.advance(4900)
    expect([isOwner(), owner.lag.behindMs]).to.deep.equal([0, Number.POSITIVE_INFINITY])
    await clock.advance(100)
    await owner.ready
    expect(isOwner()).to.equal(1)
    give(false)
    await clock.advance(100)
    expect(isOwner()).to.equal(0)
  })

  it('fails with the error of its projector', async () => {
    const store = new MemoryEventStore({ clock, events })
    store.follow = async function* () {
      yield* []
      throw new Error('the feed is damaged')
    }
    const views = new MemoryViews({ clock, definition, documents })
    const { ownership } = given(true)
    const failing = new ViewsOwner(
      { store, views, clock, log, telemetry: new RecordingTelemetry(), ownership },
      projections,
    )
    const failed = failing.run(new AbortController().signal).catch((error: Error) => error.message)
    expect(await failed).to.equal('the feed is damaged')
  })
})

import { expect } from 'chai'
import { pino } from 'pino'
import { MemoryDocuments } from '#packages/adapters/memory/documents.ts'
import { MemoryViews } from '#packages/adapters/memory/views.ts'
import { granted, settled } from '#packages/domain/credits/credits.fixture.ts'
import { jobRequested, results } from '#packages/domain/job/job.fixture.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { metadataOf } from '#packages/events/store/key-commands.fixture.ts'
import { balances } from '#packages/events/views/balances.ts'
import { jobs } from '#packages/events/views/jobs.ts'
import type { Projection } from '#packages/events/views/projection.ts'
import { viewsDefinition as definition } from '#packages/events/views/views-definition.ts'
import { untilDisposed } from '#packages/foundation/concurrency/until-disposed.ts'
import type { NewEvent } from '#packages/ports/event-store.ts'
import type { Views } from '#packages/ports/views.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { ManualClock, settle } from '#test/doubles/manual-clock.ts'
import { MemoryEventStore } from '#test/doubles/memory-event-store.ts'
import { Projector } from './projector.ts'

const log = pino({ level: 'silent' })

describe('a projector with many changes', () => {
  const jobId = '00000000-0000-4000-8000-0000000000aa'
  const newEvent = (event: DomainEvent): NewEvent => {
    return { ...event, id: crypto.randomUUID(), metadata: metadataOf('acme') } as NewEvent
  }
  let clock: ManualClock
  let store: MemoryEventStore
  let documents: MemoryDocuments
  /** The collections in each batch, and whether its checkpoint was saved. */
  let applied: string[]
  const open = () => {
    const views = new MemoryViews({ clock, definition, documents })
    const apply = views.apply.bind(views)
    views.apply = (changes, to) => {
      const collections = changes.map(({ collection }) => collection).sort()
      applied.push([...collections, ...(to.checkpoint === undefined ? [] : ['checkpoint'])].join())
      return apply(changes, to)
    }
    return views
  }
  const append = async (stream: string, ...events: DomainEvent[]): Promise<void> => {
    const length = (await store.read(stream)).length
    await store.append(stream, length === 0 ? 'no-stream' : length - 1, events.map(newEvent))
    await settle()
  }
  const request = () => append(`job-${jobId}`, { type: 'JobRequested', data: jobRequested({ orgId: 'acme' }) })
  const work = async () => {
    await append(`job-${jobId}`, results.fetched)
    await append(`job-${jobId}`, results.captions, {
      type: 'JobCompleted',
      data: { orgId: 'acme', kind: 'transcript', credits: 1 },
    })
  }

  const running: AsyncDisposable[] = []
  const run = (views: Views) => {
    const projector = new Projector({ store, views, clock, log, telemetry: noTelemetry }, [
      jobs,
      balances,
    ] as unknown as readonly Projection[])
    running.push(untilDisposed((signal) => projector.run(signal)))
    return projector
  }
  const stop = async () => {
    for (const each of running.splice(0)) await each[Symbol.asyncDispose]()
  }

  beforeEach(async () => {
    clock = new ManualClock()
    store = new MemoryEventStore({ clock })
    documents = new MemoryDocuments()
    applied = []
    await run(open()).ready
    applied = []
  })
  afterEach(() => stop())

  it('writes what callers wait for at once, and the rest with a checkpoint a second later', async () => {
    await append('credits-acme', granted(50))
    await request()
    await work()
    expect(applied).to.deep.equal(['jobs'])
    await append('credits-acme', settled(jobId, 1, 4, 'completed'))
    expect(applied).to.deep.equal(['jobs', 'jobs'])
    expect(await open().get('jobs', jobId)).to.include({ status: 'completed', settled: true, durationSeconds: 12.5 })
    await clock.advance(1000)
    expect(applied).to.deep.equal(['jobs', 'jobs', 'balances,checkpoint'])
    await clock.advance(5000)
    expect(applied, 'nothing more at rest').to.have.length(3)
  })

  it('makes the same documents after a crash between a write and its checkpoint', async () => {
    await append('credits-acme', granted(50))
    await request()
    await work()
    await append('credits-acme', settled(jobId, 1, 4, 'completed'))
    await stop()
    expect(await open().get('balances', 'acme')).to.equal(undefined)
    await run(open()).ready
    const again = new MemoryViews({ clock, definition })
    await run(again).ready
    for (const [collection, id] of [
      ['jobs', jobId],
      ['balances', 'acme'],
    ] as const) {
      const document = await open().get(collection, id)
      expect(document).to.deep.equal(await again.get(collection, id))
      expect(document).to.be.an('object')
    }
  })

  it('saves everything before a removal together with it, so a restart brings nothing back', async () => {
    await request()
    await work()
    await append('removal-1', { type: 'StreamsRemoved', data: { reason: 'forgotten', streams: [`job-${jobId}`] } })
    expect(applied).to.deep.equal(['jobs', 'jobs,checkpoint'])
    expect(await open().get('jobs', jobId)).to.equal(undefined)
    await stop()
    applied = []
    await run(open()).ready
    expect(applied).to.deep.equal(['checkpoint'])
  })

  it('counts as behind while a checkpoint cannot be saved, and no longer once it is saved', async () => {
    const views = new MemoryViews({ clock, definition })
    const projector = run(views)
    await projector.ready
    const apply = views.apply.bind(views)
    views.apply = () => Promise.reject(new Error('disk full'))
    await append('credits-acme', granted(50))
    await clock.advance(2000)
    expect(projector.lag.behindMs).to.be.at.least(500)
    views.apply = apply
    await clock.advance(1000)
    expect(projector.lag.behindMs).to.equal(undefined)
  })
})

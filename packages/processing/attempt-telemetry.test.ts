import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { pino } from 'pino'
import { MemoryEventStore } from '#packages/adapters/memory/event-store.ts'
import { MemoryWorkQueue } from '#packages/adapters/memory/work-queue.ts'
import { systemIds } from '#packages/adapters/system/ids.ts'
import { jobRequested, results } from '#packages/domain/job/job.fixture.ts'
import { StepError } from '#packages/errors/step-error.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import type { EventStore, NewEvent, StoredEvent } from '#packages/ports/event-store.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { tracedEventStore } from '#packages/telemetry/traced-event-store.ts'
import { newTraceparent, spanIdFrom, spanIdOf, traceIdOf } from '#packages/telemetry/traceparent.ts'
import { ManualClock, settle } from '#test/doubles/manual-clock.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import { AttemptsUnderWay } from './attempts-under-way.ts'
import { Processor } from './processor.ts'
import type { StepWork } from './step.ts'
import { Work } from './work.harness.ts'

const posted = newTraceparent(true)
/** The span in which a task is published. */
const published = `${posted.slice(0, 36)}${'9'.repeat(16)}-01`
const log = pino({ level: 'silent' })
const metadata = { orgId: 'acme', correlationId: 'j1', causationId: 'test', traceparent: posted }

describe('what is told of an attempt', () => {
  let clock: ManualClock
  let store: MemoryEventStore
  let queue: MemoryWorkQueue
  let work: Work
  let telemetry: RecordingTelemetry
  let end: AbortController
  let running: Promise<void>

  const start = (step: StepWork = work.step, over: EventStore = store) => {
    const options = { step: 'fetch', slots: 1, worker: 'w1', leaseSeconds: 30, extendEverySeconds: 10 } as const
    const ports = { store: over, clock, ids: systemIds, queue, log, telemetry }
    const mine = { ...ports, attempts: new AttemptsUnderWay(), processors: new Map() }
    running = new Processor(mine, options, step).run(end.signal)
  }
  const append = (after: number, ...events: DomainEvent[]) =>
    store.append(
      'job-j1',
      after < 0 ? 'no-stream' : after,
      events.map((event): NewEvent => ({ ...event, id: systemIds.uuid(), metadata })),
    )
  const publish = async (attempt = 1, revision = 0, traceparent = published) => {
    const task = { jobId: 'j1', orgId: 'acme', lane: 'standard', step: 'fetch', attempt, revision } as const
    await queue.publish({ ...task, traceparent, deadlineAt: clock.now() + 100_000 })
    await settle()
  }
  const events = (): Promise<StoredEvent[]> => store.read('job-j1')
  const starts = async () => (await events()).filter(({ type }) => type === 'StepStarted')
  const outcomes = () => telemetry.spans.map(({ attributes, error }) => [attributes?.['video.outcome'], error])

  beforeEach(async () => {
    clock = new ManualClock()
    store = new MemoryEventStore({ clock })
    queue = new MemoryWorkQueue()
    work = new Work()
    telemetry = new RecordingTelemetry()
    end = new AbortController()
    const data = jobRequested({ orgId: 'acme', mode: 'generate', windowSeconds: 100 })
    await append(-1, { type: 'JobRequested', data })
  })

  afterEach(async () => {
    end.abort()
    await running
    for (const { name, attributes } of telemetry.values) {
      const metric = Object.values(metrics).find((each) => each.name === name)
      expect(metric?.attributes, name).to.include.members(Object.keys(attributes))
    }
  })

  it('is a span that is named after its claim, child of the job and linked to the publication', async () => {
    start()
    const startedAt = clock.now()
    await publish()
    await clock.advance(25_000)
    await work.end(results.fetched)
    const [claim] = await starts()
    const [span] = telemetry.spans
    expect(telemetry.spans).to.have.length(1)
    expect(span).to.deep.include({ name: 'process fetch', kind: 'consumer', links: [published], error: undefined })
    expect(span).to.include({ startedAt, endedAt: startedAt + 25_000, parentId: spanIdFrom('j1') })
    expect(traceIdOf(span?.traceparent ?? '')).to.equal(traceIdOf(posted))
    expect(spanIdOf(span?.traceparent ?? '')).to.equal(spanIdFrom(claim?.id ?? ''))
    expect(span?.attributes).to.deep.equal({
      'messaging.system.name': 'memory',
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.destination.name': 'fetch.standard',
      'video.job.id': 'j1',
      'video.org.id': 'acme',
      'video.step': 'fetch',
      'video.attempt': 1,
      'video.outcome': 'completed',
    })
    const own = (await events()).slice(1)
    expect(own.map(({ type }) => type)).to.deep.equal(['StepStarted', 'LeaseExtended', 'LeaseExtended', 'VideoFetched'])
    expect(new Set(own.map((event) => event.metadata.traceparent))).to.deep.equal(new Set([span?.traceparent]))
  })

  it('has its work within the span', async () => {
    let current: string | undefined
    start(async () => {
      current = telemetry.current
      return results.fetched
    })
    await publish()
    expect(current).to.be.a('string').and.to.equal(telemetry.spans[0]?.traceparent)
  })

  it('links the attempt after a failure, and the one after a lost lease, to the attempt before', async () => {
    start()
    await publish()
    await work.end(new StepError('upstream_error', { transient: true, retryAfterSeconds: 4 }))
    await clock.advance(7000)
    await publish(2, 2)
    end.abort()
    await running
    // Its worker dies, and says nothing.
    const dead: DomainEvent = {
      type: 'StepStarted',
      data: { step: 'fetch', attempt: 3, worker: 'dead', leaseSeconds: 30 },
    }
    const [id, own] = [systemIds.uuid(), { ...metadata, traceparent: '' }]
    own.traceparent = `${posted.slice(0, 36)}${spanIdFrom(id)}-01`
    await store.append('job-j1', 4, [{ ...dead, id, metadata: own }])
    await clock.advance(33_000)
    end = new AbortController()
    work = new Work()
    start()
    await publish(4, 5)
    await work.end(results.fetched)
    await clock.advance(1)
    expect(telemetry.spans.map(({ attributes }) => attributes?.['video.attempt'])).to.deep.equal([1, 2, 4])
    const [first, second, fourth] = telemetry.spans
    expect(second?.links).to.deep.equal([published, first?.traceparent])
    expect(fourth?.links).to.deep.equal([published, own.traceparent])
    expect(telemetry.valuesOf(metrics.leasesExpired)).to.deep.equal([
      { value: 1, attributes: { 'video.step': 'fetch' } },
    ])
    const waits = telemetry.valuesOf(metrics.stepWait).map(({ value }) => value)
    expect(waits).to.deep.equal([0, 3, 3])
    const retried = [{ value: 1, attributes: { 'video.step': 'fetch', 'video.outcome': 'upstream_error' } }]
    expect(telemetry.valuesOf(metrics.stepsRetried)).to.deep.equal(retried)
  })

  it('has no link to what is no span: a task that nobody traced', async () => {
    start()
    await publish(0, 1, `${posted.slice(0, 36)}${spanIdFrom('j1')}-01`)
    await work.end(results.fetched)
    expect(telemetry.spans.map(({ links }) => links)).to.deep.equal([[]])
  })

  it('has a status by how it ended', async () => {
    start()
    await publish()
    await work.end(new StepError('video_private'))
    expect(outcomes()).to.deep.equal([['video_private', 'video_private']])
    const durations = [{ value: 0, attributes: { 'video.step': 'fetch', 'video.outcome': 'video_private' } }]
    expect(telemetry.valuesOf(metrics.stepDuration)).to.deep.equal(durations)
    expect(telemetry.valuesOf(metrics.stepsRetried)).to.deep.equal([])
  })

  it('tells a result that was too large', async () => {
    start()
    await publish()
    const container = randomBytes(2_000_000).toString('base64')
    const format = { container, hasAudio: true, hasVideo: true, width: null, height: null, bytes: null }
    await work.end({ type: 'VideoFetched', data: { ...results.fetched.data, formats: [format] } })
    expect(outcomes()).to.deep.equal([['result_too_large', 'result_too_large']])
  })

  it('tells a claim that was given back, which is no failure', async () => {
    start()
    await publish()
    end.abort()
    await running
    expect(outcomes()).to.deep.equal([['released', undefined]])
    expect(telemetry.valuesOf(metrics.stepsRetried)).to.deep.equal([])
  })

  it('tells a deadline that passed while it worked', async () => {
    start()
    await publish()
    await clock.advance(100_100)
    expect(outcomes()).to.deep.equal([['deadline', 'deadline']])
  })

  it('tells a claim that was lost while it worked', async () => {
    start()
    await publish()
    const other = { step: 'fetch', attempt: 2, worker: 'w2', leaseSeconds: 30 } as const
    await append(1, { type: 'StepStarted', data: other })
    await work.end(results.fetched)
    expect(outcomes()).to.deep.equal([['claim_lost', 'claim_lost']])
  })

  it('is a span also where the claim was somebody else’s, and no attempt that is measured', async () => {
    start()
    await publish(1, 0)
    await work.end(results.fetched)
    await publish(1, 0)
    await publish(1, 0)
    expect(outcomes()).to.deep.equal([
      ['completed', undefined],
      ['claim_lost', undefined],
      ['claim_lost', undefined],
    ])
    for (const { links, parentId } of telemetry.spans)
      expect([links, parentId]).to.deep.equal([[published], spanIdFrom('j1')])
    expect(telemetry.valuesOf(metrics.stepDuration)).to.have.length(1)
  })

  it('is a span that failed where the task can never be claimed', async () => {
    start()
    await publish(0)
    expect(outcomes()).to.deep.equal([['internal_error', 'internal_error']])
    expect(telemetry.valuesOf(metrics.stepDuration)).to.deep.equal([])
  })

  it('is the parent of every append of a worker, whatever becomes of its claims', async () => {
    start(work.step, tracedEventStore(store, { telemetry, system: 'memory' }))
    await publish()
    await publish()
    await work.end(new StepError('upstream_error', { transient: true, retryAfterSeconds: 4 }))
    await publish()
    await clock.advance(5000)
    await publish(2, 2)
    await append(3, { type: 'StepStarted', data: { step: 'fetch', attempt: 3, worker: 'w2', leaseSeconds: 30 } })
    await work.end(results.fetched)
    await store.remove('job-j1')
    await publish(4, 4)
    const appends = telemetry.spans.filter(({ name }) => name === 'append job')
    expect(appends.map(({ attributes }) => attributes?.['video.outcome'])).to.include.members(['conflict', 'failed'])
    const known = telemetry.named('process fetch').map((span) => spanIdOf(span.traceparent))
    expect(appends.filter(({ parentId }) => !known.includes(parentId ?? ''))).to.deep.equal([])
  })
})

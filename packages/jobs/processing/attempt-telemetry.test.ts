import { expect } from 'chai'
import { systemIds } from '#packages/adapters/system/ids.ts'
import { results } from '#packages/domain/job/job.fixture.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { tracedEventStore } from '#packages/telemetry/traced-event-store.ts'
import { spanIdFrom, spanIdOf, traceIdOf } from '#packages/telemetry/traceparent.ts'
import type { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import { posted, started, tooLarge, type Work, Workers } from './work.harness.ts'

/** The span that publishes a task. */
const published = `${posted.slice(0, 36)}${'9'.repeat(16)}-01`

describe('the telemetry of an attempt', () => {
  let workers: Workers
  let work: Work
  let telemetry: RecordingTelemetry
  const publish = (attempt = 1, revision = 0, traceparent = published) =>
    workers.publish('j1', { attempt, revision, traceparent })
  const outcomes = () => telemetry.spans.map(({ attributes, error }) => [attributes?.['video.outcome'], error])

  beforeEach(async () => {
    workers = new Workers()
    work = workers.works.fetch
    telemetry = workers.telemetry
    await workers.request()
  })
  afterEach(() => workers.stop())

  it('is a span named after its claim, a child of the job and linked to the publication', async () => {
    workers.start()
    const startedAt = workers.clock.now()
    await publish()
    await workers.clock.advance(25_000)
    await work.end(results.fetched)
    const claim = (await workers.eventsOf()).find(({ type }) => type === 'StepStarted')
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
    const own = (await workers.eventsOf()).slice(1)
    expect(own.map(({ type }) => type)).to.deep.equal(['StepStarted', 'LeaseExtended', 'LeaseExtended', 'VideoFetched'])
    expect(new Set(own.map((event) => event.metadata.traceparent))).to.deep.equal(new Set([span?.traceparent]))
  })

  it('has its work within the span', async () => {
    let current: string | undefined
    const fetch = async () => {
      current = telemetry.current
      return results.fetched
    }
    workers.start({ work: fetch })
    await publish()
    expect(current).to.be.a('string').and.to.equal(telemetry.spans[0]?.traceparent)
  })

  it('links the attempt after a failure, and the one after a lost lease, to the previous attempt', async () => {
    workers.start()
    await publish()
    await work.end(new StepError('upstream_error', { transient: true, retryAfterSeconds: 4 }))
    await workers.clock.advance(7000)
    await publish(2, 2)
    await workers.stop()
    // Its worker dies silently.
    const id = systemIds.uuid()
    const own = { orgId: 'acme', correlationId: 'j1', causationId: 'test', traceparent: '' }
    own.traceparent = `${posted.slice(0, 36)}${spanIdFrom(id)}-01`
    await workers.memory.append('job-j1', 4, [{ ...started(3, 'dead'), id, metadata: own }])
    await workers.clock.advance(33_000)
    workers.start()
    await publish(4, 5)
    await work.end(results.fetched)
    await workers.clock.advance(1)
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

  it('has no link to what is not a span: a task without a trace', async () => {
    workers.start()
    await publish(0, 1, `${posted.slice(0, 36)}${spanIdFrom('j1')}-01`)
    await work.end(results.fetched)
    expect(telemetry.spans.map(({ links }) => links)).to.deep.equal([[]])
  })

  it('has a status by how it ended', async () => {
    workers.start()
    await publish()
    await work.end(new StepError('video_private'))
    expect(outcomes()).to.deep.equal([['video_private', 'video_private']])
    const durations = [{ value: 0, attributes: { 'video.step': 'fetch', 'video.outcome': 'video_private' } }]
    expect(telemetry.valuesOf(metrics.stepDuration)).to.deep.equal(durations)
    expect(telemetry.valuesOf(metrics.stepsRetried)).to.deep.equal([])
  })

  const ends: [what: string, outcome: [string, string | undefined], end: () => Promise<unknown>][] = [
    ['a result that was too large', ['result_too_large', 'result_too_large'], () => work.end(tooLarge())],
    ['a claim that was given back, which is no failure', ['released', undefined], () => workers.stop()],
    ['a deadline that passed while it worked', ['deadline', 'deadline'], () => workers.clock.advance(100_100)],
    [
      'a claim that was lost while it worked',
      ['claim_lost', 'claim_lost'],
      () => workers.append('j1', 1, started(2)).then(() => work.end(results.fetched)),
    ],
  ]
  for (const [what, outcome, end] of ends)
    it(`records ${what}`, async () => {
      workers.start()
      await publish()
      await end()
      expect(outcomes()).to.deep.equal([outcome])
      expect(telemetry.valuesOf(metrics.stepsRetried)).to.deep.equal([])
    })

  it('is a span even if another worker made the claim, but not a measured attempt', async () => {
    workers.start()
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

  it('is a failed span if the task can never be claimed', async () => {
    workers.start()
    await publish(0)
    expect(outcomes()).to.deep.equal([['internal_error', 'internal_error']])
    expect(telemetry.valuesOf(metrics.stepDuration)).to.deep.equal([])
  })

  it('is the parent of every append of a worker, whatever becomes of its claims', async () => {
    workers.start({ store: tracedEventStore(workers.memory, { telemetry, system: 'memory' }) })
    await publish()
    await publish()
    await work.end(new StepError('upstream_error', { transient: true, retryAfterSeconds: 4 }))
    await publish()
    await workers.clock.advance(5000)
    await publish(2, 2)
    await workers.append('j1', 3, started(3))
    await work.end(results.fetched)
    await workers.memory.remove('job-j1')
    await publish(4, 4)
    const appends = telemetry.spans.filter(({ name }) => name === 'append job')
    expect(appends.map(({ attributes }) => attributes?.['video.outcome'])).to.include.members(['conflict', 'failed'])
    const known = telemetry.named('process fetch').map((span) => spanIdOf(span.traceparent))
    expect(appends.filter(({ parentId }) => !known.includes(parentId ?? ''))).to.deep.equal([])
  })
})

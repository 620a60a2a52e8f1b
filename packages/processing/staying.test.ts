import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { pino } from 'pino'
import { MemoryEventStore } from '#packages/adapters/memory/event-store.ts'
import { MemoryWorkQueue } from '#packages/adapters/memory/work-queue.ts'
import { systemIds } from '#packages/adapters/system/ids.ts'
import type { Step } from '#packages/domain/job/events.ts'
import { jobRequested, results } from '#packages/domain/job/job.fixture.ts'
import { StepError } from '#packages/errors/step-error.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import type { EventStore, NewEvent, StoredEvent } from '#packages/ports/event-store.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { jobSpanOf, newTraceparent, spanIdFrom, spanIdOf } from '#packages/telemetry/traceparent.ts'
import { ManualClock, settle } from '#test/doubles/manual-clock.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import { AttemptsUnderWay } from './attempts-under-way.ts'
import { Processor, type Processors } from './processor.ts'
import { Work } from './work.harness.ts'

const posted = newTraceparent(true)
const log = pino({ level: 'silent' })

describe('a job whose next step is served in the same process', () => {
  let clock: ManualClock
  let inner: MemoryEventStore
  let store: EventStore
  /** The types of the events of each append of a worker; reads of a worker. */
  let appends: string[][]
  let reads: number
  let answersToLose: number
  let queue: MemoryWorkQueue
  let telemetry: RecordingTelemetry
  let attempts: AttemptsUnderWay
  let works: Record<'fetch' | 'speech-to-text', Work>
  let end: AbortController
  let running: Promise<unknown>

  beforeEach(() => {
    clock = new ManualClock()
    inner = new MemoryEventStore({ clock })
    appends = []
    reads = 0
    answersToLose = 0
    store = Object.assign(Object.create(inner), {
      append: async (...call: Parameters<EventStore['append']>) => {
        appends.push(call[2].map(({ type }) => type))
        const answer = await inner.append(...call)
        if (answersToLose-- > 0) throw new Error('connection lost')
        return answer
      },
      read: (...call: Parameters<EventStore['read']>) => {
        reads += 1
        return inner.read(...call)
      },
    })
    queue = new MemoryWorkQueue()
    telemetry = new RecordingTelemetry()
    attempts = new AttemptsUnderWay()
    works = { fetch: new Work(), 'speech-to-text': new Work() }
    end = new AbortController()
  })
  afterEach(async () => {
    end.abort()
    await running
  })

  const start = (slots: Partial<Record<Step, number>> = {}) => {
    const processors: Processors = new Map()
    const ports = { store, clock, ids: systemIds, queue, log, telemetry, attempts, processors }
    const lease = { worker: 'w1', leaseSeconds: 30, extendEverySeconds: 10 }
    const made = (['fetch', 'speech-to-text'] as const).map(
      (step) => new Processor(ports, { step, slots: slots[step] ?? 4, ...lease }, works[step].step),
    )
    running = Promise.all(made.map((processor) => processor.run(end.signal)))
  }
  const append = (jobId: string, after: number, ...events: DomainEvent[]) => {
    const metadata = { orgId: 'acme', correlationId: jobId, causationId: 'test', traceparent: posted }
    const all = events.map((event): NewEvent => ({ ...event, id: systemIds.uuid(), metadata }))
    return inner.append(`job-${jobId}`, after < 0 ? 'no-stream' : after, all)
  }
  const request = (jobId: string, orgId: string) => {
    const data = jobRequested({ orgId, mode: 'generate', windowSeconds: 100 })
    return append(jobId, -1, { type: 'JobRequested', data })
  }
  const publish = async (jobId: string, orgId: string, step: Step = 'fetch', revision = 0) => {
    const traceparent = jobSpanOf(jobId, posted)
    const task = { jobId, orgId, lane: 'standard', step, attempt: 1, revision, traceparent } as const
    await queue.publish({ ...task, deadlineAt: clock.now() + 100_000 })
    await settle()
  }
  /** A job whose fetch step is at work. */
  const fetching = async (jobId = 'j1', orgId = 'acme') => {
    await request(jobId, orgId)
    await publish(jobId, orgId)
  }
  const eventsOf = (jobId = 'j1'): Promise<StoredEvent[]> => inner.read(`job-${jobId}`)
  const typesOf = async (jobId = 'j1') => (await eventsOf(jobId)).map(({ type }) => type)
  const speaking = () => works['speech-to-text'].begun.map(({ jobId }) => jobId)

  it('stays: the result and the next claim are one append, and nothing is read again', async () => {
    start()
    await fetching()
    await clock.advance(3000)
    await works.fetch.end(results.fetched)
    expect(appends).to.deep.equal([['StepStarted'], ['VideoFetched', 'StepStarted']])
    const [context] = works['speech-to-text'].begun
    expect(context?.video).to.deep.equal(results.fetched.data)
    expect(context?.events.map(({ id, type, data, revision }) => ({ id, type, data, revision }))).to.deep.equal(
      (await eventsOf()).map(({ id, type, data, revision }) => ({ id, type, data, revision })),
    )
    await works['speech-to-text'].end(results.speech)
    expect(appends.slice(2)).to.deep.equal([['SpeechTranscribed', 'JobCompleted']])
    expect(reads).to.equal(1)
    const { causationId } = (await eventsOf())[3]?.metadata ?? {}
    expect(causationId, 'names the event after which the step was due').to.equal('j1/2/speech-to-text/1')
  })

  it('keeps and extends its lease, and gives it back when the service stops, like any other', async () => {
    start()
    await fetching()
    await works.fetch.end(results.fetched)
    await clock.advance(15_000)
    expect((await typesOf()).slice(2)).to.deep.equal(['VideoFetched', 'StepStarted', 'LeaseExtended'])
    end.abort()
    await running
    expect((await eventsOf()).at(-1)?.data).to.include({ step: 'speech-to-text', attempt: 1, code: 'released' })
  })

  it('stops at the deadline, and when it is cancelled, like any other', async () => {
    start()
    await fetching('j1')
    await fetching('j2')
    await works.fetch.end(results.fetched)
    await works.fetch.end(results.fetched)
    attempts.cancel('j1')
    await settle()
    const [first, second] = works['speech-to-text'].begun
    expect(first?.signal.reason).to.include({ code: 'cancelled' })
    await clock.advance(100_100)
    expect(second?.signal.reason).to.include({ code: 'deadline' })
  })

  it('does not begin the next step where it is cancelled while it is claimed', async () => {
    start()
    await fetching()
    answersToLose = 2
    await works.fetch.end(results.fetched)
    attempts.cancel('j1')
    await clock.advance(1000)
    expect(speaking()).to.deep.equal([])
  })

  it('repeats the append whose answer was lost, and works once', async () => {
    start()
    await fetching()
    answersToLose = 2
    await works.fetch.end(results.fetched)
    await clock.advance(1000)
    expect(await typesOf()).to.deep.equal(['JobRequested', 'StepStarted', 'VideoFetched', 'StepStarted'])
    expect(speaking()).to.deep.equal(['j1'])
  })

  it('has claimed nothing where the result is refused, and keeps no slot', async () => {
    start({ 'speech-to-text': 2 })
    await fetching('j1')
    await fetching('j2')
    const other = { step: 'fetch', attempt: 2, worker: 'w2', leaseSeconds: 30 } as const
    await append('j1', 1, { type: 'StepStarted', data: other })
    await works.fetch.end(results.fetched)
    expect(speaking()).to.deep.equal([])
    await works.fetch.end(results.fetched)
    expect(speaking()).to.deep.equal(['j2'])
  })

  it('fails where the result is too large, also without the claim', async () => {
    start()
    await fetching()
    const container = randomBytes(2_000_000).toString('base64')
    const format = { container, hasAudio: true, hasVideo: true, width: null, height: null, bytes: null }
    await works.fetch.end({ type: 'VideoFetched', data: { ...results.fetched.data, formats: [format] } })
    expect((await eventsOf()).at(-1)?.data).to.include({ code: 'result_too_large' })
    expect(speaking()).to.deep.equal([])
  })

  it('goes through the queue where the attempt is retried', async () => {
    start()
    await fetching()
    await works.fetch.end(new StepError('upstream_error', { transient: true, retryAfterSeconds: 4 }))
    expect(appends).to.deep.equal([['StepStarted'], ['StepFailed']])
  })

  it('goes through the queue where its organization has half of the slots, also by tasks', async () => {
    start({ fetch: 8, 'speech-to-text': 4 })
    await request('t1', 'acme')
    await append('t1', 0, { type: 'StepStarted', data: { step: 'fetch', attempt: 1, worker: 'w2', leaseSeconds: 30 } })
    await append('t1', 1, results.fetched)
    await publish('t1', 'acme', 'speech-to-text', 2)
    for (const job of ['j1', 'j2', 'j3']) await fetching(job)
    await fetching('other', 'globex')
    for (let n = 0; n < 4; n++) await works.fetch.end(results.fetched)
    expect(speaking()).to.deep.equal(['t1', 'j1', 'other'])
    expect(await typesOf('j2')).to.deep.equal(['JobRequested', 'StepStarted', 'VideoFetched'])
    await works['speech-to-text'].end(results.speech)
    await fetching('j4')
    await works.fetch.end(results.fetched)
    expect(speaking()).to.deep.equal(['t1', 'j1', 'other', 'j4'])
  })

  it('goes through the queue where there is one slot: an organization has at most half by staying', async () => {
    start({ 'speech-to-text': 1 })
    await fetching()
    await works.fetch.end(results.fetched)
    expect(await typesOf()).to.deep.equal(['JobRequested', 'StepStarted', 'VideoFetched'])
  })

  it('leaves a slot to a task that waits here for one', async () => {
    start({ fetch: 8, 'speech-to-text': 2 })
    for (const [job, org] of [
      ['j1', 'a'],
      ['j2', 'b'],
      ['j3', 'c'],
    ] as const)
      await fetching(job, org)
    await works.fetch.end(results.fetched)
    await works.fetch.end(results.fetched)
    expect(speaking()).to.deep.equal(['j1', 'j2'])
    // Both slots are taken. A task waits, and gets the first that is free.
    await request('t1', 'd')
    await append('t1', 0, { type: 'StepStarted', data: { step: 'fetch', attempt: 1, worker: 'w2', leaseSeconds: 30 } })
    await append('t1', 1, results.fetched)
    await publish('t1', 'd', 'speech-to-text', 2)
    await works.fetch.end(results.fetched)
    expect(await typesOf('j3')).to.deep.equal(['JobRequested', 'StepStarted', 'VideoFetched'])
    await works['speech-to-text'].end(results.speech)
    expect(speaking()).to.deep.equal(['j1', 'j2', 't1'])
  })

  it('tells of the next attempt as of any other, but for the message, and that it did not wait', async () => {
    start()
    await fetching()
    await works.fetch.end(results.fetched)
    await clock.advance(7000)
    await works['speech-to-text'].end(results.speech)
    const [fetch, speech] = telemetry.spans
    const claim = (await eventsOf())[3]
    expect(spanIdOf(speech?.traceparent ?? '')).to.equal(spanIdFrom(claim?.id ?? ''))
    expect(claim?.metadata.traceparent).to.equal(speech?.traceparent)
    expect(speech).to.deep.include({ name: 'process speech-to-text', kind: 'internal', links: [fetch?.traceparent] })
    expect(speech).to.include({ parentId: spanIdFrom('j1'), startedAt: clock.now() - 7000, endedAt: clock.now() })
    expect(Object.keys(speech?.attributes ?? {}).filter((name) => name.startsWith('messaging'))).to.deep.equal([])
    expect(telemetry.valuesOf(metrics.stepWait)).to.deep.include({
      value: 0,
      attributes: { 'video.step': 'speech-to-text', 'video.lane': 'standard' },
    })
    const durations = telemetry.valuesOf(metrics.stepDuration)
    expect(durations.map(({ value, attributes }) => [attributes['video.step'], value])).to.deep.equal([
      ['fetch', 0],
      ['speech-to-text', 7],
    ])
  })
})

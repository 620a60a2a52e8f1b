import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { pino } from 'pino'
import { MemoryEventStore } from '#packages/adapters/memory/event-store.ts'
import { MemoryWorkQueue } from '#packages/adapters/memory/work-queue.ts'
import { systemIds } from '#packages/adapters/system/ids.ts'
import type { Lane } from '#packages/domain/job/events.ts'
import { jobRequested, results } from '#packages/domain/job/job.fixture.ts'
import { StepError } from '#packages/errors/step-error.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import type { EventStore, NewEvent, StoredEvent } from '#packages/ports/event-store.ts'
import type { Delivery, WorkQueue } from '#packages/ports/work-queue.ts'
import { ManualClock, settle } from '#test/doubles/manual-clock.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import { AttemptsUnderWay } from './attempts-under-way.ts'
import { Processor } from './processor.ts'
import { Work } from './work.harness.ts'

const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`
const log = pino({ level: 'silent' })
const metadata = { orgId: 'acme', correlationId: 'j1', causationId: 'test', traceparent }

/** A store that stores the next appends but answers them with an error. */
class ForgetfulStore {
  answersToLose = 0
  appends = 0
  readonly store: EventStore

  constructor(inner: EventStore) {
    this.store = new Proxy(inner, {
      get: (target, name) => {
        if (name !== 'append') return Reflect.get(target, name).bind(target)
        return async (...args: Parameters<EventStore['append']>) => {
          this.appends += 1
          const answer = await target.append(...args)
          if (this.answersToLose-- > 0) throw new Error('connection lost')
          return answer
        }
      },
    })
  }
}

describe('a processor', () => {
  let clock: ManualClock
  let forgetful: ForgetfulStore
  let queue: MemoryWorkQueue
  let work: Work
  let telemetry: RecordingTelemetry
  let attempts: AttemptsUnderWay
  let end: AbortController
  let running: Promise<void>

  const start = (slots = 1, from: WorkQueue = queue) => {
    const options = { step: 'fetch', slots, worker: 'w1', leaseSeconds: 30, extendEverySeconds: 10 } as const
    const processor = new Processor(
      { store: forgetful.store, clock, ids: systemIds, queue: from, log, telemetry, attempts, processors: new Map() },
      options,
      work.step,
    )
    running = processor.run(end.signal)
  }

  const append = (jobId: string, after: number, ...events: DomainEvent[]) =>
    forgetful.store.append(
      `job-${jobId}`,
      after < 0 ? 'no-stream' : after,
      events.map((event): NewEvent => ({ ...event, id: systemIds.uuid(), metadata })),
    )

  const request = async (jobId = 'j1', lane: Lane = 'standard') => {
    const data = jobRequested({ orgId: 'acme', mode: 'generate', lane, windowSeconds: 100 })
    await append(jobId, -1, { type: 'JobRequested', data })
  }

  const publish = async (jobId = 'j1', lane: Lane = 'standard', revision = 0) => {
    const task = { jobId, orgId: 'acme', lane, step: 'fetch', attempt: 1, revision, traceparent } as const
    await queue.publish({ ...task, deadlineAt: clock.now() + 100_000 })
    await settle()
  }

  const eventsOf = (jobId = 'j1'): Promise<StoredEvent[]> => forgetful.store.read(`job-${jobId}`)
  const typesOf = async (jobId = 'j1') => (await eventsOf(jobId)).map(({ type }) => type)

  beforeEach(async () => {
    clock = new ManualClock()
    forgetful = new ForgetfulStore(new MemoryEventStore({ clock }))
    queue = new MemoryWorkQueue()
    work = new Work()
    telemetry = new RecordingTelemetry()
    attempts = new AttemptsUnderWay()
    end = new AbortController()
    await request()
  })

  afterEach(async () => {
    end.abort()
    await running
  })

  it('claims a task at its revision, works, and appends the result at the revision of the claim', async () => {
    start()
    await publish()
    expect(await typesOf()).to.deep.equal(['JobRequested', 'StepStarted'])
    await work.end(results.fetched)
    expect(await typesOf()).to.deep.equal(['JobRequested', 'StepStarted', 'VideoFetched'])
  })

  it('gives the step the request and the time it has', async () => {
    start()
    await publish()
    const [context] = work.begun
    expect(context?.job.url).to.equal(jobRequested().url)
    expect(context?.deadlineAt).to.equal(clock.now() + 100_000)
  })

  it('drops a task that another worker has claimed, and one delivered twice', async () => {
    start(2)
    await publish()
    await publish()
    expect(work.begun).to.have.length(1)
    expect(await typesOf()).to.deep.equal(['JobRequested', 'StepStarted'])
    expect(await queue.listDeadLetters()).to.have.length(0)
  })

  it('repeats an append whose answer was lost, and appends it once', async () => {
    start()
    forgetful.answersToLose = 2
    await publish()
    await clock.advance(1000)
    expect(work.begun).to.have.length(1)
    forgetful.answersToLose = 1
    await work.end(results.fetched)
    await clock.advance(1000)
    expect(await typesOf()).to.deep.equal(['JobRequested', 'StepStarted', 'VideoFetched'])
  })

  it('keeps its lease for as long as it works, and then appends after the last extension', async () => {
    start()
    await publish()
    await clock.advance(25_000)
    await work.end(results.fetched)
    expect(await typesOf()).to.deep.equal([
      'JobRequested',
      'StepStarted',
      'LeaseExtended',
      'LeaseExtended',
      'VideoFetched',
    ])
  })

  it('discards its work when another worker has taken over', async () => {
    start()
    await publish()
    const started = { step: 'fetch', attempt: 2, worker: 'w2', leaseSeconds: 30 } as const
    await append('j1', 1, { type: 'StepStarted', data: started })
    await work.end(results.fetched)
    expect(await typesOf()).to.deep.equal(['JobRequested', 'StepStarted', 'StepStarted'])
  })

  it('stops at once when an extension finds that the claim is lost, and frees the slot', async () => {
    start()
    await request('j2')
    await publish()
    const started = { step: 'fetch', attempt: 2, worker: 'w2', leaseSeconds: 30 } as const
    await append('j1', 1, { type: 'StepStarted', data: started })
    await clock.advance(10_100)
    expect(work.begun[0]?.signal.aborted).to.equal(true)
    await publish('j2')
    expect(work.begun.map(({ jobId }) => jobId)).to.deep.equal(['j1', 'j2'])
  })

  describe('where its job was cancelled', () => {
    const cancelled = { orgId: 'acme', kind: 'transcript', code: 'cancelled', message: 'made up', used: null } as const

    it('stops at once where it is told so, appends nothing, and frees the slot', async () => {
      start()
      await request('j2')
      await publish()
      await append('j1', 1, { type: 'JobFailed', data: cancelled })
      attempts.cancel('j1')
      await settle()
      expect(work.begun[0]?.signal.reason).to.include({ code: 'cancelled' })
      expect(await typesOf()).to.deep.equal(['JobRequested', 'StepStarted', 'JobFailed'])
      await publish('j2')
      expect(work.begun.map(({ jobId }) => jobId)).to.deep.equal(['j1', 'j2'])
    })

    it('stops at its next extension where nobody tells it', async () => {
      start()
      await publish()
      await append('j1', 1, { type: 'JobFailed', data: cancelled })
      await clock.advance(9000)
      expect(work.begun[0]?.signal.aborted).to.equal(false)
      await clock.advance(1100)
      expect(work.begun[0]?.signal.aborted).to.equal(true)
      expect(await typesOf()).to.deep.equal(['JobRequested', 'StepStarted', 'JobFailed'])
    })

    it('does not begin to work where it is told so while it claims', async () => {
      start()
      forgetful.answersToLose = 2
      await publish()
      await append('j1', 1, { type: 'JobFailed', data: cancelled })
      attempts.cancel('j1')
      await clock.advance(1000)
      expect(work.begun).to.have.length(0)
      expect(await typesOf()).to.deep.equal(['JobRequested', 'StepStarted', 'JobFailed'])
    })

    it('tells of what is under way until it has ended', async () => {
      start()
      await publish()
      Object.assign(work.begun[0]?.used ?? {}, { audioSeconds: 7.5 })
      expect(attempts.usedBy('j1')).to.include({ audioSeconds: 7.5 })
      await work.end(results.fetched)
      expect(attempts.usedBy('j1')).to.equal(undefined)
    })
  })

  it('stops at the deadline and leaves the timeout to the orchestrator', async () => {
    start()
    await publish()
    await clock.advance(100_100)
    expect(work.begun[0]?.signal.aborted).to.equal(true)
    expect(await typesOf()).to.not.include('StepFailed')
  })

  it('records a transient error with its delay, and a permanent one as the end of the job', async () => {
    start()
    await request('j2')
    await publish()
    await work.end(new StepError('upstream_error', { transient: true, retryAfterSeconds: 4 }))
    const [, , failed] = await eventsOf()
    expect(failed?.data).to.include({ step: 'fetch', attempt: 1, code: 'upstream_error', retryAfterSeconds: 4 })
    await publish('j2')
    await work.end(new StepError('video_private'))
    expect((await eventsOf('j2')).at(-1)?.data).to.include({ code: 'video_private' })
  })

  it('records what a failed attempt used, whatever ended it', async () => {
    start(3)
    for (const job of ['j2', 'j3']) await request(job)
    for (const job of ['j1', 'j2', 'j3']) await publish(job)
    const used = { tokens: { input: 100, output: 20 }, audioSeconds: 7.5 }
    for (const context of work.begun) Object.assign(context.used, structuredClone(used))
    await work.end(new StepError('upstream_error', { transient: true }))
    await work.end(new Error('a mistake of ours'))
    await work.end(new StepError('video_private'))
    for (const job of ['j1', 'j2', 'j3']) expect((await eventsOf(job)).at(-1)?.data).to.deep.include({ used })
  })

  it('records any other error as a transient internal_error, without its message', async () => {
    start()
    await publish()
    await work.end(new Error('password=hunter2'))
    const events = await eventsOf()
    expect(events.at(-1)?.data).to.include({ code: 'internal_error' })
    expect(JSON.stringify(events)).to.not.include('hunter2')
  })

  it('gives its claims back when the service stops', async () => {
    start()
    await publish()
    end.abort()
    await running
    expect((await eventsOf()).at(-1)?.data).to.deep.equal({
      step: 'fetch',
      attempt: 1,
      code: 'released',
      retryAfterSeconds: 0,
      used: null,
    })
  })

  it('fails the job when its result is too large for the store', async () => {
    start()
    await publish()
    // Random, so that compression does not help.
    const container = randomBytes(2_000_000).toString('base64')
    const format = { container, hasAudio: true, hasVideo: true, width: null, height: null, bytes: null }
    await work.end({ type: 'VideoFetched', data: { ...results.fetched.data, formats: [format] } })
    expect((await eventsOf()).at(-1)?.data).to.include({ code: 'result_too_large' })
  })

  it('serves the priority lane first, and the standard lane at every fifth claim', async () => {
    for (const n of [1, 2, 3, 4, 5, 6, 7]) await request(`p${n}`, 'priority')
    for (const n of [1, 2]) await request(`s${n}`)
    for (const n of [1, 2]) await publish(`s${n}`)
    for (const n of [1, 2, 3, 4, 5, 6, 7]) await publish(`p${n}`, 'priority')
    start()
    await settle()
    for (let n = 0; n < 9; n += 1) await work.end(results.fetched)
    const order = work.begun.map(({ jobId }) => jobId)
    expect(order).to.deep.equal(['p1', 'p2', 'p3', 'p4', 's1', 'p5', 'p6', 'p7', 's2'])
  })

  it('works on a claimed task also where the queue does not take the acknowledgement', async () => {
    const deaf: WorkQueue = {
      system: queue.system,
      publish: (task) => queue.publish(task),
      slots: () => queue.slots(),
      consume: (step) => {
        const consumer = queue.consume(step)
        const unheard = (delivery: Delivery): Delivery => ({
          ...delivery,
          acknowledge: () => Promise.reject(new Error('connection lost')),
        })
        return {
          take: async (first, signal) => unheard(await consumer.take(first, signal)),
          [Symbol.asyncDispose]: () => consumer[Symbol.asyncDispose](),
        }
      },
      [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose](),
    }
    start(1, deaf)
    await publish()
    await work.end(results.fetched)
    expect(await typesOf()).to.deep.equal(['JobRequested', 'StepStarted', 'VideoFetched'])
    expect(await queue.listDeadLetters()).to.have.length(0)
  })

  it('sends a task that can never be claimed to the dead letters, with the reason', async () => {
    start()
    const task = { jobId: 'j1', orgId: 'acme', lane: 'standard', step: 'fetch', attempt: 0, revision: 0, traceparent }
    await queue.publish({ ...task, deadlineAt: clock.now() + 1000 } as never)
    await settle()
    expect((await queue.listDeadLetters())[0]?.reason).to.match(/StepStarted/)
    expect(await typesOf()).to.deep.equal(['JobRequested'])
  })
})

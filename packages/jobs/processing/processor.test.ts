import { expect } from 'chai'
import type { Step } from '#packages/domain/job/events.ts'
import { jobRequested, results } from '#packages/domain/job/job.fixture.ts'
import { PaceError } from '#packages/foundation/errors/pace-error.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { streams } from '#packages/ports/ids.ts'
import type { TaskConsumer, WorkQueue } from '#packages/ports/work-queue.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { settle } from '#test/doubles/manual-clock.ts'
import { started, tooLarge, type Work, Workers } from './work.harness.ts'

const released = (retryAfterSeconds: number) => {
  return { step: 'fetch', attempt: 1, code: 'released', retryAfterSeconds, used: null }
}

describe('a processor', () => {
  let workers: Workers
  let work: Work

  beforeEach(async () => {
    workers = new Workers()
    work = workers.works.fetch
    await workers.request()
  })
  afterEach(() => workers.stop())
  const begin = (): Promise<void> => {
    workers.start()
    return workers.publish()
  }

  it('claims a task at its revision, works, and appends the result at the revision of the claim', async () => {
    await begin()
    expect(await workers.typesOf()).to.deep.equal(['JobRequested', 'StepStarted'])
    await work.end(results.fetched)
    expect(await workers.typesOf()).to.deep.equal(['JobRequested', 'StepStarted', 'VideoFetched'])
  })

  it("records the place of an attempt's latest read: with its result, its failure, and its release", async () => {
    const [far, near] = [
      { domain: 'example.com', exit: 'proxy.example:8080#a1' },
      { domain: 'example.org', exit: 'direct' },
    ]
    const endsOf = async (jobId: string, ...ends: Parameters<Work['end']>) => {
      await workers.request(jobId)
      await workers.publish(jobId)
      work.begun.at(-1)?.onRead(far)
      work.begun.at(-1)?.onRead(near)
      await work.end(...ends)
      return (await workers.eventsOf(jobId)).at(-1)
    }
    workers.start()
    for (const [type, end] of [
      ['VideoFetched', results.fetched],
      ['StepFailed', new StepError('upstream_error', { transient: true })],
      ['StepFailed', new PaceError(40_000)],
      ['JobFailed', new StepError('video_private')],
      ['JobFailed', tooLarge()],
    ] as const) {
      const event = await endsOf(crypto.randomUUID(), end)
      expect(event, type).to.deep.include({ type }).and.to.have.nested.property('data.readFrom').that.deep.equals(near)
    }
    await workers.publish()
    await work.end(results.fetched)
    expect((await workers.eventsOf()).at(-1)?.data, 'nothing was read').to.not.have.property('readFrom')
  })

  it('gives the step the request and the remaining time', async () => {
    await begin()
    const [context] = work.begun
    expect(context?.job.url).to.equal(jobRequested().url)
    expect(context?.deadlineAt).to.equal(workers.clock.now() + 100_000)
  })

  it('releases a step until its turn at the platform, which is no failure and frees the slot', async () => {
    await begin()
    await work.end(new PaceError(40_000))
    const [failed] = (await workers.memory.read(streams.job('j1'))).slice(-1)
    expect(failed?.data).to.deep.equal(released(40))
    expect(workers.telemetry.values.filter(({ name }) => name === metrics.stepsRetried.name)).to.deep.equal([])
    await workers.request('j2')
    await workers.publish('j2')
    expect(work.begun.map(({ jobId }) => jobId)).to.deep.equal(['j1', 'j2'])
  })

  it('ends a job if its turn at the platform would come after its deadline', async () => {
    await begin()
    await work.end(new PaceError(100_000))
    expect(await workers.typesOf()).to.deep.equal(['JobRequested', 'StepStarted', 'JobFailed'])
  })

  it('drops a task that another worker has claimed, and one delivered twice', async () => {
    workers.start({ slots: { fetch: 2 } })
    await workers.publish()
    await workers.publish()
    expect(work.begun).to.have.length(1)
    expect(await workers.typesOf()).to.deep.equal(['JobRequested', 'StepStarted'])
    expect(await workers.queue.listDeadLetters()).to.have.length(0)
  })

  it('repeats an append after its answer was lost, and appends it once', async () => {
    workers.start()
    workers.answersToLose = 2
    await workers.publish()
    await workers.clock.advance(1000)
    expect(work.begun).to.have.length(1)
    workers.answersToLose = 1
    await work.end(results.fetched)
    await workers.clock.advance(1000)
    expect(await workers.typesOf()).to.deep.equal(['JobRequested', 'StepStarted', 'VideoFetched'])
  })

  it('keeps its lease for as long as it works, and then appends after the last extension', async () => {
    await begin()
    await workers.clock.advance(25_000)
    await work.end(results.fetched)
    expect(await workers.typesOf()).to.deep.equal([
      'JobRequested',
      'StepStarted',
      'LeaseExtended',
      'LeaseExtended',
      'VideoFetched',
    ])
  })

  it('discards its work if another worker has taken over', async () => {
    await begin()
    await workers.append('j1', 1, started(2))
    await work.end(results.fetched)
    expect(await workers.typesOf()).to.deep.equal(['JobRequested', 'StepStarted', 'StepStarted'])
  })

  it('stops at once if an extension finds that the claim is lost, and frees the slot', async () => {
    await workers.request('j2')
    await begin()
    await workers.append('j1', 1, started(2))
    await workers.clock.advance(10_100)
    expect(work.begun[0]?.signal.aborted).to.equal(true)
    await workers.publish('j2')
    expect(work.begun.map(({ jobId }) => jobId)).to.deep.equal(['j1', 'j2'])
  })

  describe('after its job was cancelled', () => {
    const cancelled = { orgId: 'acme', kind: 'transcript', code: 'cancelled', message: 'made up', used: null } as const

    it('stops at once if notified, appends nothing, and frees the slot', async () => {
      await workers.request('j2')
      await begin()
      await workers.append('j1', 1, { type: 'JobFailed', data: cancelled })
      workers.attempts.cancel('j1')
      await settle()
      expect(work.begun[0]?.signal.reason).to.include({ code: 'cancelled' })
      expect(await workers.typesOf()).to.deep.equal(['JobRequested', 'StepStarted', 'JobFailed'])
      await workers.publish('j2')
      expect(work.begun.map(({ jobId }) => jobId)).to.deep.equal(['j1', 'j2'])
    })

    it('stops at its next extension if not notified', async () => {
      await begin()
      await workers.append('j1', 1, { type: 'JobFailed', data: cancelled })
      await workers.clock.advance(9000)
      expect(work.begun[0]?.signal.aborted).to.equal(false)
      await workers.clock.advance(1100)
      expect(work.begun[0]?.signal.aborted).to.equal(true)
      expect(await workers.typesOf()).to.deep.equal(['JobRequested', 'StepStarted', 'JobFailed'])
    })

    it('does not begin to work if notified while it claims', async () => {
      workers.start()
      workers.answersToLose = 2
      await workers.publish()
      await workers.append('j1', 1, { type: 'JobFailed', data: cancelled })
      workers.attempts.cancel('j1')
      await workers.clock.advance(1000)
      expect(work.begun).to.have.length(0)
      expect(await workers.typesOf()).to.deep.equal(['JobRequested', 'StepStarted', 'JobFailed'])
    })

    it('reports what is under way until it has ended', async () => {
      await begin()
      Object.assign(work.begun[0]?.used ?? {}, { audioSeconds: 7.5 })
      expect(workers.attempts.usedBy('j1')).to.include({ audioSeconds: 7.5 })
      await work.end(results.fetched)
      expect(workers.attempts.usedBy('j1')).to.equal(undefined)
    })
  })

  it('stops at the deadline and leaves the timeout to the orchestrator', async () => {
    await begin()
    await workers.clock.advance(100_100)
    expect(work.begun[0]?.signal.aborted).to.equal(true)
    expect(await workers.typesOf()).to.not.include('StepFailed')
  })

  it('records a transient error with its delay, and a permanent one as the end of the job', async () => {
    await workers.request('j2')
    await begin()
    await work.end(new StepError('upstream_error', { transient: true, retryAfterSeconds: 4 }))
    const [, , failed] = await workers.eventsOf()
    expect(failed?.data).to.include({ step: 'fetch', attempt: 1, code: 'upstream_error', retryAfterSeconds: 4 })
    await workers.publish('j2')
    await work.end(new StepError('video_private'))
    expect((await workers.eventsOf('j2')).at(-1)?.data).to.include({ code: 'video_private' })
  })

  it('records the usage of a failed attempt, whatever ended it', async () => {
    workers.start({ slots: { fetch: 3 } })
    for (const job of ['j2', 'j3']) await workers.request(job)
    for (const job of ['j1', 'j2', 'j3']) await workers.publish(job)
    const used = { tokens: { input: 100, output: 20 }, audioSeconds: 7.5 }
    for (const context of work.begun) Object.assign(context.used, structuredClone(used))
    await work.end(new StepError('upstream_error', { transient: true }))
    await work.end(new Error('a mistake of ours'))
    await work.end(new StepError('video_private'))
    for (const job of ['j1', 'j2', 'j3']) expect((await workers.eventsOf(job)).at(-1)?.data).to.deep.include({ used })
  })

  it('records any other error as a transient internal_error, without its message', async () => {
    await begin()
    await work.end(new Error('password=hunter2'))
    const events = await workers.eventsOf()
    expect(events.at(-1)?.data).to.include({ code: 'internal_error' })
    expect(JSON.stringify(events)).to.not.include('hunter2')
  })

  it('releases its claims when the service stops', async () => {
    await begin()
    await workers.stop()
    expect((await workers.eventsOf()).at(-1)?.data).to.deep.equal(released(0))
  })

  it('fails the job if its result is too large for the store', async () => {
    await begin()
    await work.end(tooLarge())
    expect((await workers.eventsOf()).at(-1)?.data).to.include({ code: 'result_too_large' })
  })

  it('serves the priority lane first, and the standard lane at every fifth claim', async () => {
    for (const n of [1, 2, 3, 4, 5, 6, 7]) await workers.request(`p${n}`, { lane: 'priority' })
    for (const n of [1, 2]) await workers.request(`s${n}`)
    for (const n of [1, 2]) await workers.publish(`s${n}`)
    for (const n of [1, 2, 3, 4, 5, 6, 7]) await workers.publish(`p${n}`, { lane: 'priority' })
    workers.start()
    await settle()
    for (let n = 0; n < 9; n += 1) await work.end(results.fetched)
    const order = work.begun.map(({ jobId }) => jobId)
    expect(order).to.deep.equal(['p1', 'p2', 'p3', 'p4', 's1', 'p5', 'p6', 'p7', 's2'])
  })

  it('works on a claimed task even if the queue does not take the acknowledgement', async () => {
    const { queue } = workers
    const deaf: WorkQueue = Object.assign(Object.create(queue), {
      consume(step: Step) {
        const consumer = queue.consume(step)
        const take: TaskConsumer['take'] = async (first, signal) => ({
          ...(await consumer.take(first, signal)),
          acknowledge: () => Promise.reject(new Error('connection lost')),
        })
        return { take, [Symbol.asyncDispose]: () => consumer[Symbol.asyncDispose]() }
      },
    })
    workers.start({ queue: deaf })
    await workers.publish()
    await work.end(results.fetched)
    expect(await workers.typesOf()).to.deep.equal(['JobRequested', 'StepStarted', 'VideoFetched'])
    expect(await workers.queue.listDeadLetters()).to.have.length(0)
  })

  it('sends a task that can never be claimed to the dead letters, with the reason', async () => {
    workers.start()
    await workers.publish('j1', { attempt: 0 })
    expect((await workers.queue.listDeadLetters())[0]?.reason).to.match(/StepStarted/)
    expect(await workers.typesOf()).to.deep.equal(['JobRequested'])
  })
})

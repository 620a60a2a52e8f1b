import { expect } from 'chai'
import type { Step } from '#packages/domain/job/events.ts'
import { results } from '#packages/domain/job/job.fixture.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { spanIdFrom, spanIdOf } from '#packages/telemetry/traceparent.ts'
import { settle } from '#test/doubles/manual-clock.ts'
import { started, tooLarge, Workers } from './work.harness.ts'

describe('a job with a next step that is served in the same process', () => {
  let workers: Workers
  let works: Workers['works']
  beforeEach(() => {
    workers = new Workers()
    works = workers.works
  })
  afterEach(() => workers.stop())

  const start = (slots: Partial<Record<Step, number>> = {}) =>
    workers.start({ slots: { fetch: 4, 'speech-to-text': 4, ...slots } })
  /** A job while its fetch step is at work. */
  const fetching = async (jobId = 'j1', orgId = 'acme') => {
    await workers.request(jobId, { orgId })
    await workers.publish(jobId, { orgId })
  }
  /** Publishes the second step of a job after another process has done the first. */
  const publishSecond = async (jobId: string, orgId: string) => {
    await workers.request(jobId, { orgId })
    await workers.append(jobId, 0, started(1))
    await workers.append(jobId, 1, results.fetched)
    await workers.publish(jobId, { orgId, step: 'speech-to-text', revision: 2 })
  }
  const speaking = () => works['speech-to-text'].begun.map(({ jobId }) => jobId)

  it('stays: the result and the next claim are one append, and nothing is read again', async () => {
    start()
    await fetching()
    await workers.clock.advance(3000)
    await works.fetch.end(results.fetched)
    expect(workers.appends).to.deep.equal([['StepStarted'], ['VideoFetched', 'StepStarted']])
    const [context] = works['speech-to-text'].begun
    expect(context?.video).to.deep.equal(results.fetched.data)
    expect(context?.events.map(({ id, type, data, revision }) => ({ id, type, data, revision }))).to.deep.equal(
      (await workers.eventsOf()).map(({ id, type, data, revision }) => ({ id, type, data, revision })),
    )
    await works['speech-to-text'].end(results.speech)
    expect(workers.appends.slice(2)).to.deep.equal([['SpeechTranscribed', 'JobCompleted']])
    expect(workers.reads).to.equal(1)
    const { causationId } = (await workers.eventsOf())[3]?.metadata ?? {}
    expect(causationId, 'names the event after which the step was due').to.equal('j1/2/speech-to-text/1')
  })

  it('keeps and extends its lease, and releases it when the service stops, like any other', async () => {
    start()
    await fetching()
    await works.fetch.end(results.fetched)
    await workers.clock.advance(15_000)
    expect((await workers.typesOf()).slice(2)).to.deep.equal(['VideoFetched', 'StepStarted', 'LeaseExtended'])
    await workers.stop()
    expect((await workers.eventsOf()).at(-1)?.data).to.include({ step: 'speech-to-text', attempt: 1, code: 'released' })
  })

  it('stops at the deadline, and when it is cancelled, like any other', async () => {
    start()
    await fetching('j1')
    await fetching('j2')
    await works.fetch.end(results.fetched)
    await works.fetch.end(results.fetched)
    workers.attempts.cancel('j1')
    await settle()
    const [first, second] = works['speech-to-text'].begun
    expect(first?.signal.reason).to.include({ code: 'cancelled' })
    await workers.clock.advance(100_100)
    expect(second?.signal.reason).to.include({ code: 'deadline' })
  })

  it('does not begin the next step if it is cancelled during the claim', async () => {
    start()
    await fetching()
    workers.answersToLose = 2
    await works.fetch.end(results.fetched)
    workers.attempts.cancel('j1')
    await workers.clock.advance(1000)
    expect(speaking()).to.deep.equal([])
  })

  it('repeats the append after its answer was lost, and works once', async () => {
    start()
    await fetching()
    workers.answersToLose = 2
    await works.fetch.end(results.fetched)
    await workers.clock.advance(1000)
    expect(await workers.typesOf()).to.deep.equal(['JobRequested', 'StepStarted', 'VideoFetched', 'StepStarted'])
    expect(speaking()).to.deep.equal(['j1'])
  })

  it('has claimed nothing if the result is refused, and keeps no slot', async () => {
    start({ 'speech-to-text': 2 })
    await fetching('j1')
    await fetching('j2')
    await workers.append('j1', 1, started(2))
    await works.fetch.end(results.fetched)
    expect(speaking()).to.deep.equal([])
    await works.fetch.end(results.fetched)
    expect(speaking()).to.deep.equal(['j2'])
  })

  it('fails if the result is too large even without the claim', async () => {
    start()
    await fetching()
    await works.fetch.end(tooLarge())
    expect((await workers.eventsOf()).at(-1)?.data).to.include({ code: 'result_too_large' })
    expect(speaking()).to.deep.equal([])
  })

  it('goes through the queue if the attempt is retried', async () => {
    start()
    await fetching()
    await works.fetch.end(new StepError('upstream_error', { transient: true, retryAfterSeconds: 4 }))
    expect(workers.appends).to.deep.equal([['StepStarted'], ['StepFailed']])
  })

  it('goes through the queue if its organization has half of the slots, even through tasks', async () => {
    start({ fetch: 8, 'speech-to-text': 4 })
    await publishSecond('t1', 'acme')
    for (const job of ['j1', 'j2', 'j3']) await fetching(job)
    await fetching('other', 'globex')
    for (let n = 0; n < 4; n++) await works.fetch.end(results.fetched)
    expect(speaking()).to.deep.equal(['t1', 'j1', 'other'])
    expect(await workers.typesOf('j2')).to.deep.equal(['JobRequested', 'StepStarted', 'VideoFetched'])
    await works['speech-to-text'].end(results.speech)
    await fetching('j4')
    await works.fetch.end(results.fetched)
    expect(speaking()).to.deep.equal(['t1', 'j1', 'other', 'j4'])
  })

  it('goes through the queue if there is one slot: an organization has at most half by staying', async () => {
    start({ 'speech-to-text': 1 })
    await fetching()
    await works.fetch.end(results.fetched)
    expect(await workers.typesOf()).to.deep.equal(['JobRequested', 'StepStarted', 'VideoFetched'])
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
    // Both slots are taken. A task waits, and gets the first free one.
    await publishSecond('t1', 'd')
    await works.fetch.end(results.fetched)
    expect(await workers.typesOf('j3')).to.deep.equal(['JobRequested', 'StepStarted', 'VideoFetched'])
    await works['speech-to-text'].end(results.speech)
    expect(speaking()).to.deep.equal(['j1', 'j2', 't1'])
  })

  it('records the next attempt like any other, except for the message and a wait', async () => {
    start()
    await fetching()
    await works.fetch.end(results.fetched)
    await workers.clock.advance(7000)
    await works['speech-to-text'].end(results.speech)
    const [fetch, speech] = workers.telemetry.spans
    const claim = (await workers.eventsOf())[3]
    expect(spanIdOf(speech?.traceparent ?? '')).to.equal(spanIdFrom(claim?.id ?? ''))
    expect(claim?.metadata.traceparent).to.equal(speech?.traceparent)
    expect(speech).to.deep.include({ name: 'process speech-to-text', kind: 'internal', links: [fetch?.traceparent] })
    expect(speech).to.include({
      parentId: spanIdFrom('j1'),
      startedAt: workers.clock.now() - 7000,
      endedAt: workers.clock.now(),
    })
    expect(Object.keys(speech?.attributes ?? {}).filter((name) => name.startsWith('messaging'))).to.deep.equal([])
    expect(workers.telemetry.valuesOf(metrics.stepWait)).to.deep.include({
      value: 0,
      attributes: { 'video.step': 'speech-to-text', 'video.lane': 'standard' },
    })
    const durations = workers.telemetry.valuesOf(metrics.stepDuration)
    expect(durations.map(({ value, attributes }) => [attributes['video.step'], value])).to.deep.equal([
      ['fetch', 0],
      ['speech-to-text', 7],
    ])
  })
})

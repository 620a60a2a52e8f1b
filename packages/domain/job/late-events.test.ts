import { expect } from 'chai'
import type { JobEvent } from './events.ts'
import { JobFixture, jobRequested, problem, results } from './job.fixture.ts'
import { job } from './job.ts'
import { MAX_ENDLESS_STARTS } from './next.ts'

const { fetched, captions, noCaptions } = results

const started = (attempt: number, leaseSeconds = 500): JobEvent => ({
  type: 'StepStarted',
  data: { step: 'fetch', attempt, worker: 'late', leaseSeconds },
})
const failed = (attempt: number): JobEvent => ({
  type: 'StepFailed',
  data: { step: 'fetch', attempt, code: 'upstream_error', retryAfterSeconds: 0, used: null },
})

describe('a job that is told something late or twice', () => {
  it('does not begin before it was requested', () => {
    expect(job.evolve(job.initialState, { ...started(1), recordedAt: 5 })).to.equal(job.initialState)
    expect(job.evolve(job.initialState, { ...fetched, recordedAt: 5 })).to.equal(job.initialState)
  })

  it('is requested once: a second request moves neither its deadline nor its mode', () => {
    const story = new JobFixture({ mode: 'native', windowSeconds: 60 }).wait(10)
    const { job } = story
    story.record({ type: 'JobRequested', data: jobRequested({ mode: 'generate', windowSeconds: 500 }) })
    expect(story.job).to.equal(job)
  })

  it('keeps the step to the worker that holds it when a start of an earlier attempt comes late', () => {
    const story = new JobFixture().start(30).wait(30).start(30)
    const { job } = story
    story.record(started(1))
    expect(story.job).to.equal(job)
  })

  it('does not give a lease that has ended in an error back to its worker', () => {
    const story = new JobFixture().start().fail(problem('upstream_error'), 0)
    const { job } = story
    story.record(started(1))
    expect(story.job).to.equal(job)
  })

  it('keeps the step to the worker that holds it when the one it displaced tells its error', () => {
    const story = new JobFixture().start(30).wait(30).start(30)
    const { job } = story
    story.record(failed(1))
    expect(story.job).to.equal(job)
    expect(story.next).to.deep.equal({ type: 'wait', until: story.now + 30_000 })
  })

  it('waits no longer for a retry when its error is told again', () => {
    const story = new JobFixture().start().fail(problem('upstream_error'), 0)
    const { job } = story
    story.wait(5).record(failed(1))
    expect(story.job).to.equal(job)
  })

  it('does not prolong the lease of one step by the extension of another', () => {
    const story = new JobFixture().start().succeed(fetched).start(30)
    const { job } = story
    story.record({ type: 'LeaseExtended', data: { step: 'fetch', attempt: 1, leaseSeconds: 500 } })
    expect(story.job).to.equal(job)
  })

  it('is not claimed by the extension of a lease that was given back', () => {
    const story = new JobFixture().start().release()
    const { job } = story
    story.record({ type: 'LeaseExtended', data: { step: 'fetch', attempt: 1, leaseSeconds: 500 } })
    expect(story.job).to.equal(job)
  })

  it('keeps the captions it has read, and the claim of what follows, when their absence is told later', () => {
    const story = new JobFixture({ kind: 'extraction', mode: null }).start().succeed(fetched).start().succeed(captions)
    story.start(30)
    const { job } = story
    expect(story.record(noCaptions).job).to.equal(job)
    expect(story.record(captions).job).to.equal(job)
  })

  it('keeps what was found out first when captions are read after they were given up', () => {
    const story = new JobFixture({ mode: 'auto' }).start().succeed(fetched).start().succeed(noCaptions).start(30)
    const { job } = story
    expect(story.record(captions).job).to.equal(job)
  })

  it('stays failed as it first did, whatever comes later', () => {
    const story = new JobFixture().start().fail(problem('video_private', { transient: false }))
    const { job } = story
    story.record(fetched, { type: 'JobCompleted', data: { orgId: 'org-1', kind: 'transcript', credits: 5 } })
    story.record({
      type: 'JobFailed',
      data: { orgId: 'org-1', kind: 'transcript', code: 'timeout', message: 'late', used: null },
    })
    expect(story.job).to.equal(job)
  })

  it('is not blamed for a problem that comes when nobody is at work', () => {
    const story = new JobFixture().start().release()
    const { now } = story
    const report = {
      type: 'report-problem',
      step: 'fetch',
      problem: problem('upstream_error'),
      now,
      chance: 0,
    } as const
    expect(job.decide(report, story.job)).to.deep.equal([])
  })

  it('asks for no step when all its results are there: its end is on the way', () => {
    const story = new JobFixture({ mode: 'native', windowSeconds: 60 })
    const deadlineAt = story.now + 60_000
    story.start().succeed(fetched).start().record(captions)
    expect(story.next).to.deep.equal({ type: 'wait', until: deadlineAt })
  })

  it('is given up when the tenth start, after nine that were released, vanishes', () => {
    const story = new JobFixture()
    for (let released = 1; released < MAX_ENDLESS_STARTS; released++) story.start().release()
    story.start(5)
    expect(story.wait(4.999).next.type).to.equal('wait')
    expect(story.wait(0.001).next).to.deep.equal({ type: 'fail', code: 'internal_error' })
  })

  it('gives captions their twelfth of the window from when they were first begun, not from the request', () => {
    const begun = new JobFixture({ mode: 'auto', windowSeconds: 180 }).wait(20).start().succeed(fetched).start()
    begun.wait(10).fail(problem('platform_blocked', { retryAfterSeconds: 1 }))
    expect(begun.last?.type).to.equal('StepFailed')
    begun
      .wait(1)
      .start()
      .wait(3)
      .fail(problem('platform_blocked', { retryAfterSeconds: 2 }))
    expect(begun.last?.type, 'the second start does not begin the twelfth anew').to.equal('CaptionsUnavailable')
  })
})

import { expect } from 'chai'
import type { JobEvent } from './events.ts'
import {
  JobFixture,
  jobFailed,
  jobRequested,
  problem,
  report,
  results,
  stepFailed,
  stepStarted,
} from './job.fixture.ts'
import { job } from './job.ts'
import { MAX_ENDLESS_STARTS } from './next.ts'

const { fetched, captions, noCaptions } = results

const extended: JobEvent = { type: 'LeaseExtended', data: { step: 'fetch', attempt: 1, leaseSeconds: 500 } }

/** Records each of these events, and asserts that it changes nothing. */
function assertIgnored(fixture: JobFixture, ...events: JobEvent[]): void {
  const { job } = fixture
  for (const event of events) expect(fixture.record(event).job, event.type).to.equal(job)
}

describe('a job with late or repeated events', () => {
  it('does not begin before it was requested', () => {
    for (const event of [stepStarted(), fetched])
      expect(job.evolve(job.initialState, { ...event, recordedAt: 5 })).to.equal(job.initialState)
  })

  it('is requested once: a second request changes neither its deadline nor its mode', () => {
    const fixture = new JobFixture({ mode: 'native', windowSeconds: 60 }).wait(10)
    const data = jobRequested({ mode: 'generate', windowSeconds: 500 })
    assertIgnored(fixture, { type: 'JobRequested', data })
  })

  it('leaves the step to its present worker when the displaced worker reports an error late', () => {
    const fixture = new JobFixture().start(30).wait(30).start(30)
    assertIgnored(fixture, stepFailed())
    expect(fixture.next).to.deep.equal({ type: 'wait', until: fixture.now + 30_000 })
  })

  it('does not extend the lease of one step by the LeaseExtended of another', () => {
    assertIgnored(new JobFixture().start().succeed(fetched).start(30), extended)
  })

  it('is not claimed by a LeaseExtended after the lease was released', () => {
    assertIgnored(new JobFixture().start().release(), extended)
  })

  it('keeps its captions, and the claim of the next step, when CaptionsUnavailable comes after CaptionsRead', () => {
    const captioning = new JobFixture({ kind: 'extraction', mode: null }).start().succeed(fetched).start()
    assertIgnored(captioning.succeed(captions).start(30), noCaptions, captions)
  })

  it('has no captions when CaptionsRead comes after CaptionsUnavailable', () => {
    const fixture = new JobFixture({ mode: 'auto' }).start().succeed(fetched).start().succeed(noCaptions).start(30)
    assertIgnored(fixture, captions)
  })

  it('keeps its first failure, whatever comes later', () => {
    const fixture = new JobFixture().start().fail(problem('video_private', { transient: false }))
    const completed = { type: 'JobCompleted', data: { orgId: 'org-1', kind: 'transcript', credits: 5 } } as const
    assertIgnored(fixture, fetched, completed, jobFailed())
  })

  it('counts no error without a claim', () => {
    const fixture = new JobFixture().start().release()
    expect(job.decide(report('fetch', problem('upstream_error'), fixture.now), fixture.job)).to.deep.equal([])
  })

  it('has no step due when all its results are there: its end follows', () => {
    const fixture = new JobFixture({ mode: 'native', windowSeconds: 60 })
    const deadlineAt = fixture.now + 60_000
    fixture.start().succeed(fetched).start().record(captions)
    expect(fixture.next).to.deep.equal({ type: 'wait', until: deadlineAt })
  })

  it('is given up when the tenth start, after nine that were released, vanishes', () => {
    const fixture = new JobFixture()
    for (let released = 1; released < MAX_ENDLESS_STARTS; released++) fixture.start().release()
    fixture.start(5)
    expect(fixture.wait(4.999).next.type).to.equal('wait')
    expect(fixture.wait(0.001).next).to.deep.equal({ type: 'fail', code: 'internal_error' })
  })

  it('counts the twelfth of the window for captions from their first start, not from the request', () => {
    const begun = new JobFixture({ mode: 'auto', windowSeconds: 180 }).wait(20).start().succeed(fetched).start()
    begun.wait(10).fail(problem('platform_blocked', { retryAfterSeconds: 1 }))
    expect(begun.last?.type).to.equal('StepFailed')
    begun.wait(1).start().wait(3)
    begun.fail(problem('platform_blocked', { retryAfterSeconds: 2 }))
    expect(begun.last?.type, 'the second start does not begin the twelfth anew').to.equal('CaptionsUnavailable')
  })
})

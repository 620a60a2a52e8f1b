import { expect } from 'chai'
import type { JobEvent } from './events.ts'
import { JobFixture, problem, results } from './job.fixture.ts'
import { job } from './job.ts'
import { MAX_ENDLESS_STARTS, MAX_EXPIRED_LEASES } from './next.ts'
import { HOST_DELAYS } from './retry.ts'

const { fetched } = results

describe('leases of a job', () => {
  it('keep the step to its worker until they are over', () => {
    const fixture = new JobFixture().start(30)
    const { now } = fixture
    expect(fixture.wait(29.999).next).to.deep.equal({ type: 'wait', until: now + 30_000 })
    expect(fixture.wait(0.001).next).to.deep.equal({ type: 'step', step: 'fetch', attempt: 2 })
  })

  it('are extended only by the worker that holds them', () => {
    const fixture = new JobFixture().start(30).wait(20).extend(30).wait(20)
    expect(fixture.next).to.deep.equal({ type: 'wait', until: fixture.now + 10_000 })
    const { step, attempt } = fixture.claim
    const other: JobEvent = { type: 'LeaseExtended', data: { step, attempt: attempt + 1, leaseSeconds: 500 } }
    expect(fixture.record(other).next).to.deep.equal({ type: 'wait', until: fixture.now + 10_000 })
  })

  it('are not shortened by an extension that is delivered again', () => {
    const fixture = new JobFixture().start(30).extend(30)
    const older = fixture.events.at(-1)
    fixture.wait(20).extend(30)
    expect(older).to.include({ type: 'LeaseExtended' })
    if (older !== undefined) expect(job.evolve(fixture.job, older)).to.deep.equal(fixture.job)
  })

  it('end the job when the third of one step has run out', () => {
    const fixture = new JobFixture()
    for (let lease = 1; lease <= MAX_EXPIRED_LEASES; lease++) {
      expect(fixture.next).to.deep.equal({ type: 'step', step: 'fetch', attempt: lease })
      fixture.start(30).wait(30)
    }
    expect(fixture.next).to.deep.equal({ type: 'fail', code: 'internal_error' })
  })

  it('of different steps are counted separately', () => {
    const fixture = new JobFixture({ mode: 'auto' }).start().wait(30).start().wait(30).start().succeed(fetched)
    fixture.start().wait(30).start().wait(30)
    expect(fixture.next).to.deep.equal({ type: 'step', step: 'caption', attempt: 3 })
  })

  it('that were released do not count as expired: the step is due at once', () => {
    const fixture = new JobFixture()
    for (let attempt = 1; attempt < MAX_ENDLESS_STARTS; attempt++) {
      expect(fixture.next).to.deep.equal({ type: 'step', step: 'fetch', attempt })
      fixture.start().release()
      expect(fixture.last?.data).to.deep.equal({
        step: 'fetch',
        attempt,
        code: 'released',
        retryAfterSeconds: 0,
        used: null,
      })
    }
    fixture.start().release()
    expect(fixture.next).to.deep.equal({ type: 'fail', code: 'internal_error' })
  })

  it('expired and released count together towards the starts without an end', () => {
    const fixture = new JobFixture().start().wait(30).start().wait(30)
    for (let released = 0; released < MAX_ENDLESS_STARTS - 2; released++) fixture.start().release()
    expect(fixture.next).to.deep.equal({ type: 'fail', code: 'internal_error' })
  })

  it('that an error ended count towards neither limit', () => {
    const fixture = new JobFixture()
    const failed = MAX_ENDLESS_STARTS + 5
    for (let attempt = 1; attempt <= failed; attempt++) fixture.start().fail(problem('upstream_error'), 0)
    expect(fixture.next).to.deep.equal({ type: 'step', step: 'fetch', attempt: failed + 1 })
  })

  it('released for some seconds are due again after them', () => {
    const fixture = new JobFixture().start().send({ type: 'release', afterSeconds: 40 })
    expect(fixture.next).to.deep.equal({ type: 'wait', until: fixture.now + 40_000 })
    expect(fixture.wait(40).next).to.deep.equal({ type: 'step', step: 'fetch', attempt: 2 })
  })

  it('released to keep the pace of a platform do not count: no request was sent', () => {
    // Given a job that has waited for its turn more often than it may be started,
    const fixture = new JobFixture({ windowSeconds: 180 })
    for (let waited = 0; waited < MAX_ENDLESS_STARTS; waited++) fixture.start().release(1).wait(1)
    expect(fixture.next).to.include({ type: 'step', step: 'fetch' })
    // when the platform then fails once,
    fixture.start().fail(problem('upstream_error', { host: 'platform' }), 0)
    // then it is asked again, after the wait of a first failure.
    expect(fixture.last).to.deep.include({ type: 'StepFailed' })
    expect(fixture.last?.data).to.include({ code: 'upstream_error', retryAfterSeconds: HOST_DELAYS[0] })
  })

  it('cannot be released without a claim', () => {
    expect(job.decide({ type: 'release' }, new JobFixture().job)).to.deep.equal([])
    expect(job.decide({ type: 'release' }, job.initialState)).to.deep.equal([])
  })

  it('that have run out still let a slow worker append until another claims the step', () => {
    const fixture = new JobFixture({ mode: 'native' }).start(30).wait(45).succeed(fetched)
    expect(fixture.next).to.deep.equal({ type: 'step', step: 'caption', attempt: 1 })
  })
})

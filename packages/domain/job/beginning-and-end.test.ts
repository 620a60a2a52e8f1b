import { expect } from 'chai'
import { type JobEvent, noOptions } from './events.ts'
import { failureOf, JobFixture, jobFailed, jobRequested, problem, report, results } from './job.fixture.ts'
import { type JobCommand, job, NOT_ACCEPTED_AFTER_MS, settlementOf } from './job.ts'
import { nothingUsedYet } from './used.ts'

const { fetched, captions } = results

describe('a job', () => {
  describe('begins', () => {
    const refuse = (after: number) =>
      ({ type: 'refuse', orgId: 'org-1', kind: 'transcript', debitedAt: 1000, now: 1000 + after }) as const

    it('with one request, and not with a second', () => {
      const fixture = new JobFixture()
      expect(fixture.events.map(({ type }) => type)).to.deep.equal(['JobRequested'])
      expect(job.decide({ type: 'request', request: jobRequested() }, fixture.job)).to.deep.equal([])
    })

    it('not with a debit that is 15 seconds old: the job is refused, and refunded', () => {
      expect(job.decide(refuse(NOT_ACCEPTED_AFTER_MS - 1), job.initialState)).to.deep.equal([])
      const [refused, ...more] = job.decide(refuse(NOT_ACCEPTED_AFTER_MS), job.initialState)
      expect(more).to.deep.equal([])
      expect(refused).to.deep.include({ type: 'JobFailed' })
      const state = job.evolve(job.initialState, { ...(refused as JobEvent), recordedAt: 5 })
      expect(state).to.deep.include({ status: 'failed', endedAt: 5, code: 'not_accepted' })
      expect(settlementOf(state)).to.deep.equal({ charged: 0, reason: 'not_accepted' })
    })

    it('permanently: a requested job cannot be refused', () => {
      expect(job.decide(refuse(NOT_ACCEPTED_AFTER_MS), new JobFixture().job)).to.deep.equal([])
    })
  })

  describe('at its end', () => {
    it('is no longer changed by anything', () => {
      const fixture = new JobFixture({ mode: 'native' }).start().succeed(fetched).start().succeed(captions)
      const ended = fixture.job
      for (const event of fixture.events) expect(job.evolve(ended, event)).to.equal(ended)
      expect(job.evolve(ended, { ...jobFailed(), recordedAt: fixture.now })).to.equal(ended)
      const { now } = fixture
      const commands: JobCommand[] = [
        { type: 'request', request: jobRequested() },
        { type: 'refuse', orgId: 'org-1', kind: 'transcript', debitedAt: 0, now },
        { type: 'start', step: 'caption', attempt: 2, worker: 'worker-2', leaseSeconds: 30 },
        { type: 'extend', leaseSeconds: 30 },
        { type: 'record-result', result: captions, now },
        report('caption', problem('upstream_error'), now),
        { type: 'discard-result', used: nothingUsedYet() },
        { type: 'release' },
        { type: 'cancel' },
        { type: 'give-up', now: now + 1_000_000 },
      ]
      for (const command of commands) expect(job.decide(command, ended), command.type).to.deep.equal([])
    })

    it('is given up at its deadline and not before', () => {
      const fixture = new JobFixture({ windowSeconds: 60 }).start()
      expect(job.decide({ type: 'give-up', now: fixture.now + 59_999 }, fixture.job)).to.deep.equal([])
      expect(failureOf(fixture.send({ type: 'give-up', now: fixture.now + 60_000 }))).to.equal('timeout')
    })

    it('can be cancelled at any time before it, and is refunded in full', () => {
      const waiting = () => new JobFixture()
      const claimed = () => waiting().start()
      const betweenSteps = () => claimed().succeed(fetched)
      const retrying = () => claimed().fail(problem('platform_blocked'))
      for (const open of [waiting, claimed, betweenSteps, retrying]) {
        const cancelled = open().send({ type: 'cancel' })
        expect(failureOf(cancelled)).to.equal('cancelled')
        expect(cancelled.last?.data).to.deep.include({ used: null })
        expect(settlementOf(cancelled.job)).to.deep.equal({ charged: 0, reason: 'cancelled' })
        expect(cancelled.send({ type: 'cancel' }).events.filter(({ type }) => type === 'JobFailed')).to.have.length(1)
      }
      expect(job.decide({ type: 'cancel' }, job.initialState)).to.deep.equal([])
    })

    it('comes at once if a platform refuses and the request says to fail fast: at any step, by no other error', () => {
      const options = { ...noOptions, failFast: true }
      const blocked = problem('platform_blocked', { retryAfterSeconds: 1 })
      const fetching = () => new JobFixture({ mode: 'auto', options }).start()
      expect(failureOf(fetching().fail(blocked))).to.equal('platform_blocked')
      expect(failureOf(fetching().succeed(fetched).start().fail(blocked))).to.equal('platform_blocked')
      expect(fetching().fail(problem('upstream_error')).last?.type).to.equal('StepFailed')
      expect(new JobFixture({ mode: 'auto' }).start().fail(blocked).last?.type).to.equal('StepFailed')
    })

    it('fails if its result is too large to be stored', () => {
      const large = new JobFixture().start().send({ type: 'discard-result', used: nothingUsedYet() })
      expect(failureOf(large)).to.equal('result_too_large')
    })

    it('records what each failed attempt used; null for a released or timed-out one', () => {
      const used = { tokens: { input: 100, output: 20 }, audioSeconds: 7.5 }
      const fixture = new JobFixture().start().fail(problem('upstream_error', { used }), 0)
      expect(fixture.last?.data).to.deep.include({ used })
      fixture.start().release()
      expect(fixture.last?.data).to.deep.include({ code: 'released', used: null })
      fixture.start().fail(problem('video_private', { transient: false, used }))
      expect(fixture.last).to.deep.include({ type: 'JobFailed' })
      expect(fixture.last?.data).to.deep.include({ used })
      const late = new JobFixture({ windowSeconds: 60 }).start()
      expect(late.send({ type: 'give-up', now: late.now + 60_000 }).last?.data).to.deep.include({ used: null })
      const large = new JobFixture().start().send({ type: 'discard-result', used })
      expect(large.last?.data).to.deep.include({ used })
    })

    it('is not settled before', () => {
      expect(settlementOf(job.initialState)).to.equal(undefined)
      expect(settlementOf(new JobFixture().job)).to.equal(undefined)
    })
  })
})

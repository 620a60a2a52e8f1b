import { expect } from 'chai'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { Unanswered } from './unanswered.ts'

describe('an external service that does not answer', () => {
  it('is a warning once enough calls in a row have failed, until one succeeds', async () => {
    const clock = new ManualClock()
    const since = new Date(clock.now()).toISOString()
    const health = new Unanswered(clock, { code: 'webhooks_unanswered', message: 'Nobody answers', inARow: 3 })
    health.failed('timeout')
    await clock.advance(1000)
    health.failed('tls')
    expect(health.warnings).to.deep.equal([])
    health.failed('unreachable')
    const message = `Nobody answers: 3 calls in a row have failed since ${since} (unreachable).`
    expect(health.warnings).to.deep.equal([{ code: 'webhooks_unanswered', message }])
    health.answered()
    expect(health.warnings).to.deep.equal([])
    health.failed('timeout')
    health.failed('timeout')
    expect(health.warnings, 'counted anew').to.deep.equal([])
  })

  it('is a warning after a single call if that is conclusive', () => {
    const health = new Unanswered(new ManualClock(), { code: 'mail_server_failing', message: 'No mails', inARow: 1 })
    health.failed('ETIMEDOUT')
    expect(health.warnings[0]?.message).to.match(/^No mails: one call has failed since \S+ \(ETIMEDOUT\)\.$/)
  })
})

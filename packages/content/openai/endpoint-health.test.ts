import { expect } from 'chai'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { EndpointHealth } from './endpoint-health.ts'
import type { Outcome } from './outcome.ts'

describe('the health of an endpoint', () => {
  let clock: ManualClock
  let health: EndpointHealth
  beforeEach(() => {
    clock = new ManualClock()
    health = new EndpointHealth(clock, 'speech')
  })

  const call = async (outcome: Outcome, seconds = 1): Promise<void> => {
    const ended = health.begin(10_000)
    await clock.advance(seconds * 1000)
    ended(outcome)
  }
  const codes = () => health.warnings.map(({ code }) => code)

  it('is a warning once a call fails, with its time and failure, until one succeeds again', async () => {
    await call('ok')
    expect(health.warnings).to.deep.equal([])
    await call('timeout')
    const since = new Date(clock.now()).toISOString()
    await call('denied')
    const message = `The speech endpoint fails: since ${since} 2 calls have ended, the last one with denied.`
    expect(health.warnings).to.deep.equal([{ code: 'speech_endpoint_failing', message }])
    await call('ok')
    expect(health.warnings).to.deep.equal([])
  })

  it('ignores calls that were given up, and requests of a wrong form unless they repeat', async () => {
    await call('cancelled', 60)
    await call('refused')
    await call('refused')
    expect(codes()).to.deep.equal([])
    await call('refused')
    expect(codes()).to.deep.equal(['speech_endpoint_failing'])
    await call('cancelled')
    expect(codes(), 'which says nothing').to.deep.equal(['speech_endpoint_failing'])
  })

  it('is a warning while a call takes too long, and after one that did, until one is fast again', async () => {
    const ended = health.begin(10_000)
    await clock.advance(10_000)
    expect(codes()).to.deep.equal([])
    await clock.advance(1000)
    expect(health.warnings).to.deep.equal([
      { code: 'speech_endpoint_slow', message: 'The speech endpoint is slow: a call has taken 11 s.' },
    ])
    ended('ok')
    expect(codes()).to.deep.equal(['speech_endpoint_slow'])
    await call('ok')
    expect(codes()).to.deep.equal([])
  })
})

import { expect } from 'chai'
import { JobFixture, results } from './job.fixture.ts'
import { settlementOf } from './job.ts'
import { chargeOf, debitOf, pricesOf } from './price.ts'

describe('the price of a job', () => {
  it('is debited in full; for auto, the least price if the balance does not cover the full one', () => {
    expect(debitOf({ kind: 'transcript', mode: 'native' })).to.deep.equal({ full: 1, least: 1 })
    expect(debitOf({ kind: 'transcript', mode: 'generate' })).to.deep.equal({ full: 5, least: 5 })
    expect(debitOf({ kind: 'transcript', mode: 'auto' })).to.deep.equal({ full: 5, least: 1 })
    expect(debitOf({ kind: 'extraction', mode: null })).to.deep.equal({ full: 10, least: 10 })
  })

  it('is charged for the work done', () => {
    expect(chargeOf({ prices: pricesOf('transcript'), transcribed: false })).to.equal(1)
    expect(chargeOf({ prices: pricesOf('transcript'), transcribed: true })).to.equal(5)
    expect(chargeOf({ prices: pricesOf('extraction'), transcribed: false })).to.equal(10)
    expect(chargeOf({ prices: pricesOf('extraction'), transcribed: true })).to.equal(10)
  })

  it('is the price at its acceptance, whatever a job costs today', () => {
    const { captions, speech } = results
    const request = { budget: 9, prices: { captions: 3, speech: 9 } }
    const fetched = () => new JobFixture(request).start().succeed(results.fetched).start()
    expect(settlementOf(fetched().succeed(captions).job)?.charged).to.equal(3)
    expect(settlementOf(fetched().succeed(results.noCaptions).start().succeed(speech).job)?.charged).to.equal(9)
    const short = new JobFixture({ ...request, budget: 8 }).start().succeed(results.fetched).start()
    expect(short.succeed(results.noCaptions).job).to.include({ status: 'failed', code: 'insufficient_credits' })
  })
})

import { expect } from 'chai'
import { chargeOf, debitOf } from './price.ts'

describe('the price of a job', () => {
  it('is debited in full; for auto, the least price where the balance does not cover the full one', () => {
    expect(debitOf({ kind: 'transcript', mode: 'native' })).to.deep.equal({ full: 1, least: 1 })
    expect(debitOf({ kind: 'transcript', mode: 'generate' })).to.deep.equal({ full: 5, least: 5 })
    expect(debitOf({ kind: 'transcript', mode: 'auto' })).to.deep.equal({ full: 5, least: 1 })
    expect(debitOf({ kind: 'extraction', mode: null })).to.deep.equal({ full: 10, least: 10 })
  })

  it('is charged for what was done', () => {
    expect(chargeOf({ kind: 'transcript', transcribed: false })).to.equal(1)
    expect(chargeOf({ kind: 'transcript', transcribed: true })).to.equal(5)
    expect(chargeOf({ kind: 'extraction', transcribed: true })).to.equal(10)
  })
})

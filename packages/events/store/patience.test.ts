import { expect } from 'chai'
import { Patience } from './patience.ts'

describe('patience with a store', () => {
  it('is no longer than the time of a call if the store answers no caller', () => {
    expect(new Patience(1000).until(5000)).to.equal(5000)
  })

  it('lasts until the store has answered no other caller for a while, and at most five times that', () => {
    const patience = new Patience(1000)
    patience.answered(4900)
    expect(patience.until(5000)).to.equal(5900)
    patience.answered(60_000)
    expect(patience.until(5000)).to.equal(10_000)
  })
})

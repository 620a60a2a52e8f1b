import { expect } from 'chai'
import { idempotencyKeyOf } from './idempotency-key.ts'

describe('the idempotency key of a POST', () => {
  it('is printable ASCII, sent once', () => {
    expect(idempotencyKeyOf(undefined)).to.equal(undefined)
    expect(idempotencyKeyOf('order 1')).to.equal('order 1')
    for (const header of ['', 'x'.repeat(256), 'tab\t', 'é', ['a', 'b']])
      expect(() => idempotencyKeyOf(header)).to.throw()
  })
})

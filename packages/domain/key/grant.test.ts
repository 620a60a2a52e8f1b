import { expect } from 'chai'
import { allScopes, exceeded, fullGrant, hasExpired, hasScope, type KeyGrant } from './grant.ts'

describe('what a key may do', () => {
  it('is everything without a list of scopes, and only the listed ones with it', () => {
    for (const scope of allScopes) {
      expect(hasScope(fullGrant, scope)).to.equal(true)
      for (const one of allScopes) expect(hasScope({ ...fullGrant, scopes: [one] }, scope)).to.equal(one === scope)
    }
  })

  it('ends at the instant of its expiry', () => {
    const grant = { ...fullGrant, expiresAt: 5000 }
    expect([4999, 5000, 5001].map((now) => hasExpired(grant, now))).to.deep.equal([false, true, true])
    expect(hasExpired(fullGrant, Number.MAX_SAFE_INTEGER)).to.equal(false)
  })

  it('exceeds that of another key in the fields that are named', () => {
    const own: KeyGrant = { scopes: ['keys'], monthlyCredits: 5, expiresAt: 5000 }
    expect(exceeded(fullGrant, own)).to.deep.equal(['scopes', 'monthlyCredits', 'expiresAt'])
    expect(exceeded({ ...own, monthlyCredits: 6 }, own)).to.deep.equal(['monthlyCredits'])
    expect(exceeded(own, own)).to.deep.equal([])
    expect(exceeded(own, fullGrant)).to.deep.equal([])
  })
})

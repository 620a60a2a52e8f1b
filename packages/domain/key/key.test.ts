import { expect } from 'chai'
import { create, evolve, initialKey, type Key, type KeyEvent, revoke } from './key.ts'

const data = { orgId: 'acme', name: 'laptop', sha256: 'a'.repeat(64), prefix: 'ma_abcd', suffix: 'wxyz' }
const created: KeyEvent = { type: 'KeyCreated', data }
const revoked: KeyEvent = { type: 'KeyRevoked', data: { orgId: 'acme' } }

const given = (...events: KeyEvent[]): Key =>
  events.reduce((key, event, index) => evolve(key, { ...event, recordedAt: index + 1 }), initialKey)

describe('a key', () => {
  it('is created once', () => {
    expect(create(given(), data)).to.deep.equal([created])
    expect(create(given(created), data)).to.deep.equal([])
    expect(create(given(created, revoked), data)).to.deep.equal([])
  })

  it('is revoked once, and by its own organization only', () => {
    expect(revoke(given(created), 'acme')).to.deep.equal([revoked])
    expect(revoke(given(created), 'other')).to.deep.equal([])
    expect(revoke(given(created, revoked), 'acme')).to.deep.equal([])
    expect(revoke(given(), 'acme')).to.deep.equal([])
  })

  it('stays revoked, as of the first time, whatever comes again', () => {
    const key = given(created, revoked, revoked, created)
    expect(key).to.include({ status: 'revoked', createdAt: 1, revokedAt: 2 })
  })
})

import { expect } from 'chai'
import { fold } from '#packages/event-sourcing/decider.ts'
import { fullGrant, type Key, type KeyEvent, key } from './key.ts'

const data = { orgId: 'acme', name: 'laptop', sha256: 'a'.repeat(64), prefix: 'ma_abcd', suffix: 'wxyz', ...fullGrant }
const created: KeyEvent = { type: 'KeyCreated', data }
const revoked: KeyEvent = { type: 'KeyRevoked', data: { orgId: 'acme' } }

const create = { type: 'create', key: data } as const
const revoke = { type: 'revoke', orgId: 'acme' } as const

/** The key after these events, recorded at 1, 2, 3 … */
const given = (...events: KeyEvent[]): Key =>
  fold(
    key,
    events.map((event, index) => ({ ...event, recordedAt: index + 1 })),
  )

describe('a key', () => {
  it('is created once', () => {
    expect(key.decide(create, given())).to.deep.equal([created])
    expect(key.decide(create, given(created))).to.deep.equal([])
    expect(key.decide(create, given(created, revoked))).to.deep.equal([])
  })

  it('is revoked once, and by its own organization only', () => {
    expect(key.decide(revoke, given(created))).to.deep.equal([revoked])
    expect(key.decide({ type: 'revoke', orgId: 'other' }, given(created))).to.deep.equal([])
    expect(key.decide(revoke, given(created, revoked))).to.deep.equal([])
    expect(key.decide(revoke, given())).to.deep.equal([])
  })

  it('stays revoked since the first revocation, whatever comes again', () => {
    const state = given(created, revoked, revoked, created)
    expect(state).to.include({ status: 'revoked', createdAt: 1, revokedAt: 2 })
  })
})

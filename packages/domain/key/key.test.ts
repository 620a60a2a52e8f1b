import { expect } from 'chai'
import { givenTo } from '../given.harness.ts'
import { fullGrant, type KeyGrant } from './grant.ts'
import { type KeyCommand, type KeyEvent, type KeyHolder, key, operator } from './key.ts'

const marks = { orgId: 'acme', name: 'laptop', sha256: 'a'.repeat(64), prefix: 'ma_abcd', suffix: 'wxyz' }
const revoked: KeyEvent = { type: 'KeyRevoked', data: { orgId: 'acme' } }

/** A key with the id `maker`, and only the given limits. */
const holder = (grant: Partial<KeyGrant> = {}): KeyHolder => ({ keyId: 'maker', grant: { ...fullGrant, ...grant } })

const create = (by: KeyHolder = operator, grant: Partial<KeyGrant> = {}): KeyCommand => {
  return { type: 'create', key: { ...marks, ...fullGrant, ...grant }, by }
}
const created = (createdBy: string | null = null, grant: Partial<KeyGrant> = {}): KeyEvent => {
  return { type: 'KeyCreated', data: { ...marks, ...fullGrant, ...grant, createdBy } }
}
const revoke = (by: KeyHolder = operator, orgId = 'acme'): KeyCommand => ({ type: 'revoke', orgId, keyId: 'own', by })

/** The key after these events, recorded at 1, 2, 3 … */
const given = givenTo(key)

describe('a key', () => {
  it('is created once', () => {
    expect(key.decide(create(), given())).to.deep.equal([created()])
    expect(key.decide(create(), given(created()))).to.deep.equal([])
    expect(key.decide(create(), given(created(), revoked))).to.deep.equal([])
  })

  it('is revoked once, and only by its own organization', () => {
    expect(key.decide(revoke(), given(created()))).to.deep.equal([revoked])
    expect(key.decide(revoke(operator, 'other'), given(created()))).to.deep.equal([])
    expect(key.decide(revoke(), given(created(), revoked))).to.deep.equal([])
    expect(key.decide(revoke(), given())).to.deep.equal([])
  })

  it('gets another name, cap or expiry only from its own organization, until it is revoked', () => {
    const change = { name: 'desktop', monthlyCredits: 5, expiresAt: 5000 }
    const changed: KeyEvent = { type: 'KeyChanged', data: { orgId: 'acme', ...change } }
    const command: KeyCommand = { type: 'change', orgId: 'acme', change }
    expect(key.decide(command, given(created()))).to.deep.equal([changed])
    expect(given(created(), changed)).to.deep.include({ ...change, scopes: null, status: 'active', createdAt: 1 })
    for (const events of [[], [created(), changed], [created(), revoked]])
      expect(key.decide(command, given(...events))).to.deep.equal([])
    expect(key.decide({ ...command, orgId: 'other' }, given(created()))).to.deep.equal([])
    expect(given(created(), revoked, changed)).to.deep.equal(given(created(), revoked))
  })

  it('stays revoked since the first revocation, whatever follows', () => {
    const state = given(created(), revoked, revoked, created())
    expect(state).to.include({ status: 'revoked', createdAt: 1, revokedAt: 2 })
  })

  it('remembers its limits and the key that made it', () => {
    const grant: KeyGrant = { scopes: ['read'], monthlyCredits: 0, expiresAt: 5000 }
    expect(key.decide(create(holder(), grant), given())).to.deep.equal([created('maker', grant)])
    expect(given(created('maker', grant))).to.deep.include({ ...grant, createdBy: 'maker' })
  })

  const allowed: [string, Partial<KeyGrant>, Partial<KeyGrant>][] = [
    ['any limits by a key without limits', {}, { scopes: ['jobs'], monthlyCredits: 1_000_000, expiresAt: 1 }],
    ['no limits by a key without limits', {}, {}],
    ['fewer scopes', { scopes: ['read', 'keys'] }, { scopes: ['keys'] }],
    ['the same scopes in another order', { scopes: ['read', 'keys'] }, { scopes: ['keys', 'read'] }],
    ['no list of scopes by a key that names them all', { scopes: ['jobs', 'keys', 'read', 'webhooks'] }, {}],
    ['the same monthly credits', { monthlyCredits: 10 }, { monthlyCredits: 10 }],
    ['no monthly credits', { monthlyCredits: 10 }, { monthlyCredits: 0 }],
    ['the same expiry', { expiresAt: 5000 }, { expiresAt: 5000 }],
    ['an earlier expiry', { expiresAt: 5000 }, { expiresAt: 4999 }],
  ]
  for (const [what, own, asked] of allowed)
    it(`may be created with ${what}`, () => {
      expect(key.decide(create(holder(own), asked), given())).to.deep.equal([created('maker', asked)])
    })

  const refused: [string, Partial<KeyGrant>, Partial<KeyGrant>][] = [
    ['a scope that its maker lacks', { scopes: ['keys'] }, { scopes: ['keys', 'jobs'] }],
    ['all scopes, by leaving them out', { scopes: ['read', 'keys'] }, {}],
    ['more monthly credits', { monthlyCredits: 10 }, { monthlyCredits: 11 }],
    ['any credits, by leaving them out', { monthlyCredits: 10 }, {}],
    ['any credits, where its maker has none', { monthlyCredits: 0 }, { monthlyCredits: 1 }],
    ['a later expiry', { expiresAt: 5000 }, { expiresAt: 5001 }],
    ['no expiry, by leaving it out', { expiresAt: 5000 }, {}],
  ]
  for (const [what, own, asked] of refused)
    it(`is never created with ${what}`, () => {
      expect(key.decide(create(holder(own), asked), given())).to.deep.equal([])
    })

  it('is revoked by a key with all scopes, whatever key created it', () => {
    for (const scopes of [null, ['read', 'jobs', 'keys', 'webhooks']] as const)
      for (const maker of [null, 'another'])
        expect(
          key.decide(revoke(holder({ scopes: scopes as KeyGrant['scopes'] })), given(created(maker))),
        ).to.deep.equal([revoked])
  })

  it('is revoked by a key without all scopes only if that key created it, or is it', () => {
    const scopes: KeyGrant['scopes'] = ['read', 'keys']
    expect(key.decide(revoke(holder({ scopes })), given(created('maker')))).to.deep.equal([revoked])
    expect(key.decide(revoke({ ...holder({ scopes }), keyId: 'own' }), given(created()))).to.deep.equal([revoked])
    expect(key.decide(revoke(holder({ scopes })), given(created('another')))).to.deep.equal([])
    expect(key.decide(revoke(holder({ scopes })), given(created(null)))).to.deep.equal([])
  })
})

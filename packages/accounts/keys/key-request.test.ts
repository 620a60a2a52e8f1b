import { expect } from 'chai'
import { fullGrant } from '#packages/domain/key/grant.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { keyRequestOf } from './key-request.ts'

const now = Date.UTC(2026, 10, 21, 12)
const requestOf = (more: object) => keyRequestOf({ name: 'laptop', ...more }, now)

function pathsOf(more: object): string[] {
  try {
    requestOf(more)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    expect(error.code).to.equal('invalid_request')
    return (error.details as { path: string }[]).map(({ path }) => path)
  }
  return []
}

describe('the request of a key', () => {
  it('sets no limits if it names none', () => {
    expect(requestOf({ name: '  laptop ' })).to.deep.equal({ name: 'laptop', grant: fullGrant })
  })

  it('names scopes, monthly credits and an expiry in any time zone', () => {
    const limits = { scopes: ['jobs', 'read'], monthlyCredits: 0, expiresAt: '2026-11-21T14:00:00.5+01:00' }
    const expiresAt = now + 3_600_500
    expect(requestOf(limits).grant).to.deep.equal({ scopes: ['jobs', 'read'], monthlyCredits: 0, expiresAt })
  })

  it('is refused with the field that is wrong', () => {
    for (const scopes of [[], ['admin'], ['read', 'read'], 'read', null])
      expect(pathsOf({ scopes })[0]).to.match(/^scopes/)
    for (const monthlyCredits of [-1, 1.5, '5', 1e10, null])
      expect(pathsOf({ monthlyCredits })).to.deep.equal(['monthlyCredits'])
    const times = [
      'tomorrow',
      '2027-01-31',
      '2027-01-31T09:00:00',
      '2027-02-30T09:00:00Z',
      '2027-13-01T09:00:00Z',
      '',
      7,
      null,
    ]
    for (const expiresAt of times) expect(pathsOf({ expiresAt }), String(expiresAt)).to.deep.equal(['expiresAt'])
  })

  it('is refused if the key would already have expired', () => {
    expect(pathsOf({ expiresAt: '2026-11-21T12:00:00Z' })).to.deep.equal(['expiresAt'])
    expect(pathsOf({ expiresAt: '2026-11-21T12:00:00.001Z' })).to.deep.equal([])
  })
})

import type { IncomingHttpHeaders } from 'node:http'
import { expect } from 'chai'
import type { Caller } from '#packages/accounts/keys/caller.ts'
import { createSecret, secretHash } from '#packages/accounts/keys/secret.ts'
import { clientOf } from './admit.ts'
import { keyHashOf } from './presented-key.ts'

describe('the client that a request takes turns as', () => {
  const grant: Caller['grant'] = { scopes: ['read'], monthlyCredits: null, expiresAt: null }
  const caller: Caller = { orgId: 'acme', keyId: 'k', grant }
  const key = createSecret()
  const parts = {
    keys: { held: (hash: string) => (hash === secretHash(key) ? caller : undefined) },
    pages: { heldVisitor: ({ cookie }: IncomingHttpHeaders) => (cookie === 'used before' ? 'ada' : undefined) },
  }
  const known = 'used before'
  const at = '192.0.2.1'
  for (const [what, url, headers, client] of [
    ['the organization of a key that was used before', '/v1/me', { 'x-api-key': key }, { rank: 'known', name: 'acme' }],
    ['the person of a session that was used before', '/dashboard/', { cookie: known }, { rank: 'known', name: 'ada' }],
    [
      'the address of a key’s first request',
      '/v1/me',
      { 'x-api-key': createSecret() },
      { rank: 'anonymous', name: at },
    ],
    ['the address of a session’s first request', '/dashboard/', { cookie: 'new' }, { rank: 'anonymous', name: at }],
    ['the address of a request without either', '/docs', {}, { rank: 'anonymous', name: at }],
    ['the address of a probe', '/ready', { 'x-api-key': key }, { rank: 'probes', name: at }],
  ] as const)
    it(`is ${what}`, () =>
      expect(clientOf({ url, headers }, { address: at, keyHash: keyHashOf(headers) }, parts)).to.deep.equal(client))
})

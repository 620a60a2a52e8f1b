import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Accounts, AuditEntry, Token } from './accounts.ts'
import { entry, hash, hashesOf, idsOf, now, session, times, token } from './accounts-samples.contract.ts'

/** Checks what Accounts promises about sessions, tokens, places and audits. @param opened the same accounts, twice */
export function describeAccess(opened: () => { accounts: Accounts; other: Accounts }): void {
  let accounts: Accounts
  let other: Accounts
  before(() => {
    accounts = opened().accounts
    other = opened().other
  })
  /** As many callers as a test needs, alternating between both. */
  const both = (n: number): Accounts => (n % 2 === 0 ? accounts : other)

  describe('a session', () => {
    it('is seen by every process until it expires', async () => {
      const put = session('mira', { expiresAt: now + 10 })
      await accounts.putSession(put)
      expect(await other.session(put.hash, now + 9)).to.deep.equal(put)
      expect(await other.session(put.hash, now + 10)).to.equal(undefined)
      expect(await other.session(hash(), now)).to.equal(undefined)
    })

    it('remembers when it was last seen, by any process', async () => {
      const put = session('mira')
      await accounts.putSession(put)
      await Promise.all([30, 90, 60].map((ms, n) => both(n).seen(put.hash, now + ms)))
      expect(await other.session(put.hash, now)).to.deep.equal({ ...put, lastSeenAt: now + 90 })
      const gone = hash()
      await accounts.seen(gone, now)
      expect(await other.session(gone, now)).to.equal(undefined)
    })

    it('is listed with the others of its account, newest first', async () => {
      const accountId = randomUUID()
      const put = [1, 3, 2].map((n) => session(accountId, { createdAt: now + n, expiresAt: now + 100 * n }))
      for (const each of [...put, session(randomUUID())]) await accounts.putSession(each)
      expect(await other.sessionsOf(accountId, now)).to.deep.equal([put[1], put[2], put[0]])
      expect(await other.sessionsOf(accountId, now + 100)).to.deep.equal([put[1], put[2]])
    })

    it('ends alone, or with the others of its account, in every process', async () => {
      const accountId = randomUUID()
      const put = times(5, () => session(accountId))
      const [one, kept] = hashesOf(put)
      const stranger = session(randomUUID())
      for (const each of [...put, stranger]) await accounts.putSession(each)
      await accounts.endSession(one ?? '')
      expect(await other.session(one ?? '', now)).to.equal(undefined)
      expect(await other.sessionsOf(accountId, now)).to.have.length(4)
      await accounts.endSessions(accountId, kept)
      expect(hashesOf(await other.sessionsOf(accountId, now))).to.deep.equal([kept])
      await accounts.endSessions(accountId)
      expect(await other.sessionsOf(accountId, now)).to.deep.equal([])
      expect(await other.session(stranger.hash, now)).to.deep.equal(stranger)
    })
  })

  describe('a token', () => {
    it('can be read until it is taken or expires', async () => {
      const put = token({
        purpose: 'oidc',
        accountId: 'mira',
        email: 'Mira@example.com',
        gives: { orgId: 'acme', role: 'owner' },
        data: { 'a.b': '$set', verifier: 'ü😀' },
        expiresAt: now + 10,
      })
      await accounts.putToken(put)
      for (const each of [accounts, other, other]) expect(await each.token(put.hash, now + 9)).to.deep.equal(put)
      expect(await other.token(put.hash, now + 10)).to.equal(undefined)
      expect(await other.takeToken(put.hash, now + 10)).to.equal(undefined)
      expect(await other.takeToken(put.hash, now + 9)).to.deep.equal(put)
      expect(await accounts.token(put.hash, now)).to.equal(undefined)
    })

    it('is taken by one of twenty', async () => {
      const put = token()
      await accounts.putToken(put)
      const taken = await Promise.all(times(20, (n) => both(n).takeToken(put.hash, now)))
      expect(taken.filter((each) => each !== undefined)).to.deep.equal([put])
    })

    it('that gives membership is an invitation of its organization, listed oldest first', async () => {
      const orgId = randomUUID()
      const gives = { orgId, role: 'member' } as const
      const invitation = (n: number) =>
        token({ purpose: 'invite', gives, createdAt: now + n, expiresAt: now + 100 - n })
      const put = [2, 1, 3].map(invitation)
      const others = [token(), token({ purpose: 'invite', gives: { orgId: 'acme', role: 'member' } })]
      for (const each of [...put, ...others]) await accounts.putToken(each)
      expect(await other.invitationsOf(orgId, now)).to.deep.equal([put[1], put[0], put[2]])
      expect(await other.invitationsOf(orgId, now + 98)).to.deep.equal([put[1]])
      await accounts.takeToken(put[1]?.hash ?? '', now)
      expect(hashesOf(await other.invitationsOf(orgId, now))).to.deep.equal(hashesOf([put[0], put[2]] as Token[]))
    })

    it('is dropped with the others of its account and purpose, and no others', async () => {
      const accountId = randomUUID()
      const dropped = times(3, () => token({ accountId, purpose: 'reset' }))
      const kept = [token({ accountId }), token({ accountId: randomUUID(), purpose: 'reset' })]
      for (const each of [...dropped, ...kept]) await accounts.putToken(each)
      await accounts.dropTokens(accountId, 'reset')
      for (const each of dropped) expect(await other.takeToken(each.hash, now)).to.equal(undefined)
      for (const each of kept) expect(await other.takeToken(each.hash, now)).to.deep.equal(each)
    })
  })

  describe('takePlace', () => {
    it('gives exactly as many places a day as there are, to 30 at once', async () => {
      const today = randomUUID()
      const given = await Promise.all(times(30, (n) => both(n).takePlace(today, 7)))
      expect(given.filter((is) => is)).to.have.length(7)
      expect(await other.takePlace(today, 7)).to.equal(false)
      expect(await other.takePlace(today, 8), 'more places').to.equal(true)
      expect(await other.takePlace(randomUUID(), 7), 'another day').to.equal(true)
      expect(await other.takePlace(randomUUID(), 0), 'no places').to.equal(false)
    })
  })

  describe('audits', () => {
    it('come newest first, all or those about one organization', async () => {
      const orgId = randomUUID()
      const entries = [2, 1, 3].map((n) => entry({ at: now + n, orgId, action: 'plan', detail: 'plan: pro' }))
      for (const each of entries) await accounts.addAudit(each)
      for (const each of [entries[0] as AuditEntry, entry(), entry({ orgId: randomUUID() })])
        await accounts.addAudit(each)
      const newest = [entries[2], entries[0], entries[1]]
      expect(await other.audits({ orgId, limit: 10 })).to.deep.equal(newest)
      const ofAll = await other.audits({ limit: 1000 })
      expect(ofAll.filter((each) => each.orgId === orgId)).to.deep.equal(newest)
      expect(ofAll).to.have.length.above(4)
    })

    it('are new to only one of many callers that add the same one at once', async () => {
      const added = entry({ orgId: randomUUID() })
      const areNew = await Promise.all(times(10, (n) => both(n).addAudit(added)))
      expect(areNew.filter((isNew) => isNew)).to.have.length(1)
      expect(await other.audits({ orgId: added.orgId ?? '', limit: 10 })).to.deep.equal([added])
    })

    it('come in pages without losing any, however many have the same time', async () => {
      const orgId = randomUUID()
      const entries = [5, 4, 4, 4, 3, 2, 2, 1].map((n) => entry({ at: now + n, orgId }))
      await Promise.all(entries.map((each, n) => both(n).addAudit(each)))
      const pages: AuditEntry[][] = []
      for (let before: number | undefined; ; before = pages.at(-1)?.at(-1)?.at) {
        const page = await other.audits({ orgId, limit: 2, ...(before !== undefined && { before }) })
        if (page.length === 0) break
        pages.push(page)
      }
      expect(pages.map((page) => page.map(({ at }) => at - now))).to.deep.equal([[5, 4, 4, 4], [3, 2, 2], [1]])
      const backwards = (one: AuditEntry, next: AuditEntry) => next.at - one.at || (one.id < next.id ? 1 : -1)
      expect(idsOf(pages.flat())).to.deep.equal(idsOf(entries.sort(backwards)))
    })
  })
}

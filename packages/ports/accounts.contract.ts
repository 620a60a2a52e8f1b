import { randomUUID } from 'node:crypto'
import { inspect } from 'node:util'
import { expect } from 'chai'
import { type Account, type Accounts, AccountTakenError } from './accounts.ts'
import { describeAccess } from './accounts-access.contract.ts'
import { account, idsOf, memberOf, now, session, times, token } from './accounts-samples.contract.ts'
import { failureOf } from './event-store-samples.contract.ts'
import { describeSealedEntries } from './sealed-entries.contract.ts'

/** One set of accounts that a test opens any number of times. Opening again stands for a restart or another process. */
export type AccountsFixture = AsyncDisposable & { open(): Promise<Accounts> }

/** Checks the promises of Accounts. Other documents may be there: every test has its own ids and addresses. */
export function describeAccounts(name: string, makeFixture: () => Promise<AccountsFixture>): void {
  describe(`${name} keeps the promises of Accounts`, function () {
    this.timeout(60_000)
    let fixture: AccountsFixture
    let accounts: Accounts
    let other: Accounts
    before(async () => {
      fixture = await makeFixture()
      accounts = await fixture.open()
      other = await fixture.open()
    })
    after(async () => {
      for (const each of [accounts, other]) await each[Symbol.asyncDispose]()
      await fixture[Symbol.asyncDispose]()
    })
    /** As many callers as a test needs, alternating between both. */
    const both = (n: number): Accounts => (n % 2 === 0 ? accounts : other)
    const create = async (fields: Partial<Account> = {}): Promise<Account> => {
      const made = account(fields)
      await accounts.create(made)
      return made
    }

    describe('an account', () => {
      it('is found by id, address and identity as it was created, by every process', async () => {
        const made = await create({
          passwordHash: '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA',
          identity: `https://id.example.com ${randomUUID()}`,
          verifiedAt: now,
          isOperator: true,
          memberships: [memberOf('acme', { role: 'owner' }), memberOf('globex')],
          promised: { orgId: 'initech', name: '“Ünï” {$set} \u0000 😀' },
        })
        for (const each of [accounts, other]) {
          expect(await each.get(made.id)).to.deep.equal(made)
          expect(await each.byEmail(made.email)).to.deep.equal(made)
          expect(await each.byIdentity(made.identity ?? '')).to.deep.equal(made)
        }
      })

      it('is on exactly one page of all accounts, which are ordered by id', async () => {
        const made = await Promise.all(times(5, () => create()))
        const found: string[] = []
        for (let after = ''; ; ) {
          const page = await other.page(after, 2)
          expect(page.length).to.be.at.most(2)
          const last = page.at(-1)
          if (last === undefined) break
          found.push(...idsOf(page))
          after = last.id
        }
        expect(found).to.deep.equal([...new Set(found)].sort())
        expect(found).to.include.members(idsOf(made))
        expect(await other.page(found.at(-2) ?? '', 10)).to.deep.equal([await accounts.get(found.at(-1) ?? '')])
      })

      it('that is not there is undefined', async () => {
        await create()
        expect(await accounts.get(randomUUID())).to.equal(undefined)
        expect(await accounts.byEmail('nobody@example.com')).to.equal(undefined)
        expect(await accounts.byIdentity('nobody')).to.equal(undefined)
        expect(await accounts.update(randomUUID(), (it) => it)).to.equal(undefined)
      })

      it('is found by its address in any letter case and any Unicode form of its accents', async () => {
        const { id } = await create({ email: `Zo\u00eb.Stra\u00dfe-${now}@Example.COM` })
        for (const typed of [`ZOE\u0308.Stra\u00dfe-${now}@example.com`, `zo\u00eb.stra\u00dfe-${now}@EXAMPLE.com`])
          expect((await other.byEmail(typed))?.id, typed).to.equal(id)
      })

      it('is created once if two are created at once for one address in different letter case', async () => {
        const email = `one.${randomUUID()}@example.com`
        const wanted = times(8, (n) => account({ email: n % 2 === 0 ? email : email.toUpperCase() }))
        const errors = await Promise.all(wanted.map((each, n) => failureOf(both(n).create(each))))
        expect(errors.filter((error) => error === undefined)).to.have.length(1)
        for (const error of errors.filter((each) => each !== undefined)) {
          expect(error).to.be.instanceOf(AccountTakenError)
          expect(inspect(error).toLowerCase(), 'what may be logged').to.not.contain(email)
        }
        expect((await accounts.byEmail(email))?.id).to.equal(wanted[errors.indexOf(undefined)]?.id)
      })

      it('is not created with the identity or the id of another, and many have no identity', async () => {
        const { id, identity } = await create({ identity: `issuer ${randomUUID()}` })
        await create()
        await create()
        for (const taken of [account({ identity }), account({ id })]) {
          expect(await failureOf(other.create(taken))).to.be.instanceOf(AccountTakenError)
          expect(await accounts.byEmail(taken.email)).to.equal(undefined)
        }
      })

      it('and its sessions and tokens are still there after everything was closed', async () => {
        const made = account()
        const [begun, sent] = [session(made.id), token({ accountId: made.id })]
        {
          await using before = await fixture.open()
          await before.create(made)
          await before.putSession(begun)
          await before.putToken(sent)
        }
        await using again = await fixture.open()
        expect(await again.get(made.id)).to.deep.equal(made)
        expect(await again.session(begun.hash, now)).to.deep.equal(begun)
        expect(await again.token(sent.hash, now)).to.deep.equal(sent)
      })

      it('is the caller’s own copy', async () => {
        const { id, email } = await create({ memberships: [memberOf('acme')] })
        const found = await accounts.get(id)
        try {
          Object.assign(found?.memberships[0] ?? {}, { role: 'owner' })
          Object.assign(found ?? {}, { email: 'changed@example.com' })
        } catch {
          // A copy that is frozen, and so cannot be changed, also keeps the promise.
        }
        expect(await accounts.get(id)).to.deep.include({ email, memberships: [memberOf('acme')] })
      })
    })

    describe('update', () => {
      it('leaves an account unchanged if the change is undefined or throws', async () => {
        const made = await create()
        expect(await accounts.update(made.id, () => undefined)).to.deep.equal(made)
        const error = new Error('on purpose')
        const fails = (): undefined => {
          throw error
        }
        expect(await failureOf(accounts.update(made.id, fails))).to.equal(error)
        expect(await other.get(made.id)).to.deep.equal(made)
      })

      it('adds and removes an account’s second factor whole, and takes a code from one of many callers', async () => {
        const codes = { sealed: 'x', lastStep: 1, failures: 0, pausedUntil: 0 }
        const secondFactor = { ...codes, recovery: ['one', 'two'] }
        const { id, ...made } = await create()
        const all = { ...codes, recovery: ['one'] }
        await accounts.update(id, (held) => ({ ...held, secondFactor }))
        const takers = times(8, async (n) => {
          let isTaken = false
          await both(n).update(id, (held) => {
            isTaken = held.secondFactor?.recovery.includes('two') ?? false
            return isTaken ? { ...held, secondFactor: all } : undefined
          })
          return isTaken
        })
        expect((await Promise.all(takers)).filter(Boolean)).to.have.length(1)
        expect(await other.get(id)).to.deep.equal({ id, ...made, secondFactor: all })
        await other.update(id, ({ secondFactor: _, ...rest }) => rest)
        expect(await accounts.get(id)).to.deep.equal({ id, ...made })
      })

      it('loses no change, however many are made at once', async () => {
        const { id } = await create()
        const orgIds = times(20, (n) => `org-${n}`)
        const join = (orgId: string, n: number) =>
          both(n).update(id, (it) => ({ ...it, memberships: [...it.memberships, memberOf(orgId)] }))
        const results = await Promise.all(orgIds.map(join))
        for (const [n, result] of results.entries())
          expect(result?.memberships.map(({ orgId }) => orgId)).to.include(`org-${n}`)
        const stored = (await accounts.get(id))?.memberships.map(({ orgId }) => orgId)
        expect(stored?.sort()).to.deep.equal(orgIds.sort())
      })

      it('gives an account another address, which is then taken, and frees the old one', async () => {
        const [one, two] = [await create(), await create()]
        const move = (it: Account): Account => ({ ...it, email: two.email.toUpperCase() })
        expect(await failureOf(accounts.update(one.id, move))).to.be.instanceOf(AccountTakenError)
        expect(await accounts.get(one.id)).to.deep.equal(one)
        const email = `new.${one.email}`
        await accounts.update(one.id, (it) => ({ ...it, email }))
        expect((await other.byEmail(email))?.id).to.equal(one.id)
        expect(await other.byEmail(one.email)).to.equal(undefined)
        await create({ email: one.email })
      })

      it('gives an account an identity that no other has', async () => {
        const identity = `issuer ${randomUUID()}`
        const [one, two] = [await create(), await create()]
        const link = ({ id }: Account, on: Accounts) => on.update(id, (it) => ({ ...it, identity }))
        const errors = await Promise.all([failureOf(link(one, accounts)), failureOf(link(two, other))])
        expect(errors.filter((error) => error instanceof AccountTakenError)).to.have.length(1)
        const linked = errors[0] === undefined ? one : two
        expect((await accounts.byIdentity(identity))?.id).to.equal(linked.id)
        await accounts.update(linked.id, (it) => ({ ...it, identity: null }))
        expect(await other.byIdentity(identity)).to.equal(undefined)
      })

      it('does not change the id', async () => {
        const made = await create()
        const error = await failureOf(accounts.update(made.id, (it) => ({ ...it, id: randomUUID() })))
        expect(error).to.be.instanceOf(Error)
        expect(await accounts.get(made.id)).to.deep.equal(made)
      })
    })

    describe('lists of accounts', () => {
      it('membersOf lists the members of one organization, the longest-standing first', async () => {
        const orgId = randomUUID()
        const [late, early] = [
          await create({ memberships: [memberOf(orgId, { since: now + 5 }), memberOf('acme', { since: 1 })] }),
          await create({ memberships: [memberOf('acme'), memberOf(orgId, { since: now + 2 })] }),
        ]
        await create({ memberships: [memberOf('acme')] })
        expect(await other.membersOf(orgId)).to.deep.equal([early, late])
        await accounts.update(early.id, (it) => ({ ...it, memberships: [] }))
        expect(idsOf(await other.membersOf(orgId))).to.deep.equal([late.id])
        await accounts.remove(late.id)
        expect(await other.membersOf(orgId)).to.deep.equal([])
      })

      it('withPromise lists accounts created before an instant, until the promise is kept', async () => {
        // An instant so long ago that no other account has it.
        const at = 1_000_000 + Math.floor(Math.random() * 1e9)
        const promised = { orgId: randomUUID(), name: 'Acme' }
        const [late, early] = [
          await create({ promised, createdAt: at + 1 }),
          await create({ promised, createdAt: at }),
          await create({ createdAt: at }),
        ]
        const found = async (before: number) =>
          (await other.withPromise(before)).filter((each) => each.promised?.orgId === promised.orgId)
        expect(await found(at)).to.deep.equal([])
        expect(await found(at + 1)).to.deep.equal([early])
        expect(await found(at + 2)).to.deep.equal([early, late])
        await accounts.update(early.id, (it) => ({ ...it, promised: null }))
        expect(await found(at + 2)).to.deep.equal([late])
      })
    })

    describe('remove', () => {
      it('removes an account with its sessions and tokens, frees its address, and keeps those of others', async () => {
        const [gone, stays] = [await create({ identity: `issuer ${randomUUID()}` }), await create()]
        const [sessions, tokens] = [
          [gone, stays].map(({ id }) => session(id)),
          [gone, stays].map(({ id }) => token({ accountId: id })),
        ]
        for (const each of sessions) await accounts.putSession(each)
        for (const each of tokens) await accounts.putToken(each)
        await accounts.remove(gone.id)
        expect(await other.get(gone.id)).to.equal(undefined)
        expect(await other.byEmail(gone.email)).to.equal(undefined)
        expect(await other.byIdentity(gone.identity ?? '')).to.equal(undefined)
        const left = await Promise.all(sessions.map((each) => other.session(each.hash, now)))
        expect(left).to.deep.equal([undefined, sessions[1]])
        const leftTokens = await Promise.all(tokens.map((each) => other.token(each.hash, now)))
        expect(leftTokens).to.deep.equal([undefined, tokens[1]])
        await create({ email: gone.email, identity: gone.identity })
        await accounts.remove(gone.id)
        expect(await other.get(stays.id)).to.deep.equal(stays)
      })

      it('removes what was added after the first call, such as the session of an unfinished sign-in', async () => {
        const { id } = await create()
        await accounts.remove(id)
        const [late, left] = [session(id), token({ accountId: id })]
        await accounts.putSession(late)
        await accounts.putToken(left)
        await other.remove(id)
        expect(await accounts.session(late.hash, now)).to.equal(undefined)
        expect(await accounts.token(left.hash, now)).to.equal(undefined)
      })
    })

    describeAccess(() => ({ accounts, other }))
    describeSealedEntries(() => ({ accounts, other }))
  })
}

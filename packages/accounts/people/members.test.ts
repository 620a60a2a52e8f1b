import { expect } from 'chai'
import type { Account } from '#packages/ports/accounts.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { accountHarness, accountOf, address, eachHarness, memberOf, password, tokenIn } from './accounts.harness.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const orgId = 'acme'
const [ada, bob] = [memberOf(orgId, 'ada'), memberOf(orgId, 'bob')]
const eve = accountOf({ id: 'eve' })

describe('members of an organization', () => {
  const harness = eachHarness()
  beforeEach(async () => {
    for (const account of [ada, eve]) await harness.accounts.create(account)
  })

  const rolesOf = async (): Promise<Record<string, string>> =>
    Object.fromEntries((await harness.members.of(orgId)).map(({ accountId, role }) => [accountId, role]))
  const fresh = async ({ id }: Account): Promise<Account> => (await harness.accounts.get(id)) ?? ada
  const invite = async (role: 'owner' | 'member' = 'member') =>
    tokenIn((await harness.members.invite(ada, orgId, { role })) ?? '')

  it('are invited by a link that works once, for seven days', async () => {
    const token = await invite()
    expect((await harness.members.look(token)).gives).to.deep.equal({ orgId, role: 'member' })
    expect(await harness.members.accept(token, eve)).to.equal(orgId)
    expect(await rolesOf()).to.deep.equal({ ada: 'owner', eve: 'member' })
    expect(await failureOf(harness.members.accept(token, eve))).to.include({ code: 'not_found' })
    const late = await invite()
    await harness.clock.advance(7 * DAY_MS)
    expect(await failureOf(harness.members.accept(late, eve))).to.include({ code: 'not_found' })
  })

  it('keep their role if they open another invitation', async () => {
    await harness.members.accept(await invite(), eve)
    await harness.members.accept(await invite('owner'), eve)
    expect(await rolesOf()).to.deep.equal({ ada: 'owner', eve: 'member' })
  })

  it('gain one member if two people open one link at once', async () => {
    await harness.accounts.create(accountOf({ id: 'zoe' }))
    const [token, zoe] = [await invite(), await fresh({ ...eve, id: 'zoe' })]
    const outcomes = await Promise.allSettled([harness.members.accept(token, eve), harness.members.accept(token, zoe)])
    expect(outcomes.map(({ status }) => status).sort()).to.deep.equal(['fulfilled', 'rejected'])
    expect(await harness.members.of(orgId)).to.have.length(2)
  })

  it('are invited, listed as invited, promoted and removed by owners only', async () => {
    await harness.members.accept(await invite(), eve)
    const member = await fresh(eve)
    const { members } = harness
    const acts = [
      (by: Account) => members.invite(by, orgId, { role: 'member' }),
      (by: Account) => members.invitations(by, orgId),
      (by: Account) => members.withdraw(by, orgId, 'x'),
      (by: Account) => members.changeRole(by, orgId, 'eve', 'owner'),
      (by: Account) => members.remove(by, orgId, 'ada'),
    ]
    for (const act of acts) {
      expect(await failureOf(act(member))).to.include({ code: 'forbidden' })
      expect(await failureOf(act(accountOf({ id: 'zoe' })))).to.include({ code: 'not_found' })
    }
    expect(await rolesOf()).to.deep.equal({ ada: 'owner', eve: 'member' })
  })

  it('may leave at any time, except the last owner', async () => {
    await harness.members.accept(await invite(), eve)
    await harness.members.remove(await fresh(eve), orgId, 'eve')
    expect(await rolesOf()).to.deep.equal({ ada: 'owner' })
    for (const act of [
      () => harness.members.remove(ada, orgId, 'ada'),
      () => harness.members.changeRole(ada, orgId, 'ada', 'member'),
    ])
      expect(await failureOf<Error>(act()))
        .to.include({ code: 'forbidden' })
        .and.to.match(/needs an owner/)
    expect(await rolesOf()).to.deep.equal({ ada: 'owner' })
  })

  it('stay removed if another owner changes their role at the same time', async () => {
    await harness.accounts.create(bob)
    await harness.members.accept(await invite(), eve)
    await Promise.all([
      harness.members.remove(ada, orgId, 'eve'),
      harness.members.changeRole(bob, orgId, 'eve', 'owner'),
    ])
    expect(await rolesOf()).to.deep.equal({ ada: 'owner', bob: 'owner' })
  })

  it('keep an owner if two owners remove each other at once', async () => {
    await harness.accounts.create(bob)
    await Promise.allSettled([
      harness.members.remove(ada, orgId, 'bob'),
      harness.members.remove(bob, orgId, 'ada'),
      harness.members.changeRole(ada, orgId, 'ada', 'member'),
    ])
    expect(Object.values(await rolesOf())).to.include('owner')
  })

  it('are invited by a mail that only its reader sees, if mails can be sent', async () => {
    const mailing = accountHarness({ mails: true, accounts: harness.accounts })
    expect(await mailing.members.invite(ada, orgId, { email: 'zoe@example.com', role: 'member' })).to.equal(undefined)
    const [invitation] = await mailing.members.invitations(ada, orgId)
    expect(invitation).to.include({ email: 'zoe@example.com', role: 'member' })
    const signedUp = await mailing.signUps.signUp({
      ...{ email: 'zoe@example.com', password, organization: '', address },
      invitation: await mailing.mailedToken(),
    })
    expect(signedUp).to.include({ type: 'signed-up' })
  })

  it('are no longer invited once the invitation is withdrawn, by its own organization only', async () => {
    const foe = memberOf('other', 'foe')
    await harness.accounts.create(foe)
    const token = await invite()
    const [{ id } = { id: '' }] = await harness.members.invitations(ada, orgId)
    expect(await failureOf(harness.members.withdraw(foe, 'other', id))).to.include({ code: 'not_found' })
    await harness.members.withdraw(ada, orgId, id)
    expect(await failureOf(harness.members.accept(token, eve))).to.include({ code: 'not_found' })
  })

  it('are not invited twice by address, and at most 50 times', async () => {
    const again = harness.members.invite(ada, orgId, { email: 'ADA@example.com', role: 'member' })
    expect((await failureOf<Error>(again)).message).to.match(/^email is already a member/)
    for (let n = 0; n < 50; n++) await invite()
    expect(await failureOf(invite())).to.include({ code: 'forbidden' })
  })
})

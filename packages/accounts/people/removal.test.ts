import { expect } from 'chai'
import { openSqliteAccounts } from '#packages/adapters/sqlite/accounts.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { streams } from '#packages/ports/ids.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { startIngress } from '#test/doubles/ingress/started-ingress.ts'
import { openedForEach } from '#test/doubles/opened.ts'
import { accountHarness, accountOf, eachHarness, memberOf, password, tokenIn } from './accounts.harness.ts'

const url = 'https://cdn.example.com/film.mp4'
const email = 'ada@example.com'

describe('deleting an account', () => {
  const ingress = openedForEach(() => startIngress({ clock }))
  const harness = eachHarness(() => {
    const { store, views, ledgers, attempts } = ingress
    return { ports: { clock, store, views, ledgers, attempts } }
  })

  it("asks for the password, and closes the last owner's organization: keys, jobs, members, invitations", async () => {
    const { who, session, key, orgId } = await harness.person(email)
    const other = await ingress.call('POST', '/v1/keys', { key, json: { name: 'other' } })
    const posted = await ingress.call('POST', '/v1/transcript', { key, json: { url } })
    await harness.accounts.create(memberOf(orgId, 'bob', 'member'))
    const elsewhere = { orgId: 'other', role: 'member', since: 1 } as const
    const eve = memberOf(orgId, 'eve', 'member')
    await harness.accounts.create({ ...eve, memberships: [...eve.memberships, elsewhere] })
    const link = await harness.members.invite(who.account, orgId, { role: 'member' })
    expect(await harness.removal.wouldClose(who.account)).to.deep.equal([orgId])

    expect((await failureOf<Error>(harness.removal.removeOwn(who, 'wrong'))).message).to.match(/^password /)
    expect((await ingress.call('GET', '/v1/me', { key })).status).to.equal(200)
    await harness.removal.removeOwn(who, password)

    for (const each of [key, other.body.key])
      expect((await ingress.call('GET', '/v1/me', { key: each })).status).to.equal(401)
    const job = await ingress.memory.read(streams.job(posted.body.jobId))
    expect(job.at(-1)).to.deep.include({ type: 'JobFailed' })
    expect(job.at(-1)?.data).to.include({ code: 'cancelled' })
    expect(await harness.accounts.get('bob'), 'a member of nothing else').to.equal(undefined)
    expect((await harness.accounts.get('eve'))?.memberships).to.deep.equal([elsewhere])
    const [decided] = await ingress.memory.read(streams.removal(orgId))
    expect(decided?.data, 'what is forgotten').to.deep.include({ streams: [streams.organization(orgId)] })
    expect(await failureOf(harness.members.look(/token=(.*)/.exec(link ?? '')?.[1] ?? ''))).to.include({
      code: 'not_found',
    })
    expect(await harness.accounts.byEmail(email)).to.equal(undefined)
    expect(await harness.sessions.who(session)).to.equal(undefined)
  })

  it('leaves an organization that has another owner unchanged', async () => {
    const { who, key, orgId } = await harness.person(email)
    await harness.accounts.create(memberOf(orgId, 'bob'))
    expect(await harness.removal.wouldClose(who.account)).to.deep.equal([])
    await harness.removal.removeOwn(who, password)
    expect((await ingress.call('GET', '/v1/me', { key })).status).to.equal(200)
    expect((await harness.members.of(orgId)).map(({ accountId }) => accountId)).to.deep.equal(['bob'])
  })

  it('closes an organization if both owners leave at the same time', async () => {
    const { who, key, orgId } = await harness.person(email)
    await harness.accounts.create(memberOf(orgId, 'bob'))
    await Promise.all([harness.removal.remove(who.account.id), harness.removal.remove('bob')])
    expect((await ingress.call('GET', '/v1/me', { key })).status).to.equal(401)
  })

  it('leaves no member in an organization who could begin a job while its jobs are cancelled', async () => {
    const { who, orgId } = await harness.person(email)
    await harness.accounts.create(memberOf(orgId, 'bob', 'member'))
    const find = ingress.views.find.bind(ingress.views)
    const members: unknown[] = []
    ingress.views.find = async (...asked) => {
      members.push(await harness.accounts.get('bob'))
      return find(...asked)
    }
    await harness.removal.remove(who.account.id)
    expect(members.length).to.be.greaterThan(0)
    for (const held of members) expect(held).to.equal(undefined)
  })

  it('leaves no member who was invited while the account of the last owner goes', async () => {
    const { who, orgId } = await harness.person(email)
    const { accounts, members } = harness
    const eve = accountOf({ id: 'eve' })
    await accounts.create(eve)
    const { remove } = accounts
    accounts.remove = async (id) => {
      accounts.remove = remove
      const link = (await members.invite(who.account, orgId, { role: 'owner' })) ?? ''
      await members.accept(tokenIn(link), eve)
      return remove.call(accounts, id)
    }
    await harness.removal.remove(who.account.id)
    expect(await members.of(orgId)).to.deep.equal([])
  })

  it('leaves the account if its organization cannot be closed, and can be repeated', async () => {
    const { who, key } = await harness.person(email)
    const { views } = ingress
    const wait = views.waitForApplied.bind(views)
    views.waitForApplied = async () => false
    expect(await failureOf(harness.removal.removeOwn(who, password))).to.include({ code: 'unavailable' })
    expect(await harness.accounts.byEmail(email)).to.not.equal(undefined)
    views.waitForApplied = wait
    await harness.removal.remove(who.account.id)
    expect(await harness.accounts.byEmail(email)).to.equal(undefined)
    expect((await ingress.call('GET', '/v1/me', { key })).status).to.equal(401)
  })

  it('requires a session of the last ten minutes from a person without a password', async () => {
    await harness.accounts.create(accountOf({ id: 'eve' }))
    const who = await harness.whoIs(await harness.sessions.begin('eve'))
    const old = { ...who, session: { ...who.session, createdAt: clock.now() - 10 * 60_000 } }
    expect(await failureOf(harness.removal.removeOwn(old, ''))).to.include({ code: 'forbidden' })
    await harness.removal.removeOwn(who, '')
    expect(await harness.accounts.get('eve')).to.equal(undefined)
  })
})

describe('deleting an account in the middle of a sign-up', () => {
  it('leaves nothing of it', async () => {
    const accounts = openSqliteAccounts({ path: ':memory:' })
    const harness = accountHarness({ accounts })
    await accounts.create(accountOf({ id: 'ada', email, promised: { orgId: 'o1', name: 'Acme' } }))
    await harness.removal.remove('ada')
    await harness.clock.advance(61_000)
    await harness.signUps.finishPromises()
    expect(await harness.memory.read(streams.organization('o1'))).to.deep.equal([])
  })
})

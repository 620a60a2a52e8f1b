import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { pino } from 'pino'
import { streams } from '#packages/ports/ids.ts'
import { UnknownAddressError } from '#packages/ports/mailer.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { accountHarness, address, eachHarness, password, tokenIn, url } from './accounts.harness.ts'

const ada = { email: 'Ada@Example.com', password, organization: ' Analytical Engines ', address }
const DAY_MS = 24 * 60 * 60 * 1000

/** Signs up, and returns the mailed token. */
async function tokenOf({ signUps, mailedToken }: ReturnType<typeof accountHarness>, email = ada.email) {
  await signUps.signUp({ ...ada, email })
  return mailedToken()
}

describe('signing up', () => {
  const harness = eachHarness()

  it('without confirmation, creates an account, its session, an organization with 50 credits and a key', async () => {
    const made = await harness.signUps.signUp(ada)
    if (made.type !== 'signed-up') throw new Error(made.type)
    const [{ orgId, role } = { orgId: '', role: '' }] = made.account.memberships
    expect(made.account).to.deep.include({ email: 'Ada@Example.com', promised: null, isOperator: false })
    expect(role).to.equal('owner')
    expect(made.key).to.include({ orgId }).and.to.have.property('key').that.matches(/^ma_/)
    expect((await harness.ports.ledgers.current(orgId)).balance).to.equal(50)
    const [registered] = await harness.memory.read(streams.organization(orgId))
    expect(registered?.data).to.deep.equal({ name: 'Analytical Engines' })
    expect((await harness.sessions.who(made.session))?.account.id).to.equal(made.account.id)
  })

  it('names the wrong field, and stores nothing', async () => {
    const wrong = { email: 'ada@localhost', organization: ' ', password: 'short' }
    for (const [field, value] of Object.entries(wrong)) {
      const error = await failureOf<Error>(harness.signUps.signUp({ ...ada, [field]: value }))
      expect(error, field).to.include({ code: 'invalid_request' }).and.to.have.nested.property('details[0].path', field)
    }
    expect(harness.calls).to.not.include('create')
  })

  it('accepts no name or address that reads differently from its spelling', async () => {
    for (const sign of ['\u202e', '\u2066', '\u0000', '\u001b'])
      for (const odd of [{ email: `a${sign}da@example.com` }, { organization: `Acme${sign} Inc` }])
        expect(await failureOf(harness.signUps.signUp({ ...ada, ...odd, address: sign }))).to.include({
          code: 'invalid_request',
        })
    expect((await harness.person('ada@example.com', 'Acme 👩‍🔬 شركة')).orgId).to.not.equal('')
  })

  it('asks a known address to sign in if no mails can be sent', async () => {
    await harness.person(ada.email)
    const error = await failureOf<Error>(harness.signUps.signUp({ ...ada, email: 'ADA@example.com' }))
    expect(error.message).to.match(/^email already has an account/)
  })

  it('is limited to ten in a minute from one address', async () => {
    const harness = accountHarness({ signUp: 'closed' })
    const attempts = []
    for (let n = 0; n < 11; n++) attempts.push((await failureOf(harness.signUps.signUp(ada))).code)
    expect(attempts).to.deep.equal([...Array(10).fill('forbidden'), 'rate_limited'])
  })

  it('creates nothing while the events are not believed', async () => {
    harness.ports.store.integrityProblem = () => 'events are lost'
    expect(await failureOf(harness.signUps.signUp(ada))).to.include({ code: 'unavailable' })
    expect(harness.calls).to.not.include('create')
  })
})

describe('signing up if mails can be sent', () => {
  const harness = eachHarness(() => ({ mails: true }))

  it('mails a link, and creates the organization once it is opened, with a key that is shown once', async () => {
    expect(await harness.signUps.signUp(ada)).to.deep.equal({ type: 'confirm' })
    const token = await harness.mailedToken()
    expect(harness.mailer.mails).to.have.length(1)
    expect(harness.mailer.mails[0]).to.include({ to: 'Ada@Example.com' })
    expect(harness.mailer.mails[0]?.text).to.contain(`\n${url}/verify?token=${token}\n`)
    const { account, key } = await harness.signUps.verify(token)
    expect(account).to.deep.include({ verifiedAt: harness.clock.now(), promised: null })
    expect((await harness.ports.ledgers.current(key?.orgId ?? '')).balance).to.equal(50)
    expect(await failureOf(harness.signUps.verify(token))).to.include({ code: 'not_found' })
    expect((await harness.signIn(ada)).account.id).to.equal(account.id)
  })

  it('mails a new link to a person who signs in before opening the first', async () => {
    const first = await tokenOf(harness)
    expect(await failureOf(harness.signIn(ada))).to.include({ code: 'forbidden' })
    const second = await harness.mailedToken()
    expect(second).to.not.equal(first)
    expect((await harness.signUps.verify(second)).key).to.not.equal(undefined)
    expect((await harness.signUps.verify(first)).key).to.equal(undefined)
  })

  it('answers a known address the same way, with the same calls and one argon2, and mails it a notice', async () => {
    const callsOf = async (email: string): Promise<string[]> => {
      harness.calls.length = 0
      expect(await harness.signUps.signUp({ ...ada, email })).to.deep.equal({ type: 'confirm' })
      return [...harness.calls]
    }
    const unknown = await callsOf('ada@example.com')
    const known = await callsOf('ADA@example.com')
    expect(known).to.deep.equal(unknown)
    expect(known.filter((name) => name === 'argon2')).to.have.length(1)
    const [, mail] = await harness.mailed()
    expect(mail?.subject).to.equal('You already have an account')
    expect(tokenIn(mail?.text ?? '')).to.equal('no token')
    expect(await harness.accounts.withPromise(harness.clock.now() + 1)).to.have.length(1)
  })

  it('gives credits to a limited number of organizations a day; the same link works after midnight', async () => {
    const harness = accountHarness({ mails: true, signUpsPerDay: 1 })
    await harness.signUps.verify(await tokenOf(harness))
    const token = await tokenOf(harness, 'eve@example.com')
    const error = await failureOf<Error>(harness.signUps.verify(token))
    expect(error).to.include({ code: 'unavailable', retryAfterSeconds: 12 * 3600 })
    expect(error.message).to.contain('2026-11-22 00:00 UTC')
    await harness.clock.advance(DAY_MS / 2)
    expect((await harness.signUps.verify(token)).key).to.not.equal(undefined)
  })

  it('takes one place for one organization, even if its link is opened twice at once', async () => {
    const token = await tokenOf(harness)
    const opened = await Promise.allSettled([harness.signUps.verify(token), harness.signUps.verify(token)])
    const keys = opened.flatMap((one) => (one.status === 'fulfilled' && one.value.key ? [one.value.key] : []))
    expect(keys).to.have.length(1)
    const account = await harness.accounts.byEmail(ada.email)
    expect(account?.memberships).to.have.length(1)
    expect((await harness.ports.ledgers.current(keys[0]?.orgId ?? '')).balance).to.equal(50)
  })

  it('takes no places of others, however often a link is opened at once', async () => {
    const harness = accountHarness({ mails: true, signUpsPerDay: 10 })
    const token = await tokenOf(harness)
    await Promise.allSettled(Array.from({ length: 20 }, () => harness.signUps.verify(token)))
    expect((await harness.signUps.verify(await tokenOf(harness, 'eve@example.com'))).key).to.not.equal(undefined)
  })

  it('removes an account with an unconfirmed address after seven days, and its promise with it', async () => {
    await harness.signUps.signUp(ada)
    await harness.clock.advance(7 * DAY_MS - 1)
    await harness.signUps.finishPromises()
    expect(await harness.accounts.byEmail(ada.email)).to.not.equal(undefined)
    await harness.clock.advance(1)
    await harness.signUps.finishPromises()
    expect(await harness.accounts.byEmail(ada.email)).to.equal(undefined)
    expect(await harness.memory.read('$all').catch(() => [])).to.deep.equal([])
  })

  it('removes thousands of those without delaying other work', async () => {
    for (const email of ['ada@example.com', 'eve@example.com']) await harness.signUps.signUp({ ...ada, email })
    await harness.clock.advance(7 * DAY_MS)
    const finished = harness.signUps.finishPromises()
    await setImmediate()
    expect(await harness.accounts.byEmail('eve@example.com')).to.not.equal(undefined)
    await finished
    expect(await harness.accounts.byEmail('eve@example.com')).to.equal(undefined)
  })

  it('answers as if the mail was sent if the server fails, and logs an alarm without the address', async () => {
    harness.mailer.failure = Object.assign(new Error('550 <Ada@Example.com> unknown'), { code: 'EENVELOPE' })
    expect(await harness.signUps.signUp(ada)).to.deep.equal({ type: 'confirm' })
    await harness.mailed()
    expect(harness.lines.join()).to.contain('"alarm":"mail_failed","code":"EENVELOPE"')
    expect(harness.lines.join().toLowerCase()).to.not.contain('ada@')
  })

  it('raises no alarm if the typed address does not exist', async () => {
    harness.mailer.failure = new UnknownAddressError('no such address')
    await harness.signUps.signUp(ada)
    await harness.mailed()
    const levels = harness.lines
      .filter((line) => line.includes('unknown_address'))
      .map((line) => JSON.parse(line).level)
    expect(levels).to.deep.equal([pino.levels.values.info])
    expect(harness.lines.join()).to.not.contain('mail_failed')
  })

  it('sends at most three mails of a kind a minute to one address', async () => {
    for (let n = 0; n < 6; n++) await harness.signUps.signUp({ ...ada, address: `${n}` })
    const subjects = (await harness.mailed()).map(({ subject }) => subject)
    expect(subjects).to.deep.equal(['Confirm your e-mail address', ...Array(3).fill('You already have an account')])
  })
})

describe('who may sign up', () => {
  it('is the first owner by the printed link: once, within an hour, and while there is no owner', async () => {
    const harness = accountHarness({ signUp: 'closed' })
    const first = async () => tokenIn((await harness.signUps.inviteFirstOwner()) ?? '')
    const late = await first()
    await harness.clock.advance(60 * 60 * 1000)
    expect(await failureOf(harness.signUps.signUp({ ...ada, invitation: late }))).to.include({ code: 'not_found' })
    const invitation = await first()
    const another = await first()
    const sent = await Promise.allSettled(
      [ada.email, 'eve@example.com'].map((email) => harness.signUps.signUp({ ...ada, email, invitation })),
    )
    expect(
      sent.filter(({ status }) => status === 'fulfilled'),
      'of two at once one',
    ).to.have.length(1)
    const mallory = { ...ada, email: 'mallory@example.com', invitation: another }
    expect(await failureOf(harness.signUps.signUp(mallory))).to.include({ code: 'not_found' })
    expect(await harness.signUps.inviteFirstOwner()).to.equal(undefined)
  })

  it('is everyone, those with an invitation, or no one', async () => {
    const closed = accountHarness({ signUp: 'closed' })
    expect(await failureOf(closed.signUps.signUp(ada))).to.include({ code: 'forbidden' })
    const invitation = tokenIn(await closed.signUps.invite(ada.email))
    expect(await failureOf(closed.signUps.signUp({ ...ada, invitation }))).to.include({ code: 'forbidden' })
    const harness = accountHarness({ signUp: 'invited' })
    expect(await failureOf(harness.signUps.signUp(ada))).to.include({ code: 'forbidden' })
  })

  it("is the address in an operator's invitation, once, and nothing remains to be confirmed", async () => {
    const harness = accountHarness({ signUp: 'invited', mails: true, signUpsPerDay: 0 })
    const invitation = tokenIn(await harness.signUps.invite('ada@example.com'))
    const other = await failureOf<Error>(harness.signUps.signUp({ ...ada, email: 'eve@example.com', invitation }))
    expect(other.message).to.match(/^email must be the address that was invited/)
    const made = await harness.signUps.signUp({ ...ada, invitation })
    expect(made).to.include({ type: 'signed-up' })
    expect(made.type === 'signed-up' && made.account.verifiedAt).to.equal(harness.clock.now())
    expect(await failureOf(harness.signUps.signUp({ ...ada, invitation }))).to.include({ code: 'not_found' })
  })

  it('is anyone with an invitation to an organization, even in `closed`, and only as its member', async () => {
    const harness = accountHarness({ signUp: 'open' })
    const owner = await harness.person('owner@example.com')
    const link = await harness.members.invite(owner, owner.orgId, { role: 'member' })
    const closed = accountHarness({ signUp: 'closed', accounts: harness.accounts })
    const made = await closed.signUps.signUp({ ...ada, organization: '', invitation: tokenIn(link ?? '') })
    if (made.type !== 'signed-up') throw new Error(made.type)
    expect(made.account.memberships.map(({ orgId, role }) => [orgId, role])).to.deep.equal([[owner.orgId, 'member']])
    expect(made).to.include({ key: undefined })
    expect(made.account).to.include({ promised: null, verifiedAt: null })
  })

  it('must confirm an address that no invitation was mailed to, and is a member then', async () => {
    const harness = accountHarness({ mails: true })
    const { who, orgId } = await harness.person(ada.email)
    const { account } = who
    const shown = await harness.members.invite(account, orgId, { role: 'member' })
    const eve = { ...ada, email: 'eve@example.com', invitation: tokenIn(shown ?? '') }
    expect(await harness.signUps.signUp(eve)).to.deep.equal({ type: 'confirm' })
    const confirmation = await harness.mailedToken()
    // The person is not a member yet, and the maker of the invitation does not learn whether an address has an account.
    for (const email of ['eve@example.com', 'ada@example.com']) {
      await harness.signUps.signUp({ ...eve, email })
      expect(await harness.members.of(orgId), email).to.have.length(1)
      expect(await harness.members.invitations(account, orgId), email).to.have.length(1)
    }
    expect((await harness.signUps.verify(confirmation)).account.memberships).to.have.length(1)
    expect(await harness.members.invitations(account, orgId)).to.deep.equal([])
    expect(await harness.members.invite(account, orgId, { email: 'bob@example.com', role: 'member' })).to.equal(
      undefined,
    )
    const bob = { ...ada, email: 'bob@example.com', invitation: await harness.mailedToken() }
    expect(await harness.signUps.signUp(bob)).to.include({ type: 'signed-up' })
    const late = { ...eve, email: 'zoe@example.com', invitation: '' }
    late.invitation = tokenIn((await harness.members.invite(account, orgId, { role: 'member' })) ?? '')
    await harness.signUps.signUp(late)
    const [{ id } = { id: '' }] = await harness.members.invitations(account, orgId)
    await harness.members.withdraw(account, orgId, id)
    expect((await harness.signUps.verify(await harness.mailedToken())).account.memberships).to.deep.equal([])
  })
})

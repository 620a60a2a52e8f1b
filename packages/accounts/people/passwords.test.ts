import { expect } from 'chai'
import { failureOf } from '#test/doubles/failure-of.ts'
import { accountHarness, accountOf, address, eachHarness, password, tokenIn, url } from './accounts.harness.ts'

const email = 'ada@example.com'
const next = 'nine dry otters sleep'
const MINUTE_MS = 60_000

describe('changing a password', () => {
  const harness = eachHarness()

  it('asks for the old one, ends all other sessions, and keeps this one', async () => {
    const { who, session } = await harness.person(email)
    const other = await harness.signIn({ email, password, address })
    const error = await failureOf<Error>(harness.passwords.change(who, { current: 'wrong', password: next }))
    expect(error.message).to.match(/^current /)
    expect(await harness.sessions.who(other.session)).to.not.equal(undefined)
    await harness.passwords.change(who, { current: password, password: next })
    expect(await harness.sessions.who(other.session)).to.equal(undefined)
    expect(await harness.sessions.who(session)).to.not.equal(undefined)
    expect(await failureOf(harness.signIn({ email, password, address }))).to.include({ code: 'unauthorized' })
    expect(await harness.signIn({ email, password: next, address })).to.have.property('session')
  })

  it('changes nothing if it was reset meanwhile: the old one is no longer enough', async () => {
    const { who } = await harness.person(email)
    await harness.accounts.update(who.account.id, (account) => ({ ...account, passwordHash: 'reset meanwhile' }))
    const error = await failureOf<Error>(harness.passwords.change(who, { current: password, password: next }))
    expect(error.message).to.match(/^current /)
    expect((await harness.accounts.get(who.account.id))?.passwordHash).to.equal('reset meanwhile')
  })

  it('refuses a new one that is easily guessed', async () => {
    const { who } = await harness.person(email)
    const weak = { current: password, password: 'password1234567' }
    const error = await failureOf<Error>(harness.passwords.change(who, weak))
    expect(error.message).to.match(/^password /)
  })

  it('counts wrong old ones together with those of signing in', async () => {
    const { who } = await harness.person(email)
    for (let n = 0; n < 5; n++) await failureOf(harness.passwords.change(who, { current: 'wrong', password: next }))
    expect(await failureOf(harness.signIn({ email, password, address }))).to.include({ code: 'rate_limited' })
  })

  it('sets the first one within ten minutes of signing in through the provider', async () => {
    await harness.accounts.create(accountOf({ id: 'eve' }))
    const who = await harness.whoIs(await harness.sessions.begin('eve'))
    await harness.clock.advance(10 * MINUTE_MS)
    const late = await failureOf(harness.passwords.change(who, { current: '', password: next }))
    expect(late).to.include({ code: 'forbidden' })
    const fresh = await harness.whoIs(await harness.sessions.begin('eve'))
    await harness.passwords.change(fresh, { current: '', password: next })
    expect(await harness.signIn({ email: 'eve@example.com', password: next, address })).to.have.property('session')
  })
})

describe('a forgotten password', () => {
  const harness = eachHarness(() => ({ mails: true }))
  beforeEach(() => harness.person(email))
  const linkFor = async (asked = email, from = address): Promise<string> => {
    await harness.passwords.requestReset({ email: asked, address: from })
    return harness.mailedToken()
  }

  it('is reset by a mailed link, once, which ends all sessions', async () => {
    const { session } = await harness.signIn({ email, password, address })
    const token = await linkFor()
    expect(harness.mailer.mails.at(-1)?.text).to.contain(`\n${url}/reset?token=${token}\n`)
    expect((await failureOf<Error>(harness.passwords.reset(token, 'short'))).message).to.match(/^password /)
    await harness.passwords.reset(token, next)
    expect(await harness.sessions.who(session)).to.equal(undefined)
    expect(await harness.signIn({ email, password: next, address })).to.have.property('session')
    expect(await failureOf(harness.passwords.reset(token, password))).to.include({ code: 'not_found' })
  })

  it('is reset once if two open the link at once', async () => {
    const token = await linkFor()
    const outcomes = await Promise.allSettled([
      harness.passwords.reset(token, next),
      harness.passwords.reset(token, 'four loud herons argue'),
    ])
    expect(outcomes.map(({ status }) => status).sort()).to.deep.equal(['fulfilled', 'rejected'])
  })

  it('is reset by the link mailed to its owner, whoever requests further ones, and then by none of them', async () => {
    const first = await linkFor()
    const second = await linkFor(email, '198.51.100.66')
    expect(await harness.passwords.reset(first, next)).to.include({ email })
    expect(await failureOf(harness.passwords.reset(second, password))).to.include({ code: 'not_found' })
  })

  it('is not reset by a link from before its change, after an hour, or by a link for another purpose', async () => {
    const first = await linkFor()
    const who = await harness.whoIs((await harness.signIn({ email, password, address })).session)
    await harness.passwords.change(who, { current: password, password: next })
    expect(await failureOf(harness.passwords.reset(first, password))).to.include({ code: 'not_found' })
    const second = await linkFor()
    await harness.clock.advance(60 * MINUTE_MS)
    expect(await failureOf(harness.passwords.reset(second, next))).to.include({ code: 'not_found' })
    const invitation = tokenIn(await harness.signUps.invite('eve@example.com'))
    expect(await failureOf(harness.passwords.reset(invitation, next))).to.include({ code: 'not_found' })
    expect(await harness.members.look(invitation)).to.include({ purpose: 'invite' })
  })

  it('is requested with the same answer and the same calls, whether the address has an account or not', async () => {
    const callsOf = async (whose: string): Promise<string[]> => {
      harness.calls.length = 0
      await harness.passwords.requestReset({ email: whose, address })
      return [...harness.calls]
    }
    const known = await callsOf(email)
    expect(await callsOf('nobody@example.com')).to.deep.equal(known)
    expect(known).to.deep.equal(['byEmail', 'putToken'])
  })

  it('is mailed at most twice a minute', async () => {
    for (let n = 0; n < 5; n++) await harness.passwords.requestReset({ email, address: `${n}` })
    expect(await harness.mailed()).to.have.length(1 + 2)
  })

  it('is reset by a link from the operator, which confirms no address', async () => {
    const harness = accountHarness()
    await harness.person(email)
    expect(await harness.passwords.resetLink('nobody@example.com')).to.equal(undefined)
    const link = await harness.passwords.resetLink('ADA@example.com')
    expect(await harness.passwords.reset(tokenIn(link ?? ''), next)).to.include({ verifiedAt: null })
  })

  it('is reset by a mailed link that also confirms the address, unless an organization waits for that', async () => {
    await harness.accounts.create(accountOf({ id: 'bob' }))
    await harness.signUps.signUp({ email: 'eve@example.com', password, organization: 'Acme', address })
    for (const [name, verifiedAt] of [
      ['bob', harness.clock.now()],
      ['eve', null],
    ] as const) {
      const token = await linkFor(`${name}@example.com`)
      expect(await harness.passwords.reset(token, next), name).to.include({ verifiedAt })
    }
  })
})

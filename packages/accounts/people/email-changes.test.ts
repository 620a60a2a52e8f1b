import { expect } from 'chai'
import { failureOf } from '#test/doubles/failure-of.ts'
import { accountHarness, address, password, tokenIn } from './accounts.harness.ts'

const email = 'ada@example.com'
const fresh = 'ada@new.example.com'

/** A person who is signed in twice: by `who`, and in another browser. */
async function ada(mails = true) {
  const harness = accountHarness({ mails })
  const { who, session } = await harness.person(email)
  const other = await harness.signIn({ email, password, address })
  return { ...harness, who, session, other: other.session }
}

describe('a change of e-mail address', () => {
  it('takes effect by a link to the new address, once, within an hour, and notifies the old one', async () => {
    const { who, session, other, emailChanges, signIns, sessions, accounts, ...harness } = await ada()
    expect(await emailChanges.request(who, { email: fresh, password })).to.equal(true)
    const [asked, told] = (await harness.mailed()).slice(-2)
    expect([asked?.to, told?.to]).to.deep.equal([fresh, email])
    expect(told?.text).to.include(fresh).and.not.include('token=')
    expect((await accounts.get(who.account.id))?.email, 'not yet').to.equal(email)

    const token = tokenIn(asked?.text ?? '')
    await emailChanges.confirm(who, token)
    expect(await accounts.get(who.account.id)).to.include({ email: fresh, verifiedAt: harness.clock.now() })
    expect(await accounts.byEmail(email)).to.equal(undefined)
    expect((await harness.mailed()).at(-1)).to.include({ to: email, subject: 'Your e-mail address was changed' })
    expect([await sessions.who(other), (await sessions.who(session))?.account.email]).to.deep.equal([undefined, fresh])
    await signIns.signIn({ email: fresh, password, address })
    expect(await failureOf(emailChanges.confirm(who, token))).to.include({ code: 'not_found' })
  })

  it('asks for the password, and for another address', async () => {
    const { who, ...harness } = await ada()
    const count = (await harness.mailed()).length
    for (const [given, path] of [
      [{ email: fresh, password: 'not this one' }, 'password'],
      [{ email: 'nonsense', password }, 'email'],
      [{ email, password }, 'email'],
    ] as const) {
      const { details } = await failureOf<{ details: { path: string }[] } & Error>(
        harness.emailChanges.request(who, given),
      )
      expect(details[0]?.path).to.equal(path)
    }
    expect(await harness.mailed()).to.have.length(count)
  })

  it("does not happen by another person's link, or one more than an hour old", async () => {
    const { who, ...harness } = await ada()
    await harness.emailChanges.request(who, { email: fresh, password })
    const token = tokenIn((await harness.mailed()).at(-2)?.text ?? '')
    const stranger = { ...who, account: { ...who.account, id: 'another' } }
    expect(await failureOf(harness.emailChanges.confirm(stranger, token))).to.include({ code: 'not_found' })
    await harness.clock.advance(60 * 60 * 1000)
    expect(await failureOf(harness.emailChanges.confirm(who, token))).to.include({ code: 'not_found' })
    expect((await harness.accounts.get(who.account.id))?.email).to.equal(email)
  })

  it('does not happen once the password was changed after the request, nor at the same time', async () => {
    const { who, ...harness } = await ada()
    await harness.emailChanges.request(who, { email: fresh, password })
    const token = tokenIn((await harness.mailed()).at(-2)?.text ?? '')
    const link = await harness.passwords.resetLink(email)
    await harness.passwords.reset(link?.split('token=')[1] ?? '', 'nine dry otters sleep')
    const account = await harness.accounts.get(who.account.id)
    if (account === undefined) throw new Error('no account')
    expect(await failureOf(harness.emailChanges.confirm({ ...who, account }, token))).to.include({ code: 'not_found' })
    expect(await failureOf(harness.emailChanges.confirm(who, token)), 'a request under way').to.include({
      code: 'not_found',
    })
    expect((await harness.accounts.get(who.account.id))?.email).to.equal(email)
  })

  it('does not reveal whether the new address has an account', async () => {
    const { who, ...harness } = await ada()
    await harness.signUps.signUp({ email: 'bob@example.com', password, organization: 'Other', address })
    await harness.mailed()
    expect(await harness.emailChanges.request(who, { email: 'bob@example.com', password })).to.equal(true)
    const mail = (await harness.mailed()).at(-2)
    expect(mail).to.include({ to: 'bob@example.com', subject: 'You already have an account' })
    expect(tokenIn(mail?.text ?? '')).to.equal('no token')
  })

  it('without SMTP takes effect at once and leaves the address unverified', async () => {
    const { who, ...harness } = await ada(false)
    await harness.accounts.update(who.account.id, (account) => ({ ...account, verifiedAt: 1 }))
    expect(await harness.emailChanges.request(who, { email: fresh, password })).to.equal(false)
    expect(await harness.accounts.get(who.account.id)).to.include({ email: fresh, verifiedAt: null })
    await harness.person('bob@example.com')
    const now = await harness.accounts.get(who.account.id)
    const taken = harness.emailChanges.request(
      { ...who, account: now ?? who.account },
      { email: 'bob@example.com', password },
    )
    expect((await failureOf(taken)).message).to.include('already has an account')
  })
})

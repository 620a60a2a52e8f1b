import { expect } from 'chai'
import { generateSync } from 'otplib'
import type { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { accountHarness, address, password } from './accounts.harness.ts'

const email = 'ada@example.com'
const MINUTE = 60_000

/** A person with a second factor. `code`: what the app shows now. The code that set it up is half a minute old. */
async function ada() {
  const harness = accountHarness({ mails: true })
  const { secondFactors, signIns, clock } = harness
  const { who: signedIn } = await harness.person(email)
  const { secret, setUp } = secondFactors.offer(signedIn.account)
  const code = () => generateSync({ secret, epoch: Math.floor(clock.now() / 1000) })
  const recovery = await secondFactors.turnOn(signedIn, { setUp, code: code(), password })
  await clock.advance(30_000)
  const asked = async (): Promise<string> => {
    const answer = await signIns.signIn({ email, password, address })
    if (answer.type !== 'code-asked') throw new Error('no code was asked for')
    return answer.token
  }
  const answer = async (given: string, token?: string) =>
    signIns.answer({ token: token ?? (await asked()), code: given, address })
  const refusal = (given: string, token?: string) => failureOf<ServiceError>(answer(given, token))
  return { ...harness, signedIn, secret, setUp, code, recovery, asked, answer, refusal }
}

describe('a second factor', () => {
  it('is requested after the password; its code begins the session', async () => {
    const { asked, answer, sessions, code, refusal } = await ada()
    const token = await asked()
    expect(await sessions.who(token), 'what is pending is no session').to.equal(undefined)
    const session = await answer(code(), token)
    expect((await sessions.who(session))?.account.email).to.equal(email)
    expect((await refusal(code(), token)).code, 'the sign-in is over').to.equal('not_found')
  })

  it('takes a code once, and none that is older than the last one', async () => {
    const { answer, code, refusal, clock } = await ada()
    const first = code()
    await answer(first)
    expect(await refusal(first)).to.include({ code: 'invalid_request' })
    await clock.advance(30_000)
    await answer(code())
    expect(await refusal(first)).to.include({ code: 'invalid_request' })
  })

  it('takes a code that two sign-ins send at once for one of them', async () => {
    const { asked, answer, code } = await ada()
    const tokens = [await asked(), await asked(), await asked()]
    const results = await Promise.allSettled(tokens.map((token) => answer(code(), token)))
    expect(results.map(({ status }) => status).sort()).to.deep.equal(['fulfilled', 'rejected', 'rejected'])
  })

  it('pauses after five wrong codes, even for right ones and recovery codes, in any sign-in', async () => {
    const { code, refusal, clock, recovery, answer } = await ada()
    for (let n = 0; n < 5; n++) expect(await refusal('000000')).to.include({ code: 'invalid_request' })
    for (const given of [code(), recovery[0] ?? '']) expect(await refusal(given)).to.include({ code: 'rate_limited' })
    await clock.advance(15 * MINUTE)
    await answer(code())
    for (let n = 0; n < 4; n++) await refusal('nonsense')
    await clock.advance(MINUTE)
    await answer(code())
  })

  it('lets each of ten recovery codes in once, however it is typed', async () => {
    const { recovery, answer, refusal, accounts, signedIn } = await ada()
    expect(new Set(recovery)).to.have.length(10)
    const [one = '', other = ''] = recovery
    await answer(` ${one.toUpperCase().replaceAll('-', ' ')}`)
    expect(await refusal(one)).to.include({ code: 'invalid_request' })
    await answer(other)
    const { secondFactor } = (await accounts.get(signedIn.account.id)) ?? {}
    expect(secondFactor?.recovery).to.have.length(8)
  })

  it('is stored sealed, its recovery codes as hashes', async () => {
    const { accounts, signedIn, secret, recovery } = await ada()
    const stored = JSON.stringify(await accounts.get(signedIn.account.id))
    for (const each of [secret, ...recovery]) expect(stored).to.not.include(each)
  })

  it('continues no sign-in that is ten minutes old, or with a password that changed meanwhile', async () => {
    const { asked, refusal, code, clock, passwords } = await ada()
    const old = await asked()
    await clock.advance(10 * MINUTE)
    expect(await refusal(code(), old)).to.include({ code: 'not_found' })
    const token = await asked()
    const link = await passwords.resetLink(email)
    await passwords.reset(link?.split('token=')[1] ?? '', 'nine dry otters sleep')
    expect(await refusal(code(), token)).to.include({ code: 'not_found' })
  })

  it('is set up by the password and a code of the secret that this person was shown within the hour', async () => {
    const harness = accountHarness()
    const { secondFactors, clock, accounts } = harness
    const [{ who }, { who: bob }] = [await harness.person(email), await harness.person('bob@example.com')]
    const { secret, setUp } = secondFactors.offer(who.account)
    const codeNow = () => generateSync({ secret, epoch: Math.floor(clock.now() / 1000) })
    const codeOf = async (by: typeof who, given: object) =>
      (await failureOf<ServiceError>(secondFactors.turnOn(by, { setUp, code: codeNow(), password, ...given }))).code
    expect(await codeOf(who, { password: 'not this one' })).to.equal('invalid_request')
    expect(await codeOf(who, { code: '000000' })).to.equal('invalid_request')
    expect(await codeOf(bob, {})).to.equal('not_found')
    expect(await codeOf(who, { setUp: 'made up' })).to.equal('not_found')
    await clock.advance(60 * MINUTE)
    expect(await codeOf(who, {})).to.equal('not_found')
    expect(await accounts.get(who.account.id)).to.not.have.property('secondFactor')
  })

  it('is not replaced by a form that was opened before, and gives no codes while it is off', async () => {
    const { secondFactors, signedIn, code, secret, answer, mailed, clock } = await ada()
    const { setUp, secret: other } = secondFactors.offer(signedIn.account)
    const given = { setUp, code: generateSync({ secret: other, epoch: Math.floor(clock.now() / 1000) }), password }
    expect(await failureOf(secondFactors.turnOn(signedIn, given))).to.include({ code: 'not_found' })
    expect(secret).to.not.equal(other)
    await answer(code())
    await secondFactors.turnOff(signedIn, password)
    const { length } = await mailed()
    expect(await failureOf(secondFactors.renewRecoveryCodes(signedIn, password))).to.include({ code: 'not_found' })
    await secondFactors.turnOff(signedIn, password)
    expect(await mailed()).to.have.length(length)
  })

  it('is turned off by the password alone, and the person is notified', async () => {
    const { secondFactors, signedIn, signIn, mailed } = await ada()
    expect((await failureOf<ServiceError>(secondFactors.turnOff(signedIn, 'wrong'))).code).to.equal('invalid_request')
    await secondFactors.turnOff(signedIn, password)
    expect(await signIn({ email, password, address })).to.have.property('session')
    expect((await mailed()).at(-1)).to.include({ to: email, subject: 'Two-factor authentication was turned off' })
  })

  it('gets new recovery codes, which replace the old ones', async () => {
    const { secondFactors, signedIn, recovery, answer, refusal } = await ada()
    const renewed = await secondFactors.renewRecoveryCodes(signedIn, password)
    expect(await refusal(recovery[0] ?? '')).to.include({ code: 'invalid_request' })
    await answer(renewed[0] ?? '')
  })
})

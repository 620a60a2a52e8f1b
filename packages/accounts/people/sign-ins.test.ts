import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import type { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { createAccountParts } from './account-parts.ts'
import { accountHarness, eachHarness, password } from './accounts.harness.ts'
import { PasswordHasher } from './password-hasher.ts'

const email = 'ada@example.com'
let addresses = 0

/** Each from another remote address. */
const signIn = (fields: { email?: string; password?: string; address?: string } = {}) => ({
  email,
  password,
  address: `198.51.100.${addresses++}`,
  ...fields,
})

describe('signing in', () => {
  const harness = eachHarness()
  beforeEach(() => harness.person(email))

  it('begins a session under a new token, whatever spelling the address has', async () => {
    const [one, other] = [await harness.signIn(signIn()), await harness.signIn(signIn({ email: ' ADA@Example.com ' }))]
    expect(one.session).to.not.equal(other.session)
    expect((await harness.sessions.who(other.session))?.account.email).to.equal(email)
  })

  it('answers an unknown address like a wrong password, with the same calls and one argon2', async () => {
    const callsOf = async (fields: object): Promise<[string, string[]]> => {
      harness.calls.length = 0
      const error = await failureOf<Error & { code: string }>(harness.signIn(signIn(fields)))
      return [`${error.code}: ${error.message}`, [...harness.calls]]
    }
    const wrong = await callsOf({ password: 'a wrong one' })
    const unknown = await callsOf({ email: 'nobody@example.com' })
    expect(unknown).to.deep.equal(wrong)
    expect(wrong[1]).to.deep.equal(['byEmail', 'argon2'])
    expect(wrong[0]).to.match(/^unauthorized: /)
  })

  it('accepts five wrong passwords for one account in a minute, from any address, known or not', async () => {
    for (const whose of [email, 'nobody@example.com']) {
      const codes = []
      for (let n = 0; n < 6; n++)
        codes.push((await failureOf(harness.signIn(signIn({ email: whose, password: 'wrong' })))).code)
      expect(codes, whose).to.deep.equal([...Array(5).fill('unauthorized'), 'rate_limited'])
    }
    expect(await failureOf(harness.signIn(signIn()))).to.include({ code: 'rate_limited' })
  })

  it('accepts no more wrong passwords if they come at once', async () => {
    const attempts = Array.from({ length: 40 }, () =>
      failureOf<ServiceError>(harness.signIn(signIn({ password: 'wrong' }))),
    )
    const codes = (await Promise.all(attempts)).map(({ code }) => code)
    expect(codes.filter((code) => code === 'unauthorized')).to.have.length(5)
  })

  it('does not count right passwords as wrong ones', async () => {
    for (let n = 0; n < 12; n++) expect(await harness.signIn(signIn())).to.have.property('session')
  })

  it('accepts 20 attempts in a minute from one address, even for different accounts', async () => {
    const codes = []
    for (let n = 0; n < 21; n++)
      codes.push((await failureOf(harness.signIn(signIn({ email: `${n}@example.com`, address: 'one' })))).code)
    expect(codes).to.deep.equal([...Array(20).fill('unauthorized'), 'rate_limited'])
  })

  it('compares one password at a time, lets 20 wait and refuses the rest of 40 simultaneous sign-ins', async () => {
    let atWork = 0
    let most = 0
    const hasher = new PasswordHasher(async () => {
      most = Math.max(most, ++atWork)
      await setImmediate()
      atWork -= 1
      return Buffer.alloc(32)
    })
    const options = { signUp: 'open', signUpsPerDay: 50, dashboardUrl: () => '' } as const
    const { signIns } = createAccountParts(harness.ports, options, hasher)
    const attempts = Array.from({ length: 40 }, (_, n) =>
      failureOf<ServiceError>(signIns.signIn(signIn({ email: `${n}@example.com` }))),
    )
    const codes = (await Promise.all(attempts)).map(({ code }) => code)
    expect(most).to.equal(1)
    expect(codes.filter((code) => code === 'unauthorized')).to.have.length(21)
    expect(codes.filter((code) => code === 'rate_limited')).to.have.length(19)
  })

  it('shares its limits with other processes', async () => {
    const counters = sharedCounters()
    const [here, there] = [
      accountHarness({ accounts: harness.accounts, ports: { counters } }),
      accountHarness({ accounts: harness.accounts, ports: { counters } }),
    ]
    for (let n = 0; n < 5; n++) await failureOf(here.signIns.signIn(signIn({ password: 'wrong' })))
    expect(await failureOf(there.signIns.signIn(signIn()))).to.include({ code: 'rate_limited' })
  })

  it('leaves no session of the old password if it is changed at the same time', async () => {
    const { accounts } = harness
    const { session } = await harness.signIn(signIn())
    const who = await harness.whoIs(session)
    const put = accounts.putSession.bind(accounts)
    accounts.putSession = async (late) => {
      accounts.putSession = put
      await harness.passwords.change(who, { current: password, password: 'nine dry otters sleep' })
      await put(late)
    }
    expect(await failureOf(harness.signIn(signIn()))).to.include({ code: 'unauthorized' })
    expect(await harness.sessions.list(who.account.id)).to.have.length(1)
  })

  it('continues if the organization cannot be created yet', async () => {
    const account = await harness.accounts.byEmail(email)
    await harness.accounts.update(account?.id ?? '', (was) => ({ ...was, promised: { orgId: 'later', name: 'Later' } }))
    harness.ports.store.integrityProblem = () => 'events are lost'
    const { session, account: signedIn } = await harness.signIn(signIn())
    expect(signedIn.promised).to.deep.equal({ orgId: 'later', name: 'Later' })
    expect(await harness.sessions.who(session)).to.not.equal(undefined)
  })
})

/** Counts that two processes share. */
function sharedCounters() {
  const counts = new Map<string, number>()
  return (tier: string) => ({
    async count(key: string, _limit: number, requests = 1) {
      const counted = (counts.get(`${tier} ${key}`) ?? 0) + requests
      counts.set(`${tier} ${key}`, counted)
      return { counted, endsInMs: 1000 }
    },
    async giveBack(key: string) {
      counts.set(`${tier} ${key}`, (counts.get(`${tier} ${key}`) ?? 1) - 1)
    },
  })
}

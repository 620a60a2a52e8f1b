import { expect } from 'chai'
import { generateSync } from 'otplib'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { sha256 } from '#packages/ports/ids.ts'
import { accountHarness, accountOf, address, password, tokenIn } from './accounts.harness.ts'

const email = 'ada.lovelace@example.com'
const next = 'nine dry otters sleep'

describe('personal secrets', () => {
  it('are in no event, log line or error of any action, even if stores and mails fail', async () => {
    const harness = accountHarness({ mails: true })
    const { signUps, signIns, passwords, members, operators, removal, secondFactors, emailChanges } = harness
    const secrets = new Set([email, 'ADA.LOVELACE', 'lovelace', password, next, address])
    const errors: string[] = []
    const failing = async (work: Promise<unknown>): Promise<void> => {
      await work.catch((error: Error) => errors.push(`${error.message} ${JSON.stringify(error)} ${error.stack}`))
    }
    const token = async (): Promise<string> => {
      const mailed = await harness.mailedToken()
      for (const secret of [mailed, sha256(mailed)]) secrets.add(secret)
      return mailed
    }

    await signUps.signUp({ email, password, organization: 'Acme', address })
    const link = await token()
    await failing(signIns.signIn({ email, password, address }))
    await signUps.verify(link)
    await failing(signUps.verify(link))
    await failing(signUps.signUp({ email, password: 'lovelace', organization: 'Acme', address }))
    await signUps.signUp({ email: email.toUpperCase(), password, organization: 'Acme', address })
    await failing(signIns.signIn({ email, password: next, address }))
    const { session } = await harness.signIn({ email, password, address })
    const who = await harness.whoIs(session)
    for (const secret of [session, who.session.hash, who.account.passwordHash ?? '']) secrets.add(secret)
    await passwords.change(who, { current: password, password: next })
    await passwords.requestReset({ email, address })
    await passwords.reset(await token(), password)
    const again = await harness.whoIs((await harness.signIn({ email, password, address })).session)
    const { secret, setUp } = secondFactors.offer(again.account)
    const code = generateSync({ secret, epoch: Math.floor(harness.clock.now() / 1000) })
    const codes = await secondFactors.turnOn(again, { setUp, code, password })
    for (const each of [secret, setUp, ...codes]) secrets.add(each)
    const asked = await signIns.signIn({ email, password, address })
    if (asked.type === 'code-asked') {
      secrets.add(asked.token)
      for (const given of [code, 'wrong', codes[0] ?? ''])
        await failing(signIns.answer({ token: asked.token, code: given, address }))
    }
    await secondFactors.turnOff(again, password)
    secrets.add('new@example.com')
    await emailChanges.request(again, { email: 'new@example.com', password })
    await failing(emailChanges.confirm(again, tokenIn((await harness.mailed()).at(-2)?.text ?? '')))
    await harness.accounts.update(again.account.id, (now) => ({ ...now, email }))
    const orgId = who.account.memberships[0]?.orgId ?? ''
    await members.invite(who.account, orgId, { email: 'bob@example.com', role: 'member' })
    await token()
    await operators.grant(accountOf({ id: 'op', email, isOperator: true }), orgId, {
      ...{ id: crypto.randomUUID(), credits: 5, reason: 'sorry' },
    })

    harness.mailer.failure = new Error(`550 <${email}> is unknown`)
    await passwords.requestReset({ email, address })
    await harness.mailed()
    const { accounts, store } = harness.ports
    await harness.accounts.update(who.account.id, (was) => ({ ...was, promised: { orgId: 'o2', name: 'Acme' } }))
    await harness.clock.advance(61_000)
    store.integrityProblem = () => 'events are lost'
    await signUps.finishPromises()
    await failing(signIns.signIn({ email, password, address }))
    accounts.withPromise = () => Promise.reject(new Error('the store is away'))
    await failing(signUps.finishPromises())
    await removal.remove(who.account.id).catch(() => {})

    const events: StoredEvent[] = []
    const end = new AbortController()
    for await (const batch of harness.memory.follow({ after: 0, prefixes: [''], signal: end.signal })) {
      events.push(...batch.events)
      if (batch.caughtUp) end.abort()
    }
    const written = { events: JSON.stringify(events), lines: harness.lines.join('\n'), errors: errors.join('\n') }
    expect(events).to.have.length.at.least(4)
    expect(harness.lines).to.have.length.above(1)
    expect(errors).to.have.length.above(3)
    for (const [where, text] of Object.entries(written))
      for (const secret of secrets)
        if (secret !== '')
          expect(text.toLowerCase().includes(secret.toLowerCase()), `${secret} in ${where}`).to.equal(false)
  })
})

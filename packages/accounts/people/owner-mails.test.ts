import { expect } from 'chai'
import { metadataOf } from '#packages/events/store/key-commands.fixture.ts'
import type { Account } from '#packages/ports/accounts.ts'
import { streams } from '#packages/ports/ids.ts'
import type { Mail } from '#packages/ports/mailer.ts'
import { accountHarness, memberOf, url } from './accounts.harness.ts'
import { mailLowCredits, mailWebhookOff } from './owner-mails.ts'

const ORG = 'acme'
const person = (name: string, role: 'owner' | 'member', verifiedAt: number | null = 1): Account =>
  memberOf(ORG, name, role, { verifiedAt })

describe('the mail of a webhook that was switched off', () => {
  it('goes to owners with confirmed addresses, says why, and leads to its page', async () => {
    const members = [person('ada', 'owner'), person('bob', 'member'), person('eve', 'owner', null)]
    for (const [reason, why] of [
      ['gone', '410'],
      ['failing', 'four days'],
    ] as const) {
      const sent: Mail[] = []
      const ports = {
        accounts: { membersOf: async () => members },
        mails: { send: (mail: Mail) => void sent.push(mail) },
      }
      const off = { orgId: 'acme', webhookId: 'w1', host: 'hooks.example.com', reason }
      await mailWebhookOff(ports, off, 'https://video.example.com/dashboard')
      expect(sent.map(({ to }) => to)).to.deep.equal(['ada@example.com'])
      expect(sent[0]?.subject).to.contain('hooks.example.com')
      expect(sent[0]?.text).to.contain(why).and.to.contain('/dashboard/org/acme/webhooks/w1')
    }
  })
})

describe('the mail of low credits', () => {
  it('goes to owners with confirmed addresses once until credits are added, whatever process asks', async () => {
    const { accounts, parts, sent } = await organization()
    const low = { orgId: ORG, balance: 7, fillings: 1 }
    await Promise.all([mailLowCredits(parts, low, url), mailLowCredits(parts, { ...low, balance: 6 }, url)])
    await mailLowCredits(parts, { ...low, balance: 1 }, url)
    expect(sent.map(({ to }) => to)).to.deep.equal(['ada@example.com'])
    expect(sent[0]).to.include({ subject: 'Acme is running low on credits' })
    expect(sent[0]?.text)
      .to.match(/^Acme has [67] credits left\./)
      .and.to.contain(`/dashboard/org/${ORG}/plans`)
    await mailLowCredits(parts, { orgId: ORG, balance: 0, fillings: 2 }, url)
    expect(sent.map(({ subject }) => subject).slice(1)).to.deep.equal(['Acme has no credits left'])
    await accounts[Symbol.asyncDispose]()
  })

  it('waits until there is an owner with a confirmed address, and does not go to one who has left', async () => {
    const { accounts, parts, sent } = await organization()
    const low = { orgId: ORG, balance: 7, fillings: 1 }
    await accounts.update('ada', (ada) => ({ ...ada, memberships: [] }))
    await mailLowCredits(parts, low, url)
    expect(sent).to.deep.equal([])
    await accounts.update('eve', (eve) => ({ ...eve, verifiedAt: 2 }))
    await mailLowCredits(parts, low, url)
    expect(sent.map(({ to }) => to)).to.deep.equal(['eve@example.com'])
    await accounts[Symbol.asyncDispose]()
  })
})

/** An organization that is registered, with two owners, one of them confirmed, and a member. */
async function organization() {
  const { accounts, ports, memory: store, memory } = accountHarness()
  const metadata = metadataOf(ORG)
  const registered = { type: 'OrganizationRegistered', data: { name: 'Acme' }, id: ports.ids.uuid(), metadata } as const
  await memory.append(streams.organization(ORG), 'no-stream', [registered])
  for (const one of [person('ada', 'owner'), person('bob', 'member'), person('eve', 'owner', null)])
    await accounts.create(one)
  const sent: Mail[] = []
  return { accounts, sent, parts: { accounts, store, mails: { send: (mail: Mail) => void sent.push(mail) } } }
}

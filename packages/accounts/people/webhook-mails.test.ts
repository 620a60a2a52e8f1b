import { expect } from 'chai'
import type { Account } from '#packages/ports/accounts.ts'
import type { Mail } from '#packages/ports/mailer.ts'
import { mailWebhookOff } from './webhook-mails.ts'

const person = (name: string, role: 'owner' | 'member', verifiedAt: number | null = 1): Account => ({
  id: name,
  email: `${name}@example.com`,
  passwordHash: null,
  identity: null,
  verifiedAt,
  isOperator: false,
  memberships: [{ orgId: 'acme', role, since: 1 }],
  promised: null,
  createdAt: 1,
})

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

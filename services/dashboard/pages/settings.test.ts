import { expect } from 'chai'
import { type ServedDashboard, serveDashboard } from '../served-dashboard.harness.ts'

describe('the settings of an organization', () => {
  let dashboard: ServedDashboard
  let ada: Awaited<ReturnType<ServedDashboard['signedUp']>>
  let settings: string
  before(async () => {
    dashboard = await serveDashboard()
    ada = await dashboard.signedUp('ada@example.com')
    settings = `/org/${ada.orgId}/settings`
  })
  after(() => dashboard[Symbol.asyncDispose]())

  it('rename it: pages and the API have the new name at once', async () => {
    const { to = '' } = await ada.post(`${settings}/name`, { organization: ' Acme & Co ' })
    expect((await ada.get(to)).text)
      .to.include('Settings of Acme & Co')
      .and.include('has its new name')
    expect((await dashboard.ingress.call('GET', '/v1/me', { key: ada.key })).body).to.include({ name: 'Acme & Co' })
  })

  it('refuse a name that is none, and keep what was typed', async () => {
    for (const organization of [' ', 'x'.repeat(101), 'Acme\u202e']) {
      const { status, text } = await ada.post(`${settings}/name`, { organization })
      expect(status).to.equal(400)
      expect(text).to.include('Organization name must')
    }
  })

  it('are changed by owners only', async () => {
    const bob = await dashboard.signedUp('bob@example.com', 'Other')
    const { accounts } = dashboard.parts
    const { id = '' } = (await accounts.byEmail('bob@example.com')) ?? {}
    const membership = { orgId: ada.orgId, role: 'member', since: 1 } as const
    await accounts.update(id, (account) => ({ ...account, memberships: [membership] }))
    expect((await bob.get(settings)).html).to.not.include(`${settings}/name`)
    expect((await bob.post(`${settings}/name`, { organization: 'Bobs' })).status).to.equal(403)
  })
})

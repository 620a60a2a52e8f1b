import { expect } from 'chai'
import { servedForAll } from '../served-dashboard.harness.ts'
import { PASSWORD } from '../test-visitor.harness.ts'

describe('the settings of an organization', () => {
  const { dashboard, ada } = servedForAll()
  const settings = () => `/org/${ada.orgId}/settings`

  it('show its id and its plan, and how to change the plan', async () => {
    const { text } = await ada.get(settings())
    expect(text).to.include(ada.orgId).and.include('Plan Free').and.include('Compare plans')
  })

  it('rename it: pages and the API show the new name at once', async () => {
    const { to = '' } = await ada.post(`${settings()}/name`, { organization: ' Acme & Co ' })
    expect((await ada.get(to)).text)
      .to.include('Settings of Acme & Co')
      .and.include('has its new name')
    expect((await dashboard.ingress.call('GET', '/v1/me', { key: ada.key })).body).to.include({ name: 'Acme & Co' })
  })

  it('refuse an invalid name, and keep what was typed', async () => {
    for (const organization of [' ', 'x'.repeat(101), 'Acme\u202e']) {
      const { status, text } = await ada.post(`${settings()}/name`, { organization })
      expect(status).to.equal(400)
      expect(text).to.include('Organization name must')
    }
  })

  it('close it: the owner types the password, keys stop working, and the account remains', async () => {
    const eve = await dashboard.signedUp('eve@example.com', 'Short-lived')
    const path = `/org/${eve.orgId}/settings`
    const refused = await eve.post(`${path}/close`, { password: 'wrong' })
    expect(refused.text).to.include('is not your password')
    expect((await dashboard.ingress.call('GET', '/v1/me', { key: eve.key })).status).to.equal(200)
    const { to = '' } = await eve.post(`${path}/close`, { password: PASSWORD })
    expect((await eve.get(to)).text)
      .to.include('The organization is closed.')
      .and.include('eve@example.com')
    expect((await dashboard.ingress.call('GET', '/v1/me', { key: eve.key })).status).to.equal(401)
    expect((await eve.get(path)).status).to.equal(404)
  })

  it('can be changed by owners only', async () => {
    const bob = await dashboard.signedUp('bob@example.com', 'Other')
    const { accounts } = dashboard.parts
    const { id = '' } = (await accounts.byEmail('bob@example.com')) ?? {}
    const membership = { orgId: ada.orgId, role: 'member', since: 1 } as const
    await accounts.update(id, (account) => ({ ...account, memberships: [membership] }))
    const { html } = await bob.get(settings())
    for (const form of ['name', 'close']) expect(html).to.not.include(`${settings()}/${form}`)
    expect((await bob.post(`${settings()}/close`, { password: PASSWORD })).status).to.equal(403)
    expect((await bob.post(`${settings()}/name`, { organization: 'Bobs' })).status).to.equal(403)
  })
})

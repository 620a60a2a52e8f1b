import { expect } from 'chai'
import { servedForAll } from '../served-dashboard.harness.ts'
import type { TestVisitor } from '../test-visitor.harness.ts'

describe('the members of an organization', () => {
  const { dashboard, ada } = servedForAll()
  let bob: TestVisitor
  let path: string
  let bobsId: string
  before(async () => {
    bob = await dashboard.signedUp('bob@example.com', 'Other')
    path = `/org/${ada.orgId}/members`
    const { accounts, members } = dashboard.parts
    const [owner, joining] = await Promise.all(['ada', 'bob'].map((name) => accounts.byEmail(`${name}@example.com`)))
    if (owner === undefined || joining === undefined) throw new Error('no one signed up')
    const link = await members.invite(owner, ada.orgId, { role: 'member' })
    await members.accept(link?.split('token=')[1] ?? '', joining)
    bobsId = joining.id
  })

  it('are shown to members, who cannot change them', async () => {
    const { text, html } = await bob.get(path)
    expect(text).to.include('ada@example.com').and.include('bob@example.com')
    expect(html).to.not.include(`${path}/`)
    for (const act of ['invite', 'withdraw', 'role', 'remove'])
      expect((await bob.post(`${path}/${act}`, { member: bobsId, role: 'owner' })).status, act).to.equal(403)
  })

  it('are invited with a link that is shown once and can be withdrawn', async () => {
    const made = await ada.post(`${path}/invite`, { role: 'owner' })
    const [link = ''] = /http:\S+\/invitation\?token=[\w-]+/.exec(made.html) ?? []
    expect(link).to.not.equal('')
    const { html } = await ada.get(path)
    expect(html).to.not.include(link)
    const [, invitation = ''] = /name="invitation" value="(\w+)"/.exec(html) ?? []
    expect((await ada.post(`${path}/withdraw`, { invitation })).to).to.equal(`${path}?done=invitation-withdrawn`)
    const [, below = ''] = link.split('/dashboard')
    expect((await dashboard.visitor().get(below)).status).to.equal(404)
  })

  it('can get another role, except for the last owner', async () => {
    const [owner] = (await dashboard.parts.members.of(ada.orgId)).filter(({ role }) => role === 'owner')
    const refused = await ada.post(`${path}/role`, { member: owner?.accountId ?? '', role: 'member' })
    expect(refused.status).to.equal(403)
    expect(refused.text).to.include('An organization needs an owner')
    expect((await ada.post(`${path}/leave`)).text).to.include('An organization needs an owner')
    expect((await ada.post(`${path}/role`, { member: bobsId, role: 'owner' })).status).to.equal(303)
    expect((await bob.get(path)).html).to.include(`${path}/invite`)
    await ada.post(`${path}/role`, { member: bobsId, role: 'member' })
  })

  it('no longer see the organization after they leave or are removed', async () => {
    expect((await ada.post(`${path}/remove`, { member: bobsId })).to).to.equal(`${path}?done=member-removed`)
    expect((await bob.get(path)).status).to.equal(404)
  })
})

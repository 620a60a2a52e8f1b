import { expect } from 'chai'
import { servedForAll } from '../../served-dashboard.harness.ts'
import { PASSWORD } from '../../test-visitor.harness.ts'

const email = 'ada@example.com'

describe('signing in', () => {
  const { dashboard, ada } = servedForAll({ options: { sendsMail: false } })

  it('redirects to the page that the visitor requested', async () => {
    const visitor = dashboard.visitor()
    const wanted = `/org/${ada.orgId}/members?x=1`
    const { to = '' } = await visitor.get(wanted)
    expect(to).to.equal(`/sign-in?next=${encodeURIComponent(wanted)}`)
    expect((await visitor.get(to)).html).to.include(`name="next" value="${wanted}"`)
    const back = await visitor.post('/sign-in', { email: ' ADA@example.com', password: PASSWORD, next: wanted })
    expect(await visitor.get(back.to ?? '')).to.include({ status: 303, to: wanted })
    expect(await visitor.get('/sign-in')).to.include({ status: 303, to: '/' })
  })

  it('reports that the browser keeps no cookie', async () => {
    const visitor = dashboard.visitor()
    const { to = '' } = await visitor.post('/sign-in', { email, password: PASSWORD })
    visitor.cookies.clear()
    expect((await visitor.get(to)).text).to.include('Your browser did not keep you signed in')
  })

  it('keeps the typed address after a wrong password', async () => {
    const wrong = await dashboard.visitor().post('/sign-in', { email, password: 'not this one' })
    expect(wrong.status).to.equal(400)
    expect(wrong.text).to.include('The e-mail address or the password is wrong')
    expect(wrong.html).to.include(`value="${email}"`).and.not.include('not this one')
  })

  it('ends with signing out, even for a copy of the cookie', async () => {
    const visitor = dashboard.visitor()
    await visitor.post('/sign-in', { email, password: PASSWORD })
    const copy = dashboard.visitor()
    for (const [name, value] of visitor.cookies) copy.cookies.set(name, value)
    expect((await copy.get('/account')).status).to.equal(200)
    expect(await visitor.post('/sign-out')).to.include({ status: 303, to: '/sign-in?done=signed-out' })
    expect(visitor.cookies.size).to.equal(0)
    expect((await copy.get('/account')).to).to.equal('/sign-in?next=%2Faccount')
  })

  it('works again after a forgotten password, with a link that the operator prints', async () => {
    expect((await dashboard.visitor().get('/forgot')).text).to.include('npm run accounts -- reset EMAIL')
    const link = await dashboard.parts.passwords.resetLink(email)
    const token = link?.split('token=')[1] ?? ''
    const visitor = dashboard.visitor()
    expect((await visitor.get(`/reset?token=${token}`)).html).to.include(`value="${token}"`)
    const weak = await visitor.post('/reset', { token, password: 'passwordpassword' })
    expect(weak.text).to.include('New password is easily guessed')
    const { to } = await visitor.post('/reset', { token, password: PASSWORD })
    expect(to).to.equal('/sign-in?done=password-reset')
    const again = await visitor.post('/reset', { token, password: PASSWORD })
    expect(again).to.include({ status: 404 })
    expect(again.text).to.include('This link no longer works')
  })
})

describe('an invitation', () => {
  const { dashboard, ada } = servedForAll({}, 'Pemberley')
  const invitation = async (): Promise<string> => {
    const { html } = await ada.post(`/org/${ada.orgId}/members/invite`, { role: 'member' })
    const [, token = ''] = /invitation\?token=([\w-]+)/.exec(html) ?? []
    return token
  }

  it('creates an account that is a member, but no organization', async () => {
    const token = await invitation()
    const visitor = dashboard.visitor()
    expect((await visitor.get(`/invitation?token=${token}`)).text).to.include('Join Pemberley')
    const form = { invitation: token, email: 'bob@example.com', password: PASSWORD }
    const weak = await visitor.post('/sign-up', { ...form, password: 'short' })
    expect(weak.text).to.include('Join Pemberley').and.include('at least 15 characters')
    expect((await visitor.post('/sign-up', form)).to).to.equal(`/org/${ada.orgId}?done=joined`)
    expect((await visitor.get(`/org/${ada.orgId}/members`)).text).to.include('bob@example.com')
    expect(await dashboard.visitor().get(`/invitation?token=${token}`)).to.include({ status: 404 })
  })

  it('can be accepted once by a person who is signed in', async () => {
    const token = await invitation()
    const eve = await dashboard.signedUp('eve@example.com', 'Eve')
    expect((await eve.get(`/invitation?token=${token}`)).text).to.include('Join Pemberley')
    expect((await eve.post('/invitation', { token })).to).to.equal(`/org/${ada.orgId}?done=joined`)
    expect((await eve.get('/organizations')).text)
      .to.include('Eve Owner since')
      .and.include('Pemberley Member since')
    expect(await eve.post('/invitation', { token })).to.include({ status: 404 })
  })

  it('sends a person with an account to sign in and back', async () => {
    const token = await invitation()
    const wanted = encodeURIComponent(`/invitation?token=${token}`)
    expect((await dashboard.visitor().get(`/invitation?token=${token}`)).html).to.include(`/sign-in?next=${wanted}`)
    expect((await dashboard.visitor().post('/invitation', { token })).to).to.equal(`/sign-in?next=${wanted}`)
  })
})

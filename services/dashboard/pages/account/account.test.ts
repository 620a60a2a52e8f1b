import { expect } from 'chai'
import { openedForAll } from '#test/doubles/opened.ts'
import { serveDashboard } from '../../served-dashboard.harness.ts'
import { PASSWORD } from '../../test-visitor.harness.ts'

const other = 'seven blue lanterns by the sea'

describe('the page of an account', () => {
  const dashboard = openedForAll(serveDashboard)

  const signedInTwice = async (email: string) => {
    const one = await dashboard.signedUp(email)
    const two = dashboard.visitor()
    await two.post('/sign-in', { email, password: PASSWORD })
    return { one, two }
  }

  it('changes the password, which ends every other session', async () => {
    const { one, two } = await signedInTwice('ada@example.com')
    const wrong = await one.post('/account/password', { current: 'something else', password: other })
    expect(wrong.status).to.equal(400)
    expect(wrong.text).to.include('Current password is not your password')
    expect((await two.get('/account')).status).to.equal(200)
    const { to } = await one.post('/account/password', { current: PASSWORD, password: other })
    expect(to).to.equal('/account?done=password-changed')
    expect((await two.get('/account')).status).to.equal(303)
    expect((await one.get('/account')).status).to.equal(200)
  })

  it('lists sessions, and ends one or all others', async () => {
    const { one, two } = await signedInTwice('bob@example.com')
    const { html } = await one.get('/account')
    const [, hash = ''] = /name="session" value="(\w+)"/.exec(html) ?? []
    expect((await one.post('/account/sessions', { session: hash })).to).to.equal('/account?done=session-ended')
    expect((await two.get('/account')).status).to.equal(303)
    await two.post('/sign-in', { email: 'bob@example.com', password: PASSWORD })
    await one.post('/account/sessions')
    expect((await two.get('/account')).status).to.equal(303)
    expect((await one.get('/account')).html).to.not.include('Sign out everywhere else')
  })

  it('lists what is deleted with the account, and requires the password', async () => {
    const eve = await dashboard.signedUp('eve@example.com', 'Eve & Co')
    expect((await eve.get('/account/delete')).text).to.include('Eve & Co is closed')
    const wrong = await eve.post('/account/delete', { password: 'something else' })
    expect(wrong.text).to.include('Password is not your password').and.include('Eve & Co is closed')
    const { to } = await eve.post('/account/delete', { password: PASSWORD })
    expect(to).to.equal('/sign-in?done=account-deleted')
    expect((await eve.get('/account')).status).to.equal(303)
    const { status } = await dashboard.ingress.call('GET', '/v1/me', { key: eve.key })
    expect(status).to.equal(401)
  })
})

import { expect } from 'chai'
import { generateSync } from 'otplib'
import { servedForAll } from '../../served-dashboard.harness.ts'
import { PASSWORD, type TestVisitor } from '../../test-visitor.harness.ts'

const email = 'ada@example.com'
const codeOf = (secret: string, ahead = 0): string =>
  generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + ahead })

describe('two-factor authentication', () => {
  const { dashboard, ada } = servedForAll()
  let secret: string
  let recovery: string[]
  const passwordGiven = async (visitor: TestVisitor, next = '/account'): Promise<void> => {
    expect(await visitor.post('/sign-in', { email, password: PASSWORD, next })).to.include({ to: '/sign-in/code' })
  }

  it('is set up with a QR code or the same secret as text, and confirmed by a code and the password', async () => {
    const { html } = await ada.get('/account/two-factor')
    expect(html).to.include('<title>QR code').and.not.include('style=')
    secret = /[A-Z2-7]{32}/.exec(html)?.[0] ?? ''
    const setUp = /name="setUp" value="([^"]+)"/.exec(html)?.[1] ?? ''
    const wrong = await ada.post('/account/two-factor', { setUp, code: '000000', password: PASSWORD })
    expect(wrong.status).to.equal(400)
    expect(wrong.html, 'the same secret again').to.include(secret)
    const { text } = await ada.post('/account/two-factor', { setUp, code: codeOf(secret), password: PASSWORD })
    recovery = text.match(/(?:[0-9a-f]{4}-){4}[0-9a-f]{4}/g) ?? []
    expect(recovery).to.have.length(10)
    expect((await ada.get('/account/two-factor')).text)
      .to.include('Recovery codes left: 10')
      .and.not.include(recovery[0])
    expect((await ada.get('/account')).text).to.include('Two-factor authentication On')
  })

  it('is required after the password: before that, none of the cookies opens a page', async () => {
    const visitor = dashboard.visitor()
    await passwordGiven(visitor)
    expect([...visitor.cookies.keys()]).to.deep.equal(['__Host-sign-in'])
    const [token = ''] = decodeURIComponent(visitor.cookies.get('__Host-sign-in') ?? '').split(' ')
    const forged = dashboard.visitor()
    forged.cookies.set('__Host-session', token)
    for (const each of [visitor, forged])
      for (const page of ['/account', '/account/two-factor', `/org/${ada.orgId}`, `/org/${ada.orgId}/keys`])
        expect((await each.get(page)).to, page).to.match(/^\/sign-in\?next=/)
    for (const act of ['/account/two-factor/off', '/account/email', `/org/${ada.orgId}/settings/name`])
      expect((await visitor.post(act, { password: PASSWORD })).to, act).to.equal('/sign-in')

    expect((await visitor.get('/sign-in/code')).text).to.include('Enter your code')
    const wrong = await visitor.post('/sign-in/code', { code: '000000' })
    expect(wrong).to.include({ status: 400 })
    expect(wrong.text).to.include('is wrong or was already used')
    const { to = '' } = await visitor.post('/sign-in/code', { code: codeOf(secret, 30) })
    expect((await visitor.get(to)).to).to.equal('/account')
    expect((await visitor.get('/account')).status).to.equal(200)
    expect([...visitor.cookies.keys()]).to.deep.equal(['__Host-session'])
  })

  it('accepts each recovery code once, and leads back to the password if no sign-in is under way', async () => {
    const [visitor, again] = [dashboard.visitor(), dashboard.visitor()]
    await passwordGiven(visitor)
    const { to = '' } = await visitor.post('/sign-in/code', { code: recovery[0] ?? '' })
    expect((await visitor.get(to)).to).to.equal('/account')
    await passwordGiven(again)
    expect(await again.post('/sign-in/code', { code: recovery[0] ?? '' })).to.include({ status: 400 })
    const stranger = dashboard.visitor()
    expect((await stranger.get('/sign-in/code')).to).to.equal('/sign-in')
    expect((await stranger.post('/sign-in/code', { code: recovery[1] ?? '' })).text).to.include('Sign in again')
  })

  it('gets new recovery codes, and is turned off, with the password', async () => {
    for (const act of ['recovery-codes', 'off'])
      expect((await ada.post(`/account/two-factor/${act}`, { password: 'no' })).text).to.include('is not your password')
    const { text } = await ada.post('/account/two-factor/recovery-codes', { password: PASSWORD })
    expect(text.match(/(?:[0-9a-f]{4}-){4}[0-9a-f]{4}/g)).to.have.length(10)
    await ada.post('/account/two-factor/off', { password: PASSWORD })
    const visitor = dashboard.visitor()
    expect((await visitor.post('/sign-in', { email, password: PASSWORD })).to).to.match(/^\/sign-in\?signed-in/)
  })
})

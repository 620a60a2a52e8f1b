import { expect } from 'chai'
import { startOpenIdProvider } from '#test/doubles/oidc/provider.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { serveDashboard } from '../../served-dashboard.harness.ts'
import type { TestVisitor } from '../../test-visitor.harness.ts'

describe('signing in with the operator’s provider', () => {
  const provider = openedForAll(startOpenIdProvider)
  const dashboard = openedForAll(() => {
    const { options } = provider
    return serveDashboard({ options: { providerName: options.name }, account: { provider: options } })
  })

  /** Sends the form with the button, and follows the page to the provider. @returns the path of the browser's return */
  const leave = async (visitor: TestVisitor, form: Record<string, string>): Promise<string> => {
    const { headers, text } = await visitor.post('/provider', { email: '', password: '', ...form })
    expect(text).to.include('Going to Our provider')
    const [, url = ''] = /^0; url=(.*)$/.exec(headers.get('refresh') ?? '') ?? []
    return `/sign-in/provider${await provider.visit(new URL(url))}`
  }

  it('signs up with the typed name, and shows the first key', async () => {
    const visitor = dashboard.visitor()
    const back = await leave(visitor, { organization: 'Pemberley' })
    expect((await visitor.get(back)).to).to.equal('/first-key')
    expect((await visitor.get('/first-key')).html).to.match(/ma_\w{30}/)
    expect((await visitor.get('/account')).text)
      .to.include('Pemberley owner')
      .and.include('Signs in with Our provider')
    expect([...visitor.cookies.keys()]).to.deep.equal(['__Host-session'])
    expect((await visitor.get(back)).html).to.not.include('ma_')
  })

  it('redirects to the page that the visitor requested', async () => {
    const visitor = dashboard.visitor()
    expect((await visitor.get('/sign-in?next=%2Faccount')).text).to.include('Continue with Our provider')
    expect((await visitor.get(await leave(visitor, { next: '/account' }))).to).to.equal('/account')
    expect((await visitor.get(await leave(visitor, { next: '//evil.example' }))).to).to.equal('/')
  })

  it('refuses a link from a sign-in that another browser began', async () => {
    const back = await leave(dashboard.visitor(), {})
    const other = dashboard.visitor()
    expect((await other.get(back)).status).to.equal(404)
    expect(other.cookies.size).to.equal(0)
    await leave(other, {})
    expect((await other.get(back)).status).to.equal(503)
    expect(other.cookies.size).to.equal(0)
  })

  it('shows on the form that the provider refused', async () => {
    const visitor = dashboard.visitor()
    const { searchParams } = new URL(await leave(visitor, {}), 'http://localhost')
    const denied = await visitor.get(`/sign-in/provider?error=access_denied&state=${searchParams.get('state')}`)
    expect(denied.text).to.include('The provider did not sign you in').and.include('Forgot your password?')
    expect(visitor.cookies.size).to.equal(0)
  })
})

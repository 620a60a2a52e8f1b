import { expect } from 'chai'
import { serveDashboard } from '#services/dashboard/served-dashboard.harness.ts'
import { PASSWORD } from '#services/dashboard/test-visitor.harness.ts'
import { madeForAll, openedForAll } from '#test/doubles/opened.ts'

describe('a page that is reloaded, or reached by Back', () => {
  const dashboard = openedForAll(() => serveDashboard())
  const ada = madeForAll(() => dashboard.signedUp('ada@example.com'))
  before(async () => {
    const account = await dashboard.accounts.byEmail(ada.email)
    await dashboard.accounts.update(account?.id ?? '', (one) => ({ ...one, isOperator: true }))
  })

  const formPaths = (): string[] =>
    dashboard.routes.filter((route) => route.post !== undefined && !('isLong' in route)).map(({ path }) => path)

  it('answers every form with a redirect, except long ones: signed in or not, filled in well or not', async () => {
    const paths = formPaths()
    expect(paths).to.include.members(['/sign-up', '/org/:orgId/keys', '/org/:orgId/try/:operation', '/operator'])
    const forms = [{}, { email: 'x', password: 'y', name: 'z', token: 'none', q: 'ada@example.com', url: 'no url' }]
    for (const path of paths.filter((each) => !/sign-out|leave|sessions/.test(each)))
      for (const [who, visitor] of [
        ['ada', ada],
        ['nobody', dashboard.visitor()],
      ] as const)
        for (const form of forms) {
          const operation = path.includes(':operation') ? ['transcript', 'estimate', 'search', 'none'] : ['']
          for (const name of operation) {
            const at = path.replace(':orgId', ada.orgId).replace(':operation', name).replace(/:\w+/, 'none')
            const { status, to, text } = await visitor.send(at, form)
            expect([status, typeof to], `${at} by ${who}: ${text}`).to.deep.equal([303, 'string'])
          }
        }
  })

  it('does not show a secret twice, nor does its cookie, and makes no second key', async () => {
    const path = `/org/${ada.orgId}/keys`
    const sent = await ada.send(path, { name: 'Import', scopes: 'read' })
    const cookie = sent.headers.getSetCookie().find((each) => each.startsWith('__Host-flash=')) ?? ''
    expect(cookie).to.match(/; Max-Age=60; Path=\/; .*HttpOnly; Secure; SameSite=Lax$/)
    const shown = await ada.get(path)
    const [key = ''] = /ma_\w{38}/.exec(shown.html) ?? []
    expect(key).to.not.equal('')
    expect(`${sent.html} ${cookie}`).to.not.include(key)
    expect(shown.headers.get('cache-control')).to.equal('no-store')
    const again = await ada.get(path)
    expect(again.html).to.not.include(key)
    const keys = await dashboard.parts.ownKeys.all(ada.orgId)
    expect(keys.filter(({ name }) => name === 'Import')).to.have.length(1)
  })

  it('does not show the secret of another organization, or of somebody who has signed out, by a saved cookie', async () => {
    const eve = await dashboard.signedUp('eve@example.com', 'Eves')
    const path = `/org/${ada.orgId}/keys`
    await ada.send(path, { name: 'Once', scopes: 'read' })
    const kept = ada.cookies.get('__Host-flash') ?? ''
    await ada.get(path)
    eve.cookies.set('__Host-flash', kept)
    expect(await eve.get(path)).to.include({ status: 404 })
    eve.cookies.set('__Host-flash', kept)
    expect((await eve.get(`/org/${eve.orgId}/keys`)).html).to.not.match(/ma_\w{38}/)
    const nobody = dashboard.visitor()
    nobody.cookies.set('__Host-flash', kept)
    expect((await nobody.get(path)).to).to.match(/^\/sign-in/)
  })

  it('has no password in its filled-in fields, and does not call a platform again', async () => {
    const visitor = dashboard.visitor()
    const password = `${PASSWORD} typed wrong`
    const seen = await visitor.post('/sign-in', { email: 'ada@example.com', password })
    expect(seen.html).to.include('value="ada@example.com"').and.not.include(password)
    const search = `/org/${ada.orgId}/try/search`
    const { to = '' } = await ada.send(search, { q: 'audiobook', platform: 'youtube' })
    expect(to).to.equal(`${search}?q=audiobook&platform=youtube`)
    expect((await ada.get(to)).html).to.include('id="answer"')
    expect((await ada.get(to)).html).to.not.include('id="answer"')
    expect((await dashboard.visitor().get(to)).to).to.match(/^\/sign-in/)
  })

  it('keeps no more of a field than fits: far too much of one letter is refused, and the page works', async () => {
    const seen = await ada.post(`/org/${ada.orgId}/try/extract`, { url: 'no url', prompt: '\u0001'.repeat(60_000) })
    expect(seen.status, seen.text.slice(0, 200)).to.equal(400)
    expect((await ada.get('/account')).status).to.equal(200)
  })
})

import { expect } from 'chai'
import { serveDashboard } from '../served-dashboard.harness.ts'
import { TestVisitor } from '../test-visitor.harness.ts'

const pageAt = (base: string, path: string) => new TestVisitor(base, '').get(path)

describe('the front page', () => {
  it('explains the service at /, with a call to copy, plans, documentation and the operator’s pages', async () => {
    const given = { termsUrl: 'https://example.com/terms', statusUrl: 'https://status.example.com' }
    await using dashboard = await serveDashboard({ options: given })
    const { status, html } = await pageAt(dashboard.ingress.base, '/')
    expect(status).to.equal(200)
    expect(html).to.match(/<h1>[^<]+<\/h1>/)
    for (const word of ['YouTube', 'TikTok', 'Instagram', 'Facebook', '50 free credits', '$9', '$29', '2,000 credits'])
      expect(html).to.include(word)
    expect(html, 'the words of the example').to.include('And Mr. John Dashwood had then leisure')
    expect(html).to.include(`curl &#39;${dashboard.ingress.base}/v1/transcript&#39;`.replaceAll('&#39;', "'"))
    for (const href of [
      '/dashboard/sign-up',
      '/dashboard/../docs',
      '/dashboard/plans',
      given.termsUrl,
      given.statusUrl,
    ])
      expect(html).to.include(`href="${href}"`)
    expect(html, 'it is to be found').to.not.include('noindex')
    expect((await pageAt(dashboard.ingress.base, '/dashboard/sign-up')).html).to.include(`href="${given.termsUrl}"`)
  })

  it('is the sign-in page, without plans and prices, unless anyone may sign up', async () => {
    for (const signup of ['invited', 'closed'] as const) {
      await using dashboard = await serveDashboard({ options: { signup } })
      const { base } = dashboard.ingress
      expect(await pageAt(base, '/')).to.include({ status: 303, to: '/dashboard/sign-in' })
      expect(await pageAt(base, '/dashboard/plans')).to.include({ to: '/dashboard/sign-in?next=%2Fplans' })
      expect((await pageAt(base, '/dashboard/sign-in')).html).to.not.include('/dashboard/plans')
    }
  })

  it('redirects a person who is signed in to the overview', async () => {
    await using dashboard = await serveDashboard()
    const ada = await dashboard.signedUp('ada@example.com')
    expect(await ada.get('/front')).to.include({ status: 303, to: '/' })
    expect((await ada.get('/')).to).to.equal(`/org/${ada.orgId}`)
  })
})

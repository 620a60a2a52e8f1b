import { expect } from 'chai'
import { until } from '#test/doubles/service/until.ts'
import { type ServedDashboard, serveDashboard } from '../../served-dashboard.harness.ts'
import { PASSWORD } from '../../test-visitor.harness.ts'

const operatorEmail = 'ops@example.com'

async function operatorOf(dashboard: ServedDashboard) {
  const grace = await dashboard.signedUp('grace@example.com', 'Operations')
  const account = await dashboard.accounts.byEmail(grace.email)
  await dashboard.accounts.update(account?.id ?? '', (known) => ({ ...known, isOperator: true }))
  return grace
}

describe('the page of plans', () => {
  it('shows anyone the three plans of the specification, and what credits buy', async () => {
    await using dashboard = await serveDashboard()
    const { text } = await dashboard.visitor().get('/plans')
    for (const words of ['Free $0', 'Starter $9', 'Pro $29', '50 credits on sign-up', '500 credits a month'])
      expect(text).to.include(words)
    for (const words of ['30 jobs a minute', '60 jobs a minute', '120 jobs a minute', 'captions 1', 'speech 5'])
      expect(text).to.include(words)
  })

  it('accepts a member’s request, mails it to the operator once, and shows it until the plan is changed', async () => {
    await using dashboard = await serveDashboard({ account: { operatorEmail }, options: { sendsMail: true } })
    const ada = await dashboard.signedUpByMail('ada@example.com')
    const path = `/org/${ada.orgId}/plans`
    const before = await ada.get(path)
    expect(before.text).to.include('Your plan').and.to.include('Request Pro')
    dashboard.mails.length = 0
    for (let n = 0; n < 2; n++) expect((await ada.post(path, { plan: 'pro' })).to).to.equal(path)
    expect(dashboard.mails.map(({ to, subject }) => [to, subject])).to.deep.equal([
      [operatorEmail, 'Acme requests the Pro plan'],
    ])
    expect(dashboard.mails[0]?.text).to.include(`/dashboard/operator/org/${ada.orgId}`)
    expect((await ada.get(path)).text)
      .to.include('You requested Pro')
      .and.to.not.include('Request Pro')
    for (const plan of ['gold', 'free']) expect(await ada.post(path, { plan }), plan).to.include({ status: 400 })
  })

  it('shows requests to operators until one of them changes the plan', async () => {
    await using dashboard = await serveDashboard()
    const ada = await dashboard.signedUp('ada@example.com', 'Reading circle')
    const grace = await operatorOf(dashboard)
    expect((await grace.get('/operator')).text).to.not.include('Plan requests')
    await ada.post(`/org/${ada.orgId}/plans`, { plan: 'starter' })
    const asked = async () => (await grace.get('/operator')).text
    await until('it is listed', async () => /Plan requests.*Starter ada@example\.com/.test(await asked()))
    await grace.post(`/operator/org/${ada.orgId}/plan`, { plan: 'starter' })
    expect((await grace.get('/operator')).text).to.not.include('Plan requests')
    const { text } = await ada.get(`/org/${ada.orgId}/plans`)
    expect(text).to.include('Request Pro').and.to.not.include('Request Starter')
  })

  it('shows operators no requests of closed organizations', async () => {
    await using dashboard = await serveDashboard()
    const ada = await dashboard.signedUp('ada@example.com', 'Reading circle')
    const grace = await operatorOf(dashboard)
    await ada.post(`/org/${ada.orgId}/plans`, { plan: 'pro' })
    const isListed = async () => (await grace.get('/operator')).text.includes('Plan requests')
    await until('it is listed', isListed)
    await ada.post('/account/delete', { password: PASSWORD })
    await until('it is listed no more', async () => !(await isListed()))
  })

  it('links to the operator’s own page if there is one', async () => {
    await using dashboard = await serveDashboard({ options: { upgradeUrl: 'https://example.com/buy' } })
    const ada = await dashboard.signedUp('ada@example.com')
    const { html, text } = await ada.get(`/org/${ada.orgId}/plans`)
    expect(html).to.include('href="https://example.com/buy"')
    expect(text).to.include('Upgrade to Pro').and.to.not.include('Request')
  })

  it('is the page that the overview, the settings and /plans link to', async () => {
    await using dashboard = await serveDashboard()
    const ada = await dashboard.signedUp('ada@example.com')
    const path = `/org/${ada.orgId}/plans`
    for (const from of [`/org/${ada.orgId}`, `/org/${ada.orgId}/settings`])
      expect((await ada.get(from)).html, from).to.include(`href="/dashboard${path}"`)
    expect((await ada.get('/plans')).to).to.equal(path)
  })
})

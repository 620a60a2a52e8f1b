import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { createAccountParts } from '#packages/accounts/people/account-parts.ts'
import { memoryRateCounters as counters } from '#packages/adapters/memory/rate-counters.ts'
import { openSqliteAccounts } from '#packages/adapters/sqlite/accounts.ts'
import { Sealer } from '#packages/foundation/secrets/sealer.ts'
import type { Accounts } from '#packages/ports/accounts.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { sourcesOf } from '#test/doubles/ingress/sources.ts'
import { openedForEach } from '#test/doubles/opened.ts'
import { until } from '#test/doubles/service/until.ts'
import { ACCOUNT, loseViews, startDashboard } from '../../dashboard.harness.ts'
import type { Page, Route } from '../../route.ts'
import { operatorRoutes } from './operator-routes.tsx'

const once = '11111111-2222-4333-8444-555555555555'
const since = '2026-11-21T18:00:00.000Z'

describe('the pages for operators', () => {
  let accounts: Accounts
  let routes: Route[]
  const dashboard = openedForEach(async () => {
    accounts = openSqliteAccounts({ path: ':memory:' })
    await accounts.create({ ...ACCOUNT, isOperator: true })
    const standing = () => ({
      blocked: [{ platform: 'tiktok' as const, exit: 'direct', way: 'yt-dlp' as const, state: 'open' as const, since }],
      restingAccounts: [{ platform: 'x' as const, until: new Date(since) }],
    })
    return startDashboard({
      platforms: sourcesOf({ standing }),
      pages(parts, options) {
        const rules = { signUp: 'open' as const, signUpsPerDay: 5, dashboardUrl: () => 'http://localhost/dashboard' }
        const made = createAccountParts({ ...parts, accounts, counters, sealer: new Sealer(randomBytes(32)) }, rules)
        routes = operatorRoutes({ ...parts, ...made, accounts }, options)
        return routes
      },
    })
  })

  const ask = (path: string, form?: Record<string, string>) =>
    dashboard.ask({ orgId: 'none', path: `/operator${path}`, isOperator: true, ...(form && { form }) })

  /** An organization that is already in the views. */
  const organization = async (): Promise<string> => {
    const { orgId } = await dashboard.ingress.org()
    await until(
      'the views have it',
      async () => (await dashboard.ingress.views.get('balances', orgId))?.name === 'Acme',
    )
    return orgId
  }

  it('are all for operators only', async () => {
    const orgId = await organization()
    expect(routes.map(({ access }) => access)).to.deep.equal(routes.map(() => 'operator'))
    // Others find nothing, even at the right address.
    const form = { credits: '5', reason: 'because', once }
    const granted = dashboard.ask({ orgId, path: `/operator/org/${orgId}/credits`, form })
    expect(await failureOf(granted)).to.include({ code: 'not_found' })
  })

  it('list organizations, and find them by name, id or a member’s address', async () => {
    const [one, other] = [await organization(), await organization()]
    const memberships = [{ orgId: other, role: 'owner' as const, since: 1 }]
    await accounts.create({ ...ACCOUNT, id: 'bob', email: 'bob@example.com', memberships })
    const found = async (q: string) => {
      const { answer, html: shown } = await ask('', { q })
      const html = answer.type === 'redirect' ? (await ask(answer.to.replace('/operator', ''))).html : shown
      return [one, other].map((orgId) => html.includes(`/operator/org/${orgId}`))
    }
    expect(await found('')).to.deep.equal([true, true])
    expect(await found('acm')).to.deep.equal([true, true])
    expect(await found(one.toUpperCase())).to.deep.equal([true, false])
    expect(await found('Bob@Example.com')).to.deep.equal([false, true])
    // A person's address never appears in a URL.
    expect((await ask('', { q: 'bob@example.com' })).answer.type).to.equal('page')
    expect(await found('nobody@example.com')).to.deep.equal([false, false])
    expect((await ask('?q=%3Cb%3E')).html).to.not.contain('<b>')
  })

  it('grant credits once per form, and record who did it and why', async () => {
    const orgId = await organization()
    const form = { credits: '25', reason: 'the first call failed', once }
    const { answer } = await ask(`/org/${orgId}/credits`, form)
    expect(answer).to.deep.equal({ type: 'redirect', to: `/operator/org/${orgId}`, notice: 'credits-granted' })
    const again = await ask(`/org/${orgId}/credits`, form)
    expect([(again.answer as Page).status, again.text.includes('sent before')]).to.deep.equal([409, true])
    expect((await dashboard.ingress.ledgers.current(orgId)).balance).to.equal(75)
    const { text } = await ask('/audit')
    expect(text).to.contain('ada@example.com').and.to.contain('the first call failed').and.to.contain('Acme')
  })

  it('change the plan', async () => {
    const orgId = await organization()
    await ask(`/org/${orgId}/plan`, { plan: 'pro' })
    expect((await dashboard.ingress.ledgers.current(orgId)).plan).to.equal('pro')
    expect((await ask(`/org/${orgId}`)).text)
      .to.contain('Plan changed')
      .and.to.contain('plan: pro')
  })

  it('explain what is wrong with a form, and change nothing', async () => {
    const orgId = await organization()
    const { answer, html } = await ask(`/org/${orgId}/credits`, { credits: '1.5', reason: ' ', once })
    expect((answer as Page).status).to.equal(400)
    expect(html).to.contain('id="credits-problem"').and.to.contain('id="reason-problem"')
    expect(await accounts.audits({ limit: 1 })).to.deep.equal([])
    const gold = await ask(`/org/${orgId}/plan`, { plan: 'gold' })
    expect((gold.answer as Page).status).to.equal(400)
  })

  it('answer 404 for an organization that does not exist, and change nothing', async () => {
    for (const asked of [ask('/org/nobody'), ask('/org/nobody/plan', { plan: 'pro' })])
      expect(await failureOf(asked)).to.include({ code: 'not_found' })
    expect(await accounts.audits({ limit: 1 })).to.deep.equal([])
  })

  it('show which platforms refuse us, which accounts rest, and what is unavailable', async () => {
    dashboard.ingress.problems.push('the event store does not answer')
    dashboard.ingress.warnings.push({ code: 'speech_endpoint_failing', message: 'The speech endpoint fails.' })
    const { text } = await ask('/platforms')
    expect(text).to.contain('the event store does not answer').and.to.contain('Refuses us')
    expect(text).to.contain('The speech endpoint fails.')
    expect(text).to.contain('is paused until 2026-11-21 18:00')
  })

  it('show everything else if the views are unavailable', async () => {
    const orgId = await organization()
    loseViews(dashboard.ingress)
    expect((await ask('')).text).to.contain('The organizations cannot be shown right now')
    expect((await ask(`/org/${orgId}`)).text)
      .to.contain('not known right now')
      .and.to.contain('Adds up')
    expect((await ask('/platforms')).text).to.contain('The service is ready')
  })
})

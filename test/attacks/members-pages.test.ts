/** Every request of a signed-in person to the dashboard counts against a rate. */
import { expect } from 'chai'
import type { RateCounters } from '#packages/ports/rate-counters.ts'
import { serveDashboard } from '#services/dashboard/served-dashboard.harness.ts'
import { ingressDefaults } from '#services/ingress/options.ts'
import { madeForAll, openedForAll } from '#test/doubles/opened.ts'

const LIGHT = 3

describe('pages for somebody who is signed in', () => {
  const dashboard = openedForAll(() =>
    serveDashboard({ counters, limits: { rates: { ...ingressDefaults.rates, light: LIGHT } } }),
  )
  const ada = madeForAll(() => dashboard.signedUp('ada@example.com'))
  let accountId: string
  /** The counts since a test last cleared them, by tier and by caller. */
  const counted = new Map<string, number>()
  const counters: RateCounters = (tier) => ({
    async count(key, _limit, requests = 1) {
      const name = `${tier} ${key}`
      counted.set(name, (counted.get(name) ?? 0) + requests)
      return { counted: counted.get(name) ?? 0, endsInMs: 60_000 }
    },
    giveBack: async () => {},
  })

  before(async () => {
    accountId = (await dashboard.accounts.byEmail('ada@example.com'))?.id ?? ''
  })

  /** Each page is requested in a session of its own, because some pages end their session. */
  async function ask(method: 'get' | 'post', path: string): Promise<number> {
    ada.cookies.set('__Host-session', await dashboard.parts.sessions.begin(accountId))
    return (await (method === 'get' ? ada.get(path) : ada.send(path))).status
  }

  it('count as one light request each, of the organization or, without one, of the person', async () => {
    const id = '0197c0de-0000-7000-8000-000000000001'
    for (const route of dashboard.routes)
      for (const method of ['get', 'post'] as const) {
        if (route[method] === undefined) continue
        counted.clear()
        await ask(method, route.path.replace(':orgId', ada.orgId).replaceAll(/:\w+/g, id))
        const whose = route.path.includes(':orgId') ? ada.orgId : accountId
        expect(counted.get(`light ${whose}`), `${method} ${route.path}`).to.equal(1)
      }
  })

  const paths: Readonly<Record<string, (orgId: string) => string>> = {
    'of members': (orgId) => `/org/${orgId}/members`,
    'of an organization of others': () => '/org/0197c0de-0000-7000-8000-000000000001/members',
    'for operators': () => '/operator',
    'that do not exist': () => '/nowhere',
    'for anybody': () => '/sign-up',
  }
  for (const [name, pathOf] of Object.entries(paths))
    it(`are refused beyond the rate: ${name}`, async () => {
      counted.clear()
      const path = pathOf(ada.orgId)
      for (let n = 0; n < LIGHT; n++) expect(await ask('get', path)).to.not.equal(429)
      expect(await ask('get', path)).to.equal(429)
    })
})

import { expect } from 'chai'
import { systemIds } from '#packages/adapters/system/ids.ts'
import type { Route } from '#services/dashboard/route.ts'
import { type ServedDashboard, serveDashboard } from '#services/dashboard/served-dashboard.harness.ts'
import { PASSWORD, type Seen, type TestVisitor } from '#services/dashboard/test-visitor.harness.ts'
import { ingressDefaults } from '#services/ingress/options.ts'
import { madeForEach, openedForEach } from '#test/doubles/opened.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'

const markup = `"'><script>alert(1)</script><img src=x onerror=alert(2)>`
const isInert = ({ html }: Seen): boolean => !/<script>|<img|"'>/.test(html)

const routesIn = ({ routes }: ServedDashboard): readonly Route[] => routes

/** The path of a route, with an organization and made-up values for its other ids. */
const filled = ({ path }: Route, orgId: string): string =>
  path.replace(':orgId', orgId).replaceAll(/:\w+/g, '0197c0de-0000-7000-8000-000000000001')

/** Removes the parts that differ between any two answers, even to the same caller. */
const comparable = ({ status, to, html }: Seen, orgId: string): unknown => ({
  status,
  to,
  html: html.replaceAll(/nonce="[^"]*"|<code>[^<]*<\/code>/g, '').replaceAll(orgId, 'ORG'),
})

/** Asserts that no form of more than this many characters is parsed during `act`. */
async function assertNotParsed(characters: number, act: () => Promise<unknown>): Promise<void> {
  const { URLSearchParams: Parser } = globalThis
  let parsed = 0
  globalThis.URLSearchParams = class extends Parser {
    constructor(given?: ConstructorParameters<typeof Parser>[0]) {
      super(given)
      if (typeof given === 'string' && given.length > characters) parsed += 1
    }
  }
  try {
    await act()
  } finally {
    globalThis.URLSearchParams = Parser
  }
  expect(parsed).to.equal(0)
}

describe('attacks on the dashboard', () => {
  // One visitor requests every page.
  const dashboard = openedForEach(() =>
    serveDashboard({ limits: { rates: { ...ingressDefaults.rates, light: 1000 } } }),
  )
  const ada = madeForEach(() => dashboard.signedUp('ada@example.com', `Ada ${markup}`))

  /** Sends the text of a form, without a session unless the headers name one. */
  const sendBare = (path: string, body: string, more: Record<string, string> = {}) => {
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const headers = { 'sec-fetch-site': 'same-origin', ...type, ...more }
    return fetch(`${dashboard.ingress.base}/dashboard${path}`, { method: 'POST', headers, body, redirect: 'manual' })
  }

  it('by a session that somebody else has chosen: signing in begins another one, and ends the one before', async () => {
    const visitor = dashboard.visitor()
    visitor.cookies.set('__Host-session', 'chosen-by-somebody-else')
    await visitor.post('/sign-in', { email: 'ada@example.com', password: PASSWORD })
    const [first = ''] = visitor.cookies.values()
    expect(first).to.match(/^[\w-]{43}$/)
    await visitor.post('/sign-in', { email: 'ada@example.com', password: PASSWORD })
    expect(visitor.cookies.get('__Host-session')).to.not.equal(first)
    for (const token of [first, 'chosen-by-somebody-else']) {
      const holder = dashboard.visitor()
      holder.cookies.set('__Host-session', token)
      expect((await holder.get('/account')).status).to.equal(303)
    }
  })

  it('by a form on another site: every form of every page is refused', async () => {
    const foreign: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'cross-site', origin: dashboard.ingress.base },
      { origin: 'null' },
      { origin: 'https://evil.example' },
      { origin: dashboard.ingress.base.replace('127.0.0.1', 'localhost') },
      {},
    ]
    const forms = routesIn(dashboard).filter((route) => route.post !== undefined)
    expect(forms.length).to.be.greaterThan(10)
    for (const route of forms)
      for (const headers of foreign) {
        const { status } = await ada.post(filled(route, ada.orgId), { password: PASSWORD }, headers)
        expect(status, `${route.path} ${JSON.stringify(headers)}`).to.equal(403)
      }
    expect((await ada.get('/account')).status).to.equal(200)
  })

  it("by another organization's id: it is answered like an id that does not exist, on every page", async () => {
    const eve = await dashboard.signedUp('eve@example.com', 'Eve')
    const unknown = systemIds.uuid()
    const ofOrganizations = routesIn(dashboard).filter(({ path }) => path.includes(':orgId'))
    expect(ofOrganizations.length).to.be.greaterThan(5)
    for (const route of ofOrganizations)
      for (const method of ['get', 'post'] as const) {
        if (route[method] === undefined) continue
        const [known, other] = await Promise.all(
          [ada.orgId, unknown].map(async (orgId) => comparable(await eve[method](filled(route, orgId)), orgId)),
        )
        expect(known, `${method} ${route.path}`).to.deep.equal(other)
        expect(known, `${method} ${route.path}`).to.include({ status: 404 })
      }
  })

  it('by large forms: anonymous callers may send only small ones, and forms to pages of others are not parsed', async () => {
    const tooLarge = { email: 'x'.repeat(17 * 1024), password: PASSWORD }
    for (const path of ['/sign-in', '/sign-up', '/nowhere', `/org/${ada.orgId}/keys`])
      expect((await dashboard.visitor().post(path, tooLarge)).status, path).to.equal(413)
    const prompt = 'x'.repeat(190 * 1024)
    expect((await ada.post(`/org/${ada.orgId}/try/extract`, { prompt })).status).to.equal(400)
    await assertNotParsed(100_000, async () => {
      expect((await sendBare(`/org/${ada.orgId}/try/extract`, `prompt=${prompt}`)).status).to.equal(303)
    })
  })

  it('by forms of many small fields: they are not parsed, not even when a member sends them', async () => {
    await assertNotParsed(10_000, async () => {
      for (const piece of ['a&', '&', 'a=%20&'])
        for (const [path, bytes] of [
          [`/org/${ada.orgId}/try/extract`, 190_000],
          [`/org/${ada.orgId}/batches/new`, 500_000],
          [`/org/${ada.orgId}/keys`, 16_000],
          ['/sign-in', 16_000],
        ] as const) {
          const { headers } = await sendBare(path, piece.repeat(bytes / piece.length), { cookie: ada.cookie })
          expect(headers.get('location'), `${path} ${piece}`).to.equal('/dashboard/problem')
        }
    })
  })

  it('by malformed addresses: they are not logged as our failures', async () => {
    for (const path of ['//', '//[', '//evil.example', '//?done=left', '/%00', '/org/%ff'])
      expect((await dashboard.visitor().get(path)).status, path).to.be.below(500)
    expect(dashboard.ingress.lines.filter(({ msg }) => msg === 'a page failed')).to.deep.equal([])
  })

  it('without a session: every page but those for signing in leads to sign-in', async () => {
    for (const route of routesIn(dashboard)) {
      if (route.access === 'anyone') continue
      for (const method of ['get', 'post'] as const) {
        if (route[method] === undefined) continue
        const { status, to } = await dashboard.visitor()[method](filled(route, ada.orgId))
        expect({ status, to: to?.split('?')[0] }, `${method} ${route.path}`).to.deep.equal({
          status: 303,
          to: '/sign-in',
        })
      }
    }
  })

  it('as somebody who is no operator: the pages of operators are not found', async () => {
    for (const route of routesIn(dashboard).filter(({ access }) => access === 'operator'))
      for (const method of ['get', 'post'] as const)
        if (route[method] !== undefined)
          expect((await ada[method](filled(route, ada.orgId))).status, route.path).to.equal(404)
  })

  it('by a link that redirects to another site after sign-in', async () => {
    const bad = ['//evil.example', '/\\evil.example', 'https://evil.example', '/\t/evil.example', '/%0d%0aX-A:b']
    for (const next of bad) {
      const visitor = dashboard.visitor()
      const query = new URLSearchParams({ next })
      expect((await visitor.get(`/sign-in?${query}`)).html, next).to.not.include('evil.example')
      const back = await visitor.post('/sign-in', { email: 'ada@example.com', password: PASSWORD, next })
      expect(back.to, next).to.match(/^\/sign-in\?signed-in&next=%2F/)
      const { to } = await visitor.get(back.to ?? '')
      expect(to, next)
        .to.match(/^\/[^/\\]*/)
        .and.not.include('evil')
      expect((await ada.get(`/sign-in?${query}`)).to, next).to.match(/^\/(%0d.*)?$/)
    }
  })

  it('by markup in names, fields and addresses: it is shown as text', async () => {
    const pages = routesIn(dashboard)
    const query = new URLSearchParams(
      ['next', 'token', 'done', 'q', 'url', 'status', 'cursor', 'after', 'search'].map((name) => [name, markup]),
    )
    for (const route of pages.filter((one) => one.get !== undefined)) {
      const path = filled(route, ada.orgId)
      for (const seen of [
        await ada.get(path),
        await ada.get(`${path}?${query}`),
        await dashboard.visitor().get(`${path}?${query}`),
      ])
        expect(isInert(seen), `${route.path}: ${seen.html.match(/.{40}(<script>|<img|"'>).{20}/s)?.[0]}`).to.equal(true)
    }
    const typed = Object.fromEntries(
      ['email', 'organization', 'token', 'next', 'invitation', 'member', 'role', 'password'].map((name) => [
        name,
        markup,
      ]),
    )
    const open = ['/sign-in', '/sign-up', '/verify', '/reset', '/invitation', '/provider', '/forgot']
    for (const path of open) expect(isInert(await dashboard.visitor().post(path, typed)), path).to.equal(true)
    const own = ['invite', 'withdraw', 'role', 'remove'].map((act) => `/org/${ada.orgId}/members/${act}`)
    for (const path of own) expect(isInert(await ada.post(path, typed)), path).to.equal(true)
    expect((await ada.get('/account')).text).to.include('Ada "\'><script>')
  })

  it('by requests that no browser sends: each is answered with a page', async () => {
    const tooLarge = await ada.post('/sign-in', { email: 'x'.repeat(300_000) })
    expect(tooLarge.status).to.equal(413)
    expect(tooLarge.text).to.include('The form is too large')
    expect((await ada.get('/org/%ff')).status).to.equal(400)
    expect((await ada.get('/account/password')).status).to.equal(405)
    expect((await ada.get('/assets/..%2f..%2fpackage.json')).status).to.equal(404)
    expect((await ada.get('/sign-in?next=%ff%00')).status).to.equal(303)
    for (const cookie of ['', '%', '\u0001', 'x'.repeat(5000), '__proto__']) {
      const visitor = dashboard.visitor()
      visitor.cookies.set('__Host-session', encodeURIComponent(cookie))
      visitor.cookies.set('__Host-sign-in', encodeURIComponent(cookie))
      expect((await visitor.get('/account')).status, cookie).to.equal(303)
      expect((await visitor.get('/sign-in/provider?code=1&state=2')).status, cookie).to.equal(404)
    }
    for (const email of [
      'a\u0000@example.com',
      'a\u202e@example.com',
      'a@exa\nmple.com',
      'a@b.example\r\nBcc: c@d.example',
    ]) {
      const { text } = await dashboard.visitor().post('/sign-up', { organization: 'A', email, password: PASSWORD })
      expect(text, JSON.stringify(email)).to.include('E-mail must be an e-mail address')
    }
  })

  it('by what headers have to prevent: no script but ours, no frame, no cache, no referrer elsewhere', async () => {
    for (const { headers } of [
      await ada.get('/account'),
      await dashboard.visitor().get('/sign-in'),
      await ada.get('/no'),
    ]) {
      const policy = headers.get('content-security-policy') ?? ''
      expect(policy).to.match(/script-src 'nonce-[\w+/=]{24}';/)
      expect(policy).to.include(`default-src 'none'`).and.include(`frame-ancestors 'none'`).and.not.include('unsafe')
      expect(headers.get('cache-control')).to.equal('no-store')
      expect(headers.get('referrer-policy')).to.equal('same-origin')
    }
    const visitor = dashboard.visitor()
    const { headers } = await visitor.post('/sign-in', { email: 'ada@example.com', password: PASSWORD })
    expect(headers.get('set-cookie')).to.match(/^__Host-session=.*; Path=\/; .*HttpOnly; Secure; SameSite=Lax$/)
  })
})

describe('guessing at the dashboard', () => {
  const signIn = (visitor: TestVisitor, email: string, password = 'wrong') =>
    visitor.post(
      '/sign-in',
      { email, password },
      { 'sec-fetch-site': 'same-origin', 'x-forwarded-for': `192.0.2.${Math.floor(Math.random() * 256)}` },
    )

  it('passwords of one account: five a minute from anywhere, and then the right one is refused too', async () => {
    await using dashboard = await serveDashboard()
    await dashboard.signedUp('ada@example.com')
    for (const email of ['ada@example.com', 'nobody@example.com']) {
      for (let attempt = 0; attempt < 5; attempt += 1)
        expect((await signIn(dashboard.visitor(), email)).status, email).to.equal(400)
      expect((await signIn(dashboard.visitor(), email, PASSWORD)).status, email).to.equal(429)
    }
  })

  it('passwords of many accounts: twenty a minute from one address, whatever the headers of proxies say', async () => {
    await using dashboard = await serveDashboard()
    const statuses: number[] = []
    for (let attempt = 0; attempt < 21; attempt += 1)
      statuses.push((await signIn(dashboard.visitor(), `p${attempt}@example.com`)).status)
    expect(statuses).to.deep.equal([...Array(20).fill(400), 429])
  })

  it('which addresses have an account: sign-in, sign-up and reset give the same answer after as many hashes', async () => {
    await using dashboard = await serveDashboard({ options: { sendsMail: true } })
    const known = 'ada@example.com'
    const unknown = 'bob@example.com'
    const form = { organization: 'Acme', password: PASSWORD }
    await dashboard.visitor().post('/sign-up', { ...form, email: known })
    const ask = async (path: string, email: string, password = PASSWORD) => {
      const before = dashboard.hashes.calls
      const seen = await dashboard.visitor().post(path, { ...form, email, password })
      const html = (comparable(seen, email) as { html: string }).html.replaceAll(email, 'EMAIL')
      return { status: seen.status, to: seen.to, html, hashes: dashboard.hashes.calls - before }
    }
    for (const [path, password, hashes] of [
      ['/sign-in', 'not the right one', 1],
      ['/forgot', '', 0],
      ['/sign-up', PASSWORD, 1],
    ] as const) {
      const [one, other] = [await ask(path, known, password), await ask(path, unknown, password)]
      expect(one, path).to.deep.equal(other)
      expect(one.hashes, path).to.equal(hashes)
    }
  })

  it('by forty sign-ins at once: two hashes at a time, and other requests are answered promptly', async () => {
    await using dashboard = await serveDashboard()
    await dashboard.signedUp('ada@example.com')
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) => signIn(dashboard.visitor(), `p${at}@example.com`)),
    )
    const statuses = new Set(answers.map(({ status }) => status))
    expect([...statuses].sort()).to.deep.equal([400, 429])
    expect(dashboard.hashes.most).to.be.at.most(2)
  })
})

describe('secrets of the dashboard', () => {
  it('are in no log line, no span and no event', async () => {
    const telemetry = new RecordingTelemetry()
    await using dashboard = await serveDashboard({ options: { sendsMail: true }, telemetry })
    const visitor = dashboard.visitor()
    const secrets = new Set(['ada@example.com', 'bob@example.com', PASSWORD, 'a wrong password'])
    const mailed = (): string => {
      const path = dashboard.mailedPath()
      secrets.add(path.split('token=')[1] ?? '')
      return path
    }
    const tokenOf = (path: string): string => path.split('token=')[1] ?? ''

    await visitor.post('/sign-up', { organization: 'Acme', email: 'ada@example.com', password: PASSWORD })
    const confirmed = await visitor.post('/verify', { token: tokenOf(mailed()) })
    secrets.add(/ma_\w+/.exec(confirmed.html)?.[0] ?? '')
    await visitor.post('/sign-in', { email: 'ada@example.com', password: 'a wrong password' })
    await visitor.post('/forgot', { email: 'ada@example.com' })
    await visitor.get(mailed())
    await visitor.post('/reset', { token: tokenOf(mailed()), password: PASSWORD })
    await visitor.post('/sign-in', { email: 'ada@example.com', password: PASSWORD })
    secrets.add(visitor.cookies.get('__Host-session') ?? '')
    const [, orgId = ''] = /org\/([\w-]+)/.exec((await visitor.get('/')).to ?? '') ?? []
    await visitor.post(`/org/${orgId}/members/invite`, { email: 'bob@example.com', role: 'member' })
    await dashboard.visitor().get(mailed())
    await dashboard.visitor().get(`/sign-in?next=${encodeURIComponent(mailed())}`)

    expect(secrets.size).to.equal(9)
    const { accountId } = (await dashboard.parts.members.of(orgId))[0] ?? {}
    const { passwordHash } = (await dashboard.accounts.get(accountId ?? '')) ?? {}
    secrets.add(passwordHash ?? '')
    const events = [...(await dashboard.ingress.memory.read(`organization-${orgId}`))]
    const everything = JSON.stringify([dashboard.ingress.lines, telemetry.spans, telemetry.values, events])
    expect(everything).to.include('/dashboard/verify').and.include(orgId)
    for (const secret of secrets) {
      expect(secret.length).to.be.greaterThan(10)
      expect(everything.includes(secret), secret).to.equal(false)
    }
  })
})

/** Limits for callers without a key or a session: how many requests are answered, and what remains for others. */
import { expect } from 'chai'
import { createSecret } from '#packages/accounts/keys/secret.ts'
import { serveDashboard } from '#services/dashboard/served-dashboard.harness.ts'
import { PASSWORD } from '#services/dashboard/test-visitor.harness.ts'
import { rendererPath } from '#services/ingress/routes/docs/reference.ts'
import { madeForAll, openedForAll } from '#test/doubles/opened.ts'
import { heldWhile } from '#test/doubles/service/loop-watch.ts'
import { get, openPeers } from '#test/doubles/service/peer.ts'
import { Setting } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'

const LIMIT = 5
const session = (token: string) => ({ cookie: `__Host-session=${token}` })
const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }

type Sent = { method?: string; path: string; headers?: Record<string, string>; body?: string }

/** Requests without a known key or session, on each surface. */
const anonymous: Readonly<Record<string, Sent>> = {
  'the API without a key': { path: '/v1/me' },
  'the API with a made-up key': { path: '/v1/me', headers: { 'x-api-key': createSecret() } },
  'the API with a broken key': { path: '/v1/jobs', headers: { 'x-api-key': 'ma_wrong' } },
  'the API asked by a page of nowhere': { method: 'OPTIONS', path: '/v1/me', headers: { origin: 'https://x.example' } },
  'a path of the API that does not exist': { method: 'DELETE', path: '/v1/nowhere/%' },
  'the tools': { method: 'POST', path: '/mcp', body: '{' },
  'the tools with a made-up bearer': { method: 'POST', path: '/mcp', headers: { authorization: 'Bearer ma_x' } },
  'the tools for another origin': { path: '/mcp', headers: { origin: 'https://evil.example' } },
  'the document of the interface': { path: '/openapi.json' },
  'its head': { method: 'HEAD', path: '/openapi.json' },
  'the documentation': { path: '/docs' },
  'a file of the documentation that does not exist': { path: '/docs/nothing.js' },
  'the errors': { path: '/docs/errors' },
  'the text for language models': { path: '/llms.txt' },
  'the way to the home page': { path: '/' },
  'a path that does not exist': { path: '/nowhere' },
  'a method that does not exist': { method: 'PUT', path: '/openapi.json' },
  'signing up': { path: '/dashboard/sign-up' },
  'the form for signing up': { method: 'POST', path: '/dashboard/sign-up', headers: form, body: 'email=x' },
  'the form of another site': { method: 'POST', path: '/dashboard/sign-up', body: 'email=x' },
  'a password that is forgotten': { path: '/dashboard/forgot' },
  'a page of a member with a made-up session': { path: '/dashboard/account', headers: session('x'.repeat(43)) },
  'a page of an operator': { path: '/dashboard/operator' },
  'a page that does not exist': { path: '/dashboard/nowhere' },
  'signing in': { path: '/dashboard/sign-in' },
}

describe('requests without a known key or session', function () {
  // Addresses hash into 65,536 shared counters. About one run in a hundred, a fresh address gets a counter that is
  // already used up.
  this.retries(1)
  const limits = { anonymousPerMinute: LIMIT, clientAddressHeader: 'x-real-ip' }
  const dashboard = openedForAll(() => serveDashboard({ limits, mounted: () => ({ '/mcp': tools }) }))
  const ada = madeForAll(() => dashboard.signedUp('ada@example.com'))
  let address = 0

  const tools = {
    maxBodyBytes: 1000,
    refusal: ({ origin }: { origin?: string }) => (origin === undefined ? undefined : 'not here'),
    messagesOf: () => ({ light: 0, lasting: 0 }),
    answer: (_request: unknown, response: { end(): void }) => response.end(),
  }

  const statusOf = async (
    { path, ...sent }: Sent,
    from: string,
    more: Record<string, string> = {},
  ): Promise<number> => {
    const headers = { ...sent.headers, 'x-real-ip': from, ...more }
    const answer = await fetch(dashboard.ingress.base + path, { redirect: 'manual', ...sent, headers })
    await answer.arrayBuffer()
    return answer.status
  }
  const nextAddress = (): string => `192.0.2.${++address}`
  const times = <T>(count: number, one: () => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, one))

  for (const [name, sent] of Object.entries(anonymous))
    it(`are refused beyond a rate: ${name}`, async () => {
      const from = nextAddress()
      for (const status of await times(LIMIT, () => statusOf(sent, from))) expect(status).to.not.equal(429)
      expect(await statusOf(sent, from)).to.equal(429)
      expect(await statusOf(sent, nextAddress()), 'from elsewhere').to.not.equal(429)
    })

  it('share one rate across all surfaces, and an IPv6 /64 counts as one address', async () => {
    const surfaces = Object.values(anonymous).slice(0, LIMIT)
    for (const [n, sent] of surfaces.entries()) await statusOf(sent, `2001:db8::${n + 1}`)
    expect(await statusOf({ path: '/nowhere' }, '2001:db8::ffff')).to.equal(429)
    expect(await statusOf({ path: '/nowhere' }, '2001:db8:0:1::1')).to.equal(404)
  })

  it('are answered with the time to wait before the next try', async () => {
    const from = { 'x-real-ip': nextAddress() }
    const ask = () => dashboard.ingress.call('GET', '/v1/me', { headers: from })
    await times(LIMIT, ask)
    const { status, body, headers } = await ask()
    expect([status, body.error]).to.deep.equal([429, 'rate_limited'])
    expect(Number(headers.get('retry-after'))).to.be.within(1, 60)
    expect(Number(headers.get('x-ratelimit-reset')) * 1000).to.be.above(Date.now())
  })

  it('never count when they carry a known key or session, and never for probes and files', async () => {
    const from = nextAddress()
    await times(LIMIT + 1, () => statusOf({ path: '/nowhere' }, from))
    const known = [{ 'x-api-key': ada.key }, session(ada.cookies.get('__Host-session') ?? '')]
    for (const headers of known)
      for (const sent of Object.values(anonymous)) {
        if (sent.headers !== undefined) continue
        const name = `${sent.method ?? 'GET'} ${sent.path} ${Object.keys(headers)}`
        expect(await statusOf(sent, from, headers), name).to.not.equal(429)
      }
    const [asset = ''] = /\/assets\/style-\w+\.css/.exec((await ada.get('/account')).html) ?? []
    const free = ['/health', '/ready', rendererPath, `/dashboard${asset}`, '/dashboard/assets/icon.svg']
    for (const path of free) expect(await statusOf({ path }, from), path).to.equal(200)
    expect(await statusOf({ path: '/dashboard/assets/nothing' }, from), 'it has no page').to.equal(404)
  })

  it('leave sign-in open to others behind the same proxy', async () => {
    const from = nextAddress()
    await times(LIMIT + 1, () => statusOf({ path: '/dashboard/sign-up' }, from))
    const body = new URLSearchParams({ email: 'ada@example.com', password: PASSWORD }).toString()
    const signIn = { method: 'POST', path: '/dashboard/sign-in', headers: form, body }
    expect(await statusOf({ path: '/dashboard/sign-in' }, from)).to.equal(200)
    expect(await statusOf(signIn, from)).to.equal(303)
  })
})

describe('a thousand anonymous requests at once', function () {
  this.timeout(60_000)
  const setting = openedForAll(() => Setting.start({ speech: null }))

  it('do not delay other callers, and the log tells the operator once what to do', async () => {
    const me = await setting.client()
    // The first request for a page loads the pages.
    await fetch(`${setting.service.base}/dashboard/sign-up`).then((answer) => answer.text())
    const peers = await openPeers(setting.service.base, 1100)
    const held = await heldWhile(setting, me, async () => {
      for (const peer of peers) peer.read().write(get('/dashboard/sign-up'))
      expect((await me.get('/health')).status).to.equal(200)
      expect((await me.get('/v1/me')).status).to.equal(200)
      await until('all are answered', () => peers.every(({ got }) => got !== ''))
    })
    const statuses = peers.map((peer) => peer.statuses[0])
    for (const peer of peers) peer[Symbol.dispose]()
    expect(statuses.filter((status) => status === 429)).to.have.length.above(400)
    expect(statuses.every((status) => status === 200 || status === 429)).to.equal(true)
    // Before requests took turns it was 6,700 ms. This is processor time, which other programs also use.
    expect(Math.max(0, ...held.map(({ cpuMs }) => cpuMs))).to.be.below(1000)
    const { output } = setting.service
    expect(output.split('CLIENT_ADDRESS_HEADER')).to.have.length(2)
    expect((await fetch(`${setting.service.base}/dashboard/sign-in`)).status).to.equal(200)
  })
})

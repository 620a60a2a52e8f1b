/** Anonymous requests that would bypass the limits, use up those of others, or count as failures of the service. */
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { serveDashboard } from '#services/dashboard/served-dashboard.harness.ts'
import { startIngress } from '#test/doubles/ingress/started-ingress.ts'
import { openedForEach } from '#test/doubles/opened.ts'
import { get, Peer } from '#test/doubles/service/peer.ts'
import { until } from '#test/doubles/service/until.ts'

/** Requests without a key that one address may send in a minute. */
const ALLOWED = 20

describe('an anonymous request that no route accepts', () => {
  const dashboard = openedForEach(() => serveDashboard({ limits: { anonymousPerMinute: ALLOWED } }))

  const errors = () => dashboard.ingress.lines.filter(({ level }) => Number(level) > 40)

  for (const path of ['/docs/%ff', '/docs/%', '/docs/none', '/dashboard/%ff', '/%ff', '/v1/jobs/%ff'])
    it(`counts like any other, and is not logged as our failure: GET ${path}`, async () => {
      const seen: number[] = []
      for (let n = 0; n <= ALLOWED; n++) seen.push((await fetch(dashboard.ingress.base + path)).status)
      expect(
        seen.slice(0, -1).every((status) => status >= 400 && status < 429),
        `${seen}`,
      ).to.equal(true)
      expect(seen.at(-1)).to.equal(429)
      expect(errors()).to.deep.equal([])
    })

  for (const path of ['%ff', 'none', '../sign-up', '%2e%2e/sign-up', '.', 'icon.svg/x'])
    it(`gets no page when it is not counted: GET /dashboard/assets/${path}`, async () => {
      using peer = (await Peer.open(dashboard.ingress.base)).write(get(`/dashboard/assets/${path}`)).read()
      await until('it is answered', () => peer.got.includes('\r\n\r\n'))
      expect(peer.got).to.match(/^HTTP\/1\.1 404 /)
      expect(peer.got).to.not.include('text/html')
      expect(errors()).to.deep.equal([])
    })

  const form = 'application/x-www-form-urlencoded'
  for (const [name, headers] of Object.entries({
    'in an unknown charset': { 'content-type': `${form}; charset=klingon` },
    'in an unknown encoding': { 'content-type': form, 'content-encoding': 'pigeon' },
    'that says it is gzip, and is not': { 'content-type': form, 'content-encoding': 'gzip' },
  }))
    it(`is answered as a client error, and is not logged as our failure: a form ${name}`, async () => {
      const visitor = dashboard.visitor()
      const { status, text } = await visitor.post('/sign-in', {}, { 'sec-fetch-site': 'same-origin', ...headers })
      expect(text).to.include('form cannot be read')
      expect(status).to.equal(400)
      expect(errors()).to.deep.equal([])
    })
})

describe('a form of 100 kB, such as that of `Try it`', () => {
  it('is read only for a caller with a session', async () => {
    await using dashboard = await serveDashboard()
    const ada = await dashboard.signedUp('ada@example.com')
    const path = `/org/${ada.orgId}/try/transcript`
    const form = { url: 'x'.repeat(100_000) }
    expect((await ada.post(path, form)).text).to.not.include('The form is too large')
    expect((await dashboard.visitor().post(path, form)).text).to.include('The form is too large')
  })
})

describe('the rate of anonymous requests', () => {
  /** The number of an address's counter among the 65,536, computed as an attacker could. */
  const slotOf = (group: string): string => createHash('sha256').update(group).digest('hex').slice(0, 4)

  it('cannot be used up from an address that an attacker chose for it', async () => {
    await using ingress = await startIngress({
      clock,
      options: { clientAddressHeader: 'x-real-ip', anonymousPerMinute: ALLOWED },
    })
    const statusFrom = async (address: string): Promise<number> =>
      (await fetch(`${ingress.base}/llms.txt`, { headers: { 'x-real-ip': address } })).status
    const victim = '192.0.2.7'
    let chosen = 0
    const bytes = (): string => chosen.toString(16).padStart(8, '0')
    while (slotOf(`20010db8${bytes()}`) !== slotOf(victim)) chosen++
    const attacker = `2001:db8:${bytes().slice(0, 4)}:${bytes().slice(4)}::1`
    const statuses: number[] = []
    for (let n = 0; n <= ALLOWED; n++) statuses.push(await statusFrom(attacker))
    expect(statuses.at(-1)).to.equal(429)
    expect(await statusFrom(victim)).to.equal(200)
  })
})

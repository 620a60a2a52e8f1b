/** How many lines a caller can add to the log. */
import { expect } from 'chai'
import { createSecret } from '#packages/accounts/keys/secret.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { frameAssets } from '#services/ingress/routes/docs/frame.ts'
import { startIngress } from '#test/doubles/ingress/started-ingress.ts'
import { openedForEach } from '#test/doubles/opened.ts'
import { get, Peer } from '#test/doubles/service/peer.ts'
import { until } from '#test/doubles/service/until.ts'

const LINES = 60
const LINES_OF_ALL = 1000

describe('the lines of a flood', () => {
  const ingress = openedForEach(() =>
    startIngress({ clock, options: { clientAddressHeader: 'x-real-ip', anonymousPerMinute: 2000 } }),
  )

  /** Sends this many requests, three hundred at once. @returns when all are answered */
  async function flood(count: number, requestOf: (n: number) => string): Promise<void> {
    for (let n = 0; n < count; n += 300) {
      using peer = (await Peer.open(ingress.base)).read()
      const some = Math.min(300, count - n)
      peer.write(Array.from({ length: some }, (_, at) => requestOf(n + at)).join(''))
      await until('they are answered', () => peer.statuses.length === some, { everyMs: 5 })
    }
  }
  /** Lines about a request. A slow machine may log others, such as those of the event loop's monitor. */
  const requestLines = () => ingress.lines.filter(({ requestId }) => requestId !== undefined)
  const counted = (): unknown[] => ingress.lines.map(({ requests }) => requests).filter((count) => count !== undefined)

  for (const [name, request] of Object.entries({
    'without a key': get('/v1/me'),
    'with a made-up key': get('/v1/me', `x-api-key: ${createSecret()}`),
    'of paths that do not exist': get('/nowhere'),
    'of a file that everybody gets': get(`/docs/${frameAssets[0]?.name}`),
    'of probes': get('/ready'),
  }))
    it(`are sixty a minute and address, then one with a count: ${name}`, async () => {
      await flood(100, () => request)
      expect(requestLines()).to.have.length(LINES)
      await ingress.close()
      expect(counted()).to.deep.equal([100 - LINES])
    })

  it('are none for /health', async () => {
    await flood(100, () => get('/health'))
    await ingress.close()
    expect(requestLines()).to.deep.equal([])
  })

  it('are a thousand a minute for all addresses together, such as those of one IPv6 /48', async () => {
    await flood(1200, (n) => get('/nowhere', `x-real-ip: 2001:db8:1:${n.toString(16)}::1`))
    expect(requestLines()).to.have.length(LINES_OF_ALL)
    await ingress.close()
    expect(counted()).to.deep.equal([1200 - LINES_OF_ALL])
  })

  it('have few stacks when anonymous requests make us fail', async () => {
    ingress.store.beforeRead = () => Promise.reject(new Error('the store is away'))
    await flood(100, () => get('/v1/me', `x-api-key: ${createSecret()}`))
    expect(requestLines()).to.have.length(LINES)
    expect(ingress.lines.filter(({ err }) => err !== undefined)).to.have.length.below(LINES)
  })

  it('are sixty a minute for a customer whom a rate limit refuses, and no fewer for other customers', async () => {
    const [busy, other] = [await ingress.org(), await ingress.org()]
    await flood(240, () => get('/v1/me', `x-api-key: ${busy.key}`))
    const answered = ingress.lines.filter(({ status }) => status === 200).length
    expect(answered).to.be.at.least(120)
    const refused = ingress.lines.filter(({ status }) => status === 429)
    expect(refused).to.have.length(LINES)
    expect(refused.every(({ level, err }) => level === 30 && err === undefined)).to.equal(true)
    await other.get('/v1/me')
    expect(requestLines().at(-1)).to.include({ status: 200, orgId: other.orgId })
  })
})

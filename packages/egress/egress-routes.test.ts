import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { Duplex } from 'node:stream'
import { createSecureContext, connect as tlsConnect } from 'node:tls'
import { inspect } from 'node:util'
import { expect } from 'chai'
import { keptLog } from '#test/doubles/kept-log.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { startSecuredWorld } from '#test/doubles/world/secured-world.ts'
import { askThrough, childOf, openRoutes, textOf } from './egress.harness.ts'
import type { EgressRoutesOptions } from './egress-routes.ts'
import { writeCaBundle } from './trust.ts'

const PASSWORD = 'p@ss-word'
const SESSION = 'a1b2'

describe('egress routes', () => {
  const files = {
    '/a': Buffer.from('here'),
    '/echo': (request: NodeJS.ReadableStream, response: NodeJS.WritableStream) => void request.pipe(response),
  }
  const world = openedForAll(() => startSecuredWorld({ files, credentials: `user-${SESSION}:${PASSWORD}` }))
  /** The world's proxy, which accepts only session a1b2. */
  let withSession: string
  before(() => {
    withSession = world.proxyUrl.replace('://', `://user-{session}:${encodeURIComponent(PASSWORD)}@`)
  })
  const open = (more: Partial<EgressRoutesOptions> = {}) =>
    openRoutes({ resolve: () => expect.fail('looked up'), ...more })
  /** The answer to a plain request for /a over a connection. */
  const answerOver = (connection: Duplex) => {
    connection.write('GET /a HTTP/1.1\r\nhost: cdn.example.com\r\nconnection: close\r\n\r\n')
    return textOf(connection)
  }
  const HERE = /^HTTP\/1\.1 200 .*\r\n\r\nhere$/s

  it("use the platform's own next hop, else the shared one, else none", async () => {
    const of = async (more: Partial<EgressRoutesOptions>) => {
      await using routes = await open(more)
      return ['tiktok', 'youtube', undefined]
        .map((platform) => routes.of({ platform, session: 'a1' }))
        .map(({ address, via }) => `${via} ${address}`)
    }
    const platformProxies = { tiktok: 'http://u:p@t.example:81', youtube: undefined }
    const direct = 'direct direct'
    expect(await of({})).to.deep.equal([direct, direct, direct])
    expect(await of({ platformProxies })).to.deep.equal(['platform_proxy t.example:81', direct, direct])
    const shared = await of({ platformProxies, proxy: 'http://all.example' })
    expect(shared).to.deep.equal(['platform_proxy t.example:81', 'proxy all.example:80', 'proxy all.example:80'])
  })

  it('show the session once in the address if the next hop has sessions', async () => {
    const platformProxies = {
      youtube: 'http://user-{session}:pw@gw.example:7000',
      x: 'http://user:pw-{session}@gw.example:7000',
      tiktok: 'http://user:pw@{session}.gw.example:7000',
    }
    await using routes = await open({ platformProxies })
    const address = (platform: string, session: string) => routes.of({ platform, session }).address
    expect(routes.of({ platform: 'youtube', session: 'a1' }).nextHop).to.equal('http://user-a1:pw@gw.example:7000/')
    expect(routes.of({ platform: 'facebook', session: 'a1' })).to.not.have.property('nextHop')
    expect(address('youtube', 'a1')).to.equal('gw.example:7000#a1')
    expect(address('x', 'a1')).to.equal('gw.example:7000#a1')
    expect(address('tiktok', 'a1')).to.equal('a1.gw.example:7000')
    expect(address('facebook', 'a1')).to.equal('direct')
    for (const session of ['', 'a b', 'a@evil.example', 'a/../b', '{session}', 'a.b', 'x'.repeat(65)])
      expect(() => address('youtube', session), session).to.throw(/letters and digits/)
  })

  it('have equal credentials for equal requests, and for every session if the next hop has none', async () => {
    await using routes = await open({ proxy: withSession, platformProxies: { x: 'http://gw.example:1' } })
    const proxyUrl = (platform: string, session: string) => routes.of({ platform, session }).proxyUrl
    expect(proxyUrl('youtube', 'a1')).to.equal(proxyUrl('tiktok', 'a1')).and.not.equal(proxyUrl('youtube', 'a2'))
    expect(proxyUrl('x', 'a1')).to.equal(proxyUrl('x', 'a2'))
    expect(proxyUrl('x', 'a1')).to.match(/^http:\/\/[\w.]+:[\w-]{43}@127\.0\.0\.1:\d+$/)
    await using others = await open({ proxy: withSession })
    const [own, other] = [proxyUrl('youtube', 'a1'), others.of({ platform: 'youtube', session: 'a1' }).proxyUrl]
    expect(new URL(own).password).to.not.equal(new URL(other).password)
  })

  it('put the session into the credentials, for our requests and for a child process', async () => {
    await using routes = await open({ proxy: withSession, caFile: world.caFile })
    const known = routes.of({ platform: 'youtube', session: SESSION })
    expect((await askThrough(known, 'http://cdn.example.com/a')).text).to.equal('here')
    expect((await askThrough(known, 'https://cdn.example.com/a')).text).to.equal('here')
    const child = childOf(known.proxyUrl)
    expect((await child.get('http://cdn.example.com/a')).text).to.equal('here')
    expect((await child.get('http://cdn.example.com/echo', { 'content-length': '5' }, 'hello')).text).to.equal('hello')
    const stranger = childOf(routes.of({ platform: 'youtube', session: 'other' }).proxyUrl)
    expect((await stranger.get('http://cdn.example.com/a')).status).to.equal(502)
    expect((await stranger.connect('cdn.example.com:443')).status).to.equal(502)
  })

  it('tunnel TLS end to end: a child needs and trusts the given CA bundle', async () => {
    await using routes = await open({ proxy: withSession })
    const child = childOf(routes.of({ platform: 'youtube', session: SESSION }).proxyUrl)
    const bundle = await readFile(await writeCaBundle(world.caFile, world.directory), 'utf8')
    expect(bundle.split('BEGIN CERTIFICATE').length).to.be.greaterThan(50)
    expect(bundle).to.contain((await readFile(world.caFile, 'utf8')).trim())
    const read = async (more: object) => {
      const { socket } = await child.connect('cdn.example.com:443')
      return answerOver(tlsConnect({ socket, servername: 'cdn.example.com', ...more }))
    }
    expect(await read({ secureContext: createSecureContext({ ca: bundle }) })).to.match(HERE)
    expect(await read({}).catch((error) => error.code)).to.match(/SELF_SIGNED|UNABLE_TO/)
  })

  it('limit the time to connect through an upstream proxy, not the use of the tunnel', async () => {
    await using routes = await open({ proxy: withSession, children: { connectTimeoutMs: 3000 } })
    const { socket } = await childOf(routes.of({ platform: 'youtube', session: SESSION }).proxyUrl).connect(
      'cdn.example.com:80',
    )
    await once(AbortSignal.timeout(3200), 'abort')
    expect(await answerOver(socket)).to.match(HERE)
  })

  it('serve a child after its idle transport was closed to make room, and never close one in use', async () => {
    await using routes = await open({ proxy: withSession, maxTransports: 1 })
    const known = routes.of({ platform: 'youtube', session: SESSION })
    const { socket } = await childOf(known.proxyUrl).connect('cdn.example.com:80')
    for (const session of ['b', 'c', 'd'])
      await askThrough(routes.of({ platform: 'youtube', session }), 'http://cdn.example.com/a').catch(() => undefined)
    expect(await answerOver(socket)).to.match(HERE)
    await askThrough(routes.of({ platform: 'youtube', session: 'b' }), 'http://cdn.example.com/a').catch(
      () => undefined,
    )
    expect((await childOf(known.proxyUrl).get('http://cdn.example.com/a')).text).to.equal('here')
    expect((await askThrough(known, 'http://cdn.example.com/a')).text).to.equal('here')
  })

  it('show no credential in an error, an answer to a child or a log line', async () => {
    const { log, lines } = keptLog()
    await using routes = await open({ proxy: withSession, log })
    const told: string[] = []
    for (const session of [SESSION, 'other']) {
      const route = routes.of({ platform: 'youtube', session })
      const child = childOf(route.proxyUrl)
      for (const url of ['http://cdn.example.org/a?k=v', 'https://cdn.example.org/a?k=v', 'http://127.0.0.1/a?k=v']) {
        told.push(inspect(await askThrough(route, url).catch((error) => error), { depth: 20, showHidden: true }))
        told.push(inspect(await child.get(url.replace('https', 'http'))))
        const { status, words, headers } = await child.connect(`${new URL(url).hostname}:443`)
        told.push(inspect({ status, words, headers }))
      }
      const { username, password } = new URL(route.proxyUrl)
      const upstream = Buffer.from(`user-${session}:${PASSWORD}`).toString('base64')
      const secrets = [PASSWORD, encodeURIComponent(PASSWORD), upstream, password, btoa(`${username}:${password}`)]
      for (const secret of secrets) expect([...told, ...lines].join('\n')).to.not.contain(secret)
    }
    expect(told.filter((text) => text.includes('reason') || text.includes('status')).length).to.equal(18)
    expect(lines.length).to.equal(1)
  })

  it('fail to open with an invalid proxy URL, and show none of it', async () => {
    const failure = await open({ platformProxies: { x: 'socks4://user:secret@gw.example:1' } }).catch((error) => error)
    expect(inspect(failure)).to.contain('the proxy of x must be').and.not.contain('secret')
  })
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { inspect } from 'node:util'
import { expect } from 'chai'
import { keptLog } from '#test/doubles/kept-log.ts'
import { makeCertificate } from '#test/doubles/world/certificate.ts'
import { type SocksProxy, startSocksProxy } from '#test/doubles/world/socks-proxy.ts'
import { startWorld, type World } from '#test/doubles/world/world.ts'
import { ask } from './ask.ts'
import { childOf, reasonOf } from './egress.harness.ts'
import { createEgressRoutes, type EgressRoute, type EgressRoutesOptions } from './egress-routes.ts'

const PASSWORD = 'p@ss'
const PUBLIC = '93.184.216.34'

describe('a SOCKS5 exit', () => {
  let directory: string
  let caFile: string
  let world: World
  let socks: SocksProxy
  before(async () => {
    directory = await mkdtemp(`${tmpdir()}/socks-`)
    const certificate = await makeCertificate(directory)
    caFile = certificate.file
    world = await startWorld({ files: { '/a': Buffer.from('here') }, certificate, hosts: [PUBLIC] })
  })
  beforeEach(async () => {
    socks = await startSocksProxy(world.proxyUrl, PASSWORD)
  })
  afterEach(() => socks[Symbol.asyncDispose]())
  after(async () => {
    await world.close()
    await rm(directory, { recursive: true, force: true })
  })

  const proxyOf = (scheme: string, password = PASSWORD) =>
    `${scheme}://user-{country}-{session}:${encodeURIComponent(password)}@${socks.at}`
  const open = (proxy: string, more: Partial<EgressRoutesOptions> = {}) =>
    createEgressRoutes({ proxy, platformProxies: {}, country: 'nl', caFile, log: keptLog().log, ...more })
  const asking = (route: EgressRoute, url: string) =>
    ask(route.egress, url, { signal: new AbortController().signal, maxBytes: 1_000, deadlineMs: 5_000 })

  it('gets names if it looks them up itself, for our requests and for a child process', async () => {
    await using routes = await open(proxyOf('socks5h'), { resolve: () => expect.fail('looked up') })
    const route = routes.of({ platform: 'youtube', session: 'a1' })
    expect(route).to.include({ address: `${socks.at}#nl.a1`, hasSession: true })
    for (const scheme of ['http', 'https'])
      expect((await asking(route, `${scheme}://cdn.example.com/a`)).text).to.equal('here')
    const child = childOf(route.proxyUrl)
    expect((await child.get('http://cdn.example.com/a')).text).to.equal('here')
    const { status, socket } = await child.connect('cdn.example.com:443')
    socket.destroy()
    expect(status).to.equal(200)
    const [plain, secure] = [80, 443].map((port) => `user-nl-a1 cdn.example.com:${port}`)
    // the child's first request uses the connection that was kept open
    expect(socks.asked).to.deep.equal([plain, secure, secure])
  })

  it('gets only public addresses if names are looked up here', async () => {
    const resolve = async (host: string) => (host === 'inside.example.com' ? [PUBLIC, '10.0.0.1'] : [PUBLIC])
    await using routes = await open(proxyOf('socks5'), { resolve })
    const route = routes.of({ platform: 'youtube', session: 'a1' })
    expect((await asking(route, 'http://cdn.example.com/a')).text).to.equal('here')
    expect(await reasonOf(asking(route, 'http://inside.example.com/a'))).to.equal('refused_address')
    expect((await childOf(route.proxyUrl).connect('inside.example.com:443')).status).to.equal(403)
    expect(socks.asked).to.deep.equal([`user-nl-a1 ${PUBLIC}:80`])
  })

  it('never gets an address or internal name in a request, whoever looks names up', async () => {
    for (const scheme of ['socks5', 'socks5h']) {
      await using routes = await open(proxyOf(scheme), { resolve: () => expect.fail('looked up') })
      const route = routes.of({ platform: 'youtube', session: 'a1' })
      for (const host of ['127.0.0.1', '169.254.169.254', 'db.internal', 'localhost']) {
        expect(await reasonOf(asking(route, `http://${host}/a`))).to.equal('refused_address')
        expect((await childOf(route.proxyUrl).connect(`${host}:443`)).status).to.equal(403)
      }
    }
    expect(socks.asked).to.deep.equal([])
  })

  it('is reported if it refuses us or does not reach the host; no error shows its password', async () => {
    await using routes = await open(proxyOf('socks5h', 'wrong'))
    const route = routes.of({ platform: 'youtube', session: 'a1' })
    const failure = await asking(route, 'http://cdn.example.com/a').catch((error: unknown) => error)
    expect(inspect(failure, { depth: 20, showHidden: true }))
      .to.contain('unreachable')
      .and.not.contain('wrong')
    await using right = await open(proxyOf('socks5h'))
    const elsewhere = right.of({ platform: 'youtube', session: 'a1' })
    expect(await reasonOf(asking(elsewhere, 'http://cdn.example.org/a'))).to.equal('no_connection')
  })
})

import { inspect } from 'node:util'
import { expect } from 'chai'
import { openedForAll, openedForEach } from '#test/doubles/opened.ts'
import { startSecuredWorld } from '#test/doubles/world/secured-world.ts'
import { startSocksProxy } from '#test/doubles/world/socks-proxy.ts'
import { askThrough, childOf, openRoutes, reasonOf } from './egress.harness.ts'
import type { EgressRoutesOptions } from './egress-routes.ts'
import { PUBLIC } from './hostile.fixture.ts'

const PASSWORD = 'p@ss'

describe('a SOCKS5 exit', () => {
  const world = openedForAll(() => startSecuredWorld({ files: { '/a': Buffer.from('here') }, hosts: [PUBLIC] }))
  const socks = openedForEach(() => startSocksProxy(world.proxyUrl, PASSWORD))

  const proxyOf = (scheme: string, password = PASSWORD) =>
    `${scheme}://user-{country}-{session}:${encodeURIComponent(password)}@${socks.at}`
  const open = (proxy: string, more: Partial<EgressRoutesOptions> = {}) =>
    openRoutes({ proxy, country: 'nl', caFile: world.caFile, ...more })

  it('gets names if it looks them up itself, for our requests and for a child process', async () => {
    await using routes = await open(proxyOf('socks5h'), { resolve: () => expect.fail('looked up') })
    const route = routes.of({ platform: 'youtube', session: 'a1' })
    expect(route).to.include({ address: `${socks.at}#nl.a1`, hasSession: true })
    for (const scheme of ['http', 'https'])
      expect((await askThrough(route, `${scheme}://cdn.example.com/a`)).text).to.equal('here')
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
    expect((await askThrough(route, 'http://cdn.example.com/a')).text).to.equal('here')
    expect(await reasonOf(askThrough(route, 'http://inside.example.com/a'))).to.equal('refused_address')
    expect((await childOf(route.proxyUrl).connect('inside.example.com:443')).status).to.equal(403)
    expect(socks.asked).to.deep.equal([`user-nl-a1 ${PUBLIC}:80`])
  })

  it('never gets an address or internal name in a request, whoever looks names up', async () => {
    for (const scheme of ['socks5', 'socks5h']) {
      await using routes = await open(proxyOf(scheme), { resolve: () => expect.fail('looked up') })
      const route = routes.of({ platform: 'youtube', session: 'a1' })
      for (const host of ['127.0.0.1', '169.254.169.254', 'db.internal', 'localhost']) {
        expect(await reasonOf(askThrough(route, `http://${host}/a`))).to.equal('refused_address')
        expect((await childOf(route.proxyUrl).connect(`${host}:443`)).status).to.equal(403)
      }
    }
    expect(socks.asked).to.deep.equal([])
  })

  it('is reported if it refuses us or does not reach the host; no error shows its password', async () => {
    await using routes = await open(proxyOf('socks5h', 'wrong'))
    const route = routes.of({ platform: 'youtube', session: 'a1' })
    const failure = await askThrough(route, 'http://cdn.example.com/a').catch((error: unknown) => error)
    expect(inspect(failure, { depth: 20, showHidden: true }))
      .to.contain('unreachable')
      .and.not.contain('wrong')
    await using right = await open(proxyOf('socks5h'))
    const elsewhere = right.of({ platform: 'youtube', session: 'a1' })
    expect(await reasonOf(askThrough(elsewhere, 'http://cdn.example.org/a'))).to.equal('no_connection')
  })
})

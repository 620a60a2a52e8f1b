/** Neither we nor a child process may reach these targets. */
import { expect } from 'chai'
import { openedForAll, openedForEach } from '#test/doubles/opened.ts'
import { startWorld } from '#test/doubles/world/world.ts'
import type { Dial, Resolve } from './connect.ts'
import { askThrough, childOf, openRoutes, reasonOf, startOutside } from './egress.harness.ts'
import type { EgressRoute, EgressRoutes, EgressRoutesOptions } from './egress-routes.ts'
import { hostileNames, inwardAnswers, PUBLIC } from './hostile.fixture.ts'

/** Ports of a public name that must not be reached. */
const hostilePorts = [22, 25, 3306, 6379, 8080, 8443, 0]

const ours = (route: EgressRoute, url: string) => reasonOf(askThrough(route, url))

/** Requests a target in every way, and returns each outcome. */
async function everyWay(route: EgressRoute, host: string) {
  const child = childOf(route.proxyUrl)
  const tunnel = async (port: number) => (await child.connect(`${host}:${port}`)).status
  return {
    ours: [await ours(route, `http://${host}/`), await ours(route, `https://${host}/`)],
    child: [(await child.get(`http://${host}/`)).status, await tunnel(80), await tunnel(443)],
  }
}

const refused = { ours: ['refused_address', 'refused_address'], child: [403, 403, 403] }

describe('hostile targets', () => {
  const outside = openedForEach(() =>
    startOutside((request, response) =>
      request.url === '/inward'
        ? void response.writeHead(302, { location: 'http://127.0.0.1/latest' }).end()
        : void response.end('outside'),
    ),
  )
  let lookedUp: string[]
  beforeEach(() => {
    lookedUp = []
  })
  const resolve: Resolve = async (host) => {
    lookedUp.push(host)
    return inwardAnswers[host] ?? [PUBLIC]
  }
  const open = (more: Partial<EgressRoutesOptions> = {}) => openRoutes({ resolve, dial: outside.dial, ...more })
  const routeOf = (routes: EgressRoutes) => routes.of({ platform: 'youtube', session: 'a1' })

  describe('without an upstream proxy', () => {
    const routes = openedForEach(open)

    it('every kind of request reaches a host that is not hostile', async () => {
      const route = routeOf(routes)
      expect((await childOf(route.proxyUrl).get('http://cdn.example.com/')).text).to.equal('outside')
      expect(await ours(route, 'http://cdn.example.com/')).to.equal('nothing thrown')
      const { status, socket } = await childOf(route.proxyUrl).connect('cdn.example.com:443')
      expect(status).to.equal(200)
      socket.destroy()
      expect(outside.dialled).to.deep.equal([PUBLIC, PUBLIC])
    })

    for (const host of hostileNames) {
      it(`${host} is refused before anything is looked up`, async () => {
        expect(await everyWay(routeOf(routes), host)).to.deep.equal(refused)
        expect([lookedUp, outside.dialled]).to.deep.equal([[], []])
      })
    }

    for (const port of hostilePorts) {
      it(`port ${port} is refused before anything is looked up`, async () => {
        const route = routeOf(routes)
        const child = childOf(route.proxyUrl)
        expect(await ours(route, `https://cdn.example.com:${port}/`)).to.equal('refused_address')
        expect((await child.get(`http://cdn.example.com:${port}/`)).status).to.equal(403)
        expect((await child.connect(`cdn.example.com:${port}`)).status).to.equal(403)
        expect([lookedUp, outside.dialled]).to.deep.equal([[], []])
      })
    }

    for (const [host, answers] of Object.entries(inwardAnswers)) {
      it(`${host}, which is ${answers.join(' and ')}, is not dialled`, async () => {
        expect(await everyWay(routeOf(routes), host)).to.deep.equal(refused)
        expect(lookedUp).to.deep.equal(Array(5).fill(host))
        expect(outside.dialled).to.deep.equal([])
      })
    }

    it('a malformed target is refused: credentials, other schemes, no target at all', async () => {
      const child = childOf(routeOf(routes).proxyUrl)
      for (const url of ['http://user:pw@cdn.example.com/', 'http://user@127.0.0.1/'])
        expect((await child.get(url)).status, url).to.equal(403)
      for (const url of ['https://cdn.example.com/', 'ftp://cdn.example.com/', 'file:///etc/passwd', '/', 'http://[/'])
        expect((await child.get(url)).status, url).to.equal(400)
      for (const authority of ['cdn.example.com', 'u@cdn.example.com:443', 'cdn.example.com:443/x', '::1:443', ':443'])
        expect((await child.connect(authority)).status, authority).to.equal(400)
      expect(await ours(routeOf(routes), 'file:///etc/passwd')).to.equal('refused_address')
      expect([lookedUp, outside.dialled]).to.deep.equal([[], []])
    })

    it('a redirect to an internal address is refused: for us at once, for a child when it follows it', async () => {
      const route = routeOf(routes)
      expect(await ours(route, 'http://cdn.example.com/inward')).to.equal('refused_address')
      const child = childOf(route.proxyUrl)
      const { status, headers } = await child.get('http://cdn.example.com/inward')
      expect(status).to.equal(302)
      expect((await child.get(String(headers.location))).status).to.equal(403)
      expect(new Set(outside.dialled)).to.deep.equal(new Set([PUBLIC]))
    })
  })

  it('a name is looked up once for each connection, even if its addresses change afterwards', async () => {
    let answers: string[][] = []
    await using routes = await open({
      resolve: async () => answers.shift() ?? ['127.0.0.1'],
    })
    const child = childOf(routeOf(routes).proxyUrl)
    answers = [[PUBLIC], ['127.0.0.1']]
    const { status, socket } = await child.connect('rebinding.example.com:443')
    expect([status, outside.dialled, answers.length]).to.deep.equal([200, [PUBLIC], 1])
    socket.destroy()
    expect((await child.connect('rebinding.example.com:443')).status).to.equal(403)
    answers = [[PUBLIC], ['127.0.0.1']]
    expect((await child.get('http://rebinding.example.com/')).text).to.equal('outside')
    answers = [[PUBLIC], ['127.0.0.1']]
    expect(await ours(routeOf(routes), 'https://rebinding.example.com/')).to.be.oneOf(['tls', 'unreachable'])
    expect(new Set(outside.dialled)).to.deep.equal(new Set([PUBLIC]))
  })

  it('nothing is sent over a connection to another address', async () => {
    const dial: Dial = async (address, port, signal) =>
      Object.defineProperty(await outside.dial(address, port, signal), 'remoteAddress', { value: '127.0.0.1' })
    await using routes = await open({ dial })
    expect(await everyWay(routeOf(routes), 'cdn.example.com')).to.deep.equal(refused)
    expect(outside.asked).to.deep.equal([])
  })

  describe('through an upstream proxy', () => {
    const world = openedForAll(() => startWorld({ files: { '/': Buffer.from('here') } }))
    const noLookup = () => expect.fail('a name was looked up here')
    const routes = openedForEach(() => open({ proxy: world.proxyUrl, resolve: noLookup }))
    beforeEach(() => void world.requests.splice(0))

    it('every kind of request reaches a host that is not hostile', async () => {
      const child = childOf(routeOf(routes).proxyUrl)
      expect((await child.get('http://cdn.example.com/')).text).to.equal('here')
      expect(await ours(routeOf(routes), 'http://cdn.example.com/')).to.equal('nothing thrown')
      const { status, socket } = await child.connect('cdn.example.com:80')
      socket.destroy()
      expect([status, world.requests.length]).to.deep.equal([200, 2])
    })

    for (const host of hostileNames) {
      it(`${host} is refused before any request to the upstream proxy`, async () => {
        expect(await everyWay(routeOf(routes), host)).to.deep.equal(refused)
        expect([world.requests, world.refused, outside.dialled]).to.deep.equal([[], [], []])
      })
    }

    it('other ports are refused before any request to the upstream proxy', async () => {
      const child = childOf(routeOf(routes).proxyUrl)
      for (const port of hostilePorts) {
        expect((await child.connect(`cdn.example.com:${port}`)).status, `${port}`).to.equal(403)
        expect((await child.get(`http://cdn.example.com:${port}/`)).status, `${port}`).to.equal(403)
      }
      expect([world.requests, world.refused]).to.deep.equal([[], []])
    })
  })
})

/** Neither we nor a child process may reach these targets. */
import { expect } from 'chai'
import { keptLog } from '#test/doubles/kept-log.ts'
import { startWorld, type World } from '#test/doubles/world/world.ts'
import { ask } from './ask.ts'
import type { Dial, Resolve } from './connect.ts'
import { childOf, type Outside, reasonOf, startOutside } from './egress.harness.ts'
import { createEgressRoutes, type EgressRoute, type EgressRoutes, type EgressRoutesOptions } from './egress-routes.ts'

const PUBLIC = '93.184.216.34'

/** Refused by their spelling, without a lookup or a request to an upstream proxy. */
const hostileNames = [
  // IPv4 in every spelling
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '127%2e0.0.1',
  '127.0.0.1.',
  '0',
  '0.0.0.0',
  '10.0.0.1',
  '192.168.0.1',
  '100.64.0.1',
  '93.184.216.34',
  // IPv6: loopback, mapped, compatible, NAT64, 6to4, Teredo, link-local, unique local
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[4000::1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[fe80::1]',
  '[fd00::1]',
  '[2606:2800:220:1::1]',
  // cloud metadata
  '169.254.169.254',
  '2852039166',
  '[fd00:ec2::254]',
  '168.63.129.16',
  'metadata.google.internal',
  'metadata.google.internal.',
  // internal names
  'localhost',
  'LOCALHOST.',
  'a.localhost',
  'printer',
  'nas.local',
  'router.lan',
  'api.default.svc',
  'db.internal',
  'home.arpa',
  'db.test',
  'abc.onion',
]

/** Ports of a public name that must not be reached. */
const hostilePorts = [22, 25, 3306, 6379, 8080, 8443, 0]

/** Public names with internal addresses. */
const inwardAnswers: Record<string, string[]> = {
  'loopback.example.com': ['127.0.0.1'],
  'private.example.com': ['10.1.2.3'],
  'mixed.example.com': [PUBLIC, '192.168.0.1'],
  'metadata.example.com': ['169.254.169.254'],
  'azure.example.com': ['168.63.129.16'],
  'nat.example.com': ['100.64.0.1'],
  'none.example.com': ['0.0.0.0'],
  'six.example.com': ['::1'],
  'mapped.example.com': ['::ffff:10.0.0.1'],
  'nat64.example.com': ['64:ff9b::a00:1'],
  'sixtofour.example.com': ['2002:a00:1::'],
  'teredo.example.com': ['2001:0:a00:1::'],
  'unique.example.com': ['fd00:ec2::254'],
  'link.example.com': ['fe80::1'],
  'compatible.example.com': ['::7f00:1'],
  'isatap.example.com': ['2001:4860::5efe:a00:1'],
  'unassigned.example.com': ['4000::1'],
  'multicast.example.com': ['224.0.0.1'],
}

const ours = (route: EgressRoute, url: string) => {
  const { signal } = new AbortController()
  return reasonOf(ask(route.egress, url, { signal, maxBytes: 1_000, deadlineMs: 5_000 }))
}

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
  let outside: Outside
  let lookedUp: string[]
  let resolve: Resolve
  beforeEach(async () => {
    lookedUp = []
    resolve = async (host) => {
      lookedUp.push(host)
      return inwardAnswers[host] ?? [PUBLIC]
    }
    outside = await startOutside((request, response) =>
      request.url === '/inward'
        ? void response.writeHead(302, { location: 'http://127.0.0.1/latest' }).end()
        : void response.end('outside'),
    )
  })
  afterEach(() => outside[Symbol.asyncDispose]())

  const open = (more: Partial<EgressRoutesOptions> = {}): Promise<EgressRoutes> =>
    createEgressRoutes({
      proxy: undefined,
      platformProxies: {},
      log: keptLog().log,
      resolve,
      dial: outside.dial,
      ...more,
    })
  const routeOf = (routes: EgressRoutes) => routes.of({ platform: 'youtube', session: 'a1' })

  describe('without an upstream proxy', () => {
    let routes: EgressRoutes
    beforeEach(async () => {
      routes = await open()
    })
    afterEach(() => routes[Symbol.asyncDispose]())

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
    let world: World
    let routes: EgressRoutes
    before(async () => {
      world = await startWorld({ files: { '/': Buffer.from('here') } })
    })
    after(() => world.close())
    beforeEach(async () => {
      resolve = () => expect.fail('a name was looked up here')
      routes = await open({ proxy: world.proxyUrl, resolve })
      world.requests.splice(0)
    })
    afterEach(() => routes[Symbol.asyncDispose]())

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

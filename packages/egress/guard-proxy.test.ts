import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { expect } from 'chai'
import { keptLog } from '#test/doubles/kept-log.ts'
import { onLoopback } from '#test/doubles/loopback-server.ts'
import { openedForAll, openedForEach } from '#test/doubles/opened.ts'
import { until } from '#test/doubles/service/until.ts'
import type { Dial } from './connect.ts'
import { childOf, dialTo, hangingDial, openRoutes, startOutside, textOf } from './egress.harness.ts'
import type { EgressRoutes, EgressRoutesOptions } from './egress-routes.ts'
import { PUBLIC } from './hostile.fixture.ts'

describe('the proxy for child processes', () => {
  const { log, lines } = keptLog()
  let echo: Server
  let echoing: Set<Socket>
  beforeEach(() => {
    lines.splice(0)
    echoing = new Set()
  })
  const far = openedForEach(() => {
    echo = createServer((socket) => {
      echoing.add(socket)
      socket.on('close', () => echoing.delete(socket)).on('error', () => socket.destroy())
      socket.pipe(socket)
    })
    return onLoopback(echo)
  })
  const dial: Dial = (...to) => dialTo(far.port)(...to)
  const open = (more: Partial<EgressRoutesOptions> = {}) =>
    openRoutes({ log, resolve: async () => [PUBLIC], dial, ...more })
  const untilEchoing = (count: number) => until(`${count} are connected`, () => echoing.size === count)
  const proxyUrlOf = (routes: EgressRoutes, platform = 'youtube') => routes.of({ platform, session: 'a1' }).proxyUrl

  it('refuses requests without its own credentials, and connects nowhere for them', async () => {
    await using routes = await open({ dial: () => expect.fail('dialled') })
    const own = new URL(proxyUrlOf(routes))
    const { username: name, password } = own
    for (const [user, secret] of [
      ['', ''],
      [name, ''],
      [name, 'wrong'],
      [name, `${password.slice(0, -2)}AA`],
      [name, `${password}A`],
      ['other', password],
      [`${name}.b2`, password],
    ] as const) {
      const stranger = new URL(own)
      stranger.username = user
      stranger.password = secret
      const child = childOf(stranger.href)
      const tunnel = await child.connect('cdn.example.com:443')
      expect([tunnel.status, tunnel.headers['proxy-authenticate']], user).to.deep.equal([407, 'Basic realm="egress"'])
      const { status, headers } = await child.get('http://cdn.example.com/')
      expect([status, headers['proxy-authenticate']], user).to.deep.equal([407, 'Basic realm="egress"'])
    }
    for (const header of ['Basic', 'Bearer x', 'Basic !!!', `Basic ${btoa(name)}`]) {
      const child = childOf(`http://${own.host}`)
      expect((await child.get('http://cdn.example.com/', { 'proxy-authorization': header })).status).to.equal(407)
    }
  })

  it('listens on loopback only', async () => {
    await using routes = await open()
    const { hostname, port } = new URL(proxyUrlOf(routes))
    expect(hostname).to.equal('127.0.0.1')
    // another loopback address: a server that listens on all addresses would answer there
    const failure = await once(connect(Number(port), '127.0.0.2'), 'connect').catch((error) => error.code)
    expect(failure).to.equal('ECONNREFUSED')
  })

  it('carries bytes both ways, and the end of each side', async () => {
    await using routes = await open()
    const { socket } = await childOf(proxyUrlOf(routes)).connect('cdn.example.com:443')
    const sent = 'some bytes '.repeat(300_000)
    socket.end(sent)
    expect((await textOf(socket)) === sent).to.equal(true)
    await untilEchoing(0)
  })

  it('closes the far side when the child dies', async () => {
    await using routes = await open()
    const { socket } = await childOf(proxyUrlOf(routes)).connect('cdn.example.com:443')
    await untilEchoing(1)
    socket.resetAndDestroy()
    await untilEchoing(0)
  })

  it('fails when connecting takes too long', async () => {
    await using routes = await open({ dial: hangingDial, children: { connectTimeoutMs: 100 } })
    expect((await childOf(proxyUrlOf(routes)).connect('cdn.example.com:443')).status).to.equal(504)
  })

  it('leaves no connection behind if the child left before it was made', async () => {
    const [begun, connected] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await using routes = await open({
      async dial(...to) {
        begun.resolve()
        await connected.promise
        return dial(...to)
      },
    })
    const { hostname, port, username, password } = new URL(proxyUrlOf(routes))
    const socket = connect(Number(port), hostname)
    const credentials = `Basic ${btoa(`${username}:${password}`)}`
    socket.write(`CONNECT cdn.example.com:443 HTTP/1.1\r\nproxy-authorization: ${credentials}\r\n\r\n`)
    await begun.promise
    socket.destroy()
    const reached = once(echo, 'connection')
    connected.resolve()
    await reached
    await untilEchoing(0)
  })

  it('answers 502 for a host that cannot be reached', async () => {
    await using routes = await open({ dial: () => Promise.reject(new Error('ECONNREFUSED')) })
    const child = childOf(proxyUrlOf(routes))
    expect((await child.connect('cdn.example.com:443')).status).to.equal(502)
    expect((await child.get('http://cdn.example.com/')).status).to.equal(502)
    expect(lines).to.deep.equal([])
  })

  it('closes an idle tunnel', async () => {
    await using routes = await open({ children: { idleMs: 100 } })
    const { socket } = await childOf(proxyUrlOf(routes)).connect('cdn.example.com:443')
    await once(socket.resume(), 'close')
    await untilEchoing(0)
  })

  it('limits connections per route and in total, and accepts new ones when those end', async () => {
    const platformProxies = { tiktok: 'http://127.0.0.1:9', x: 'http://127.0.0.1:9' }
    await using routes = await open({ platformProxies, children: { maxConnectionsPerRoute: 2, maxConnections: 2 } })
    const child = childOf(proxyUrlOf(routes))
    const first = await child.connect('cdn.example.com:443')
    const other = childOf(proxyUrlOf(routes, 'tiktok'))
    expect((await other.connect('cdn.example.com:443')).status, 'room for another route').to.equal(502)
    const second = await child.connect('cdn.example.com:443')
    expect([first.status, second.status]).to.deep.equal([200, 200])
    expect((await child.connect('cdn.example.com:443')).status, 'its own are taken').to.equal(503)
    expect((await child.get('http://cdn.example.com/')).status, 'its own are taken').to.equal(503)
    expect((await other.connect('cdn.example.com:443')).status, 'all are taken').to.equal(503)
    first.socket.destroy()
    await untilEchoing(1)
    const third = await child.connect('cdn.example.com:443')
    expect(third.status).to.equal(200)
  })

  it('logs a refused host once, without path and query', async () => {
    await using routes = await open({ dial: () => expect.fail('dialled') })
    const child = childOf(proxyUrlOf(routes))
    for (const path of ['/a?token=secret', '/b']) await child.get(`http://127.0.0.1${path}`)
    const { words } = await child.connect('127.0.0.1:443')
    expect(words).to.equal('Refused by the egress guard')
    await child.connect('cdn.example.com:22')
    const told = lines.map((line) => JSON.parse(line))
    expect(told.map(({ host, exit, level }) => [host, exit, level])).to.deep.equal([
      ['127.0.0.1', 'direct', 30],
      ['cdn.example.com', 'direct', 30],
    ])
    expect(lines.join()).to.not.match(/secret|token|\/a/)
  })

  it('closes its connections and stops listening when disposed of', async () => {
    const routes = await open()
    const proxyUrl = proxyUrlOf(routes)
    const { socket } = await childOf(proxyUrl).connect('cdn.example.com:443')
    const closed = once(socket.resume(), 'close')
    await routes[Symbol.asyncDispose]()
    await closed
    await untilEchoing(0)
    const again = await childOf(proxyUrl)
      .connect('cdn.example.com:443')
      .catch((error: NodeJS.ErrnoException) => error.code)
    expect(again).to.equal('ECONNREFUSED')
  })

  describe('in absolute form', () => {
    let seen: NodeJS.Dict<string | string[]>
    const outside = openedForAll(() =>
      startOutside((request, response) => {
        seen = request.headers
        const headers = { 'set-cookie': ['a=1', 'b=2'], 'x-hop': '1', connection: 'x-hop', 'keep-alive': 'timeout=1' }
        if (request.url === '/break')
          response.writeHead(200, { 'content-length': 10 }).write('cut', () => response.destroy())
        else response.writeHead(302, { ...headers, location: '/there' }).end('moved')
      }),
    )

    it('forwards end-to-end headers, and follows no redirect', async () => {
      await using routes = await open({ dial: outside.dial })
      const sent = { host: 'inside.example.com', te: 'trailers', 'x-own': '1', connection: 'x-own', cookie: 'c=1' }
      const { status, headers, text } = await childOf(proxyUrlOf(routes)).get('http://cdn.example.com/a?b=%2F', sent)
      expect([status, text, outside.asked.at(-1)]).to.deep.equal([302, 'moved', 'cdn.example.com/a?b=%2F'])
      expect(headers).to.include({ location: '/there' }).and.to.not.have.any.keys('x-hop')
      expect(headers['set-cookie']).to.deep.equal(['a=1', 'b=2'])
      expect(seen).to.include({ host: 'cdn.example.com', cookie: 'c=1' })
      expect(seen).to.not.have.any.keys('x-own', 'te', 'proxy-authorization')
    })

    it('breaks off an answer that breaks off', async () => {
      await using routes = await open({ dial: outside.dial })
      const failure = await childOf(proxyUrlOf(routes))
        .get('http://cdn.example.com/break')
        .catch((error: NodeJS.ErrnoException) => error.code)
      expect(failure).to.equal('ECONNRESET')
    })
  })
})

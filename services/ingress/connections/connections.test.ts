import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import { pino } from 'pino'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds } from '#packages/adapters/system/ids.ts'
import { endJob } from '#test/doubles/ingress/ended-job.ts'
import { type StartedIngress, startIngress } from '#test/doubles/ingress/started-ingress.ts'
import { get, openPeers, Peer } from '#test/doubles/service/peer.ts'
import { until } from '#test/doubles/service/until.ts'
import { ErrorObjects } from '../answers/error-objects.ts'
import { ingressDefaults, type ServerOptions } from '../options.ts'
import { rendererPath } from '../routes/docs/reference.ts'
import { listen } from './listen.ts'
import { RequestScheduler } from './request-scheduler.ts'

const largest = get(rendererPath)

describe('connections', () => {
  let ingress: StartedIngress
  afterEach(() => ingress[Symbol.asyncDispose]())

  const start = async (server: Partial<ServerOptions>): Promise<void> => {
    ingress = await startIngress({ clock, server })
  }
  const answered = (route: string): number => ingress.lines.filter((line) => line.route === route).length
  /** A peer that reads nothing, with answers larger than the system's buffers. */
  const unreading = async (bytes = largest.repeat(8)): Promise<Peer> => {
    const before = answered('/docs/{file}')
    const peer = (await Peer.open(ingress.base)).write(bytes)
    await until('an answer is begun', () => answered('/docs/{file}') > before)
    return peer
  }

  /** Uses a connection again: a reused one counts as in use for some seconds. */
  const askAgain = async (peer: Peer): Promise<void> => {
    const asked = peer.statuses.length + 1
    peer.write(get('/health'))
    await until('it is answered', () => peer.closed || peer.statuses.length === asked)
  }

  it('are accepted several in a turn of the event loop, so that a new one does not wait for all before it', async function () {
    if (process.platform !== 'linux') this.skip()
    await start({})
    const { uvMetricsInfo: before } = performance.nodeTiming
    const peers = await openPeers(ingress.base, 200)
    for (const peer of peers) peer.read().write(get('/health'))
    while (peers.some(({ statuses }) => statuses.length === 0)) await nextTurn()
    const turns = performance.nodeTiming.uvMetricsInfo.loopCount - before.loopCount
    for (const peer of peers) peer[Symbol.dispose]()
    expect(turns).to.be.below(120)
  })

  it('are never shared by two services at one port', async () => {
    await start({})
    const sources = { requestScheduler: new RequestScheduler(), ids: systemIds, errors: new ErrorObjects() }
    const at = { host: '127.0.0.1', port: ingress.port }
    const second = listen({ listener: () => {}, log: pino({ enabled: false }), ...sources }, at, ingressDefaults.server)
    const error = await second.catch((why: NodeJS.ErrnoException) => why)
    expect(error).to.include({ code: 'EADDRINUSE', port: ingress.port })
  })

  it('serve the next request when the last answer has been sent', async () => {
    await start({})
    using peer = await unreading()
    for (let n = 0; n < 5; n++) await ingress.call('GET', '/health')
    const begun = answered('/docs/{file}')
    expect(begun).to.be.below(8)
    peer.read()
    await until('all are answered', () => peer.statuses.length === 8)
    expect(answered('/docs/{file}')).to.equal(8)
  })

  it('are not read while too many requests wait on them, and are read again afterwards', async () => {
    await start({ readAheadRequests: 4, maxPipelined: 10_000 })
    using peer = await unreading()
    // More than the system holds for a reader that pauses.
    const flood = get('/health', `X-Filler: ${'x'.repeat(8000)}`)
    for (let n = 0; n < 2000; n++) peer.write(flood)
    await until('the sender has to wait', () => peer.socket.writableLength > 0)
    for (let n = 0; n < 5; n++) await ingress.call('GET', '/health')
    expect(peer.socket.writableLength, 'still').to.be.above(0)
    peer.read()
    await until('all are answered', () => peer.statuses.length === 2008)
  })

  it('never put the answer to CONNECT into the answer to an earlier request', async () => {
    await start({})
    const connect = 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n'
    using alone = (await Peer.open(ingress.base)).write(connect)
    await alone.ended()
    expect(alone.statuses).to.deep.equal([405])
    for (const before of [largest, get('/health')]) {
      using peer = (await Peer.open(ingress.base)).write(before + connect)
      await peer.ended()
      expect(peer.got).to.not.include('405')
    }
  })

  it('end when too many requests wait, on one connection or on all', async () => {
    await start({ maxPipelined: 20, maxPipelinedOfAll: 50 })
    using greedy = (await unreading()).write(get('/health').repeat(30))
    await greedy.ended()
    const some = await Promise.all([1, 2, 3, 4].map(() => unreading(largest.repeat(8) + get('/health').repeat(8))))
    for (const peer of some) peer.read()
    await until('one of them is ended', () => some.filter(({ closed }) => closed).length === 1)
    expect((await ingress.call('GET', '/health')).status).to.equal(200)
    for (const peer of some) peer[Symbol.dispose]()
  })

  it('end when a peer takes nothing of an answer, but not while it takes a little', async () => {
    // Long enough that a machine that stalls for some seconds does not make the slow peer look silent.
    await start({ answerStallMs: 4000 })
    using silent = await unreading()
    using slow = await unreading()
    const takeSome = async (ms: number): Promise<void> => {
      // Takes more than one piece each time: the system reports room to the sender only in large steps.
      for (const end = clock.now() + ms; clock.now() < end; await clock.sleep(50)) slow.socket.read(256 * 1024)
    }
    slow.socket.pause()
    await until('the silent one is ended', async () => {
      await takeSome(100)
      return silent.write('\r\n').closed
    })
    // The slow peer has taken something for longer than the silent peer was allowed to wait.
    await takeSome(500)
    expect(slow.closed).to.equal(false)
  })

  it('end when an answer is taken too slowly, but not while the peer waits for one', async () => {
    await start({ answerTimeoutMs: 1000 })
    const acme = await ingress.org()
    const { jobId } = (await acme.post('/v1/transcript', { url: 'https://cdn.example.com/a.mp4', mode: 'native' })).body
    const waiting = acme.get(`/v1/transcript/${jobId}`, { headers: { prefer: 'wait=3' } })
    const from = clock.now()
    using slow = await unreading()
    const timer = setInterval(() => slow.socket.read(100), 20)
    await until('the slow one is ended', () => {
      slow.write('\r\n')
      return slow.closed
    })
    clearInterval(timer)
    expect(clock.now() - from).to.be.above(900)
    expect((await waiting).body.status).to.equal('queued')
  })

  it('end when the body of an answered request does not end', async () => {
    await start({ maxDroppedBytes: 1_000_000 })
    using peer = (await Peer.open(ingress.base)).read()
    peer.write('POST /v1/keys HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n')
    await until('it is answered', () => peer.statuses.length === 1)
    const flood = setInterval(() => peer.write(`10000\r\n${'x'.repeat(65_536)}\r\n`), 5)
    await until('it is ended', () => peer.closed)
    clearInterval(flood)
    expect(peer.statuses).to.deep.equal([401])
  })

  it('end without an answer if invalid bytes follow a request, because the peer would mistake it', async () => {
    await start({})
    for (const before of [get('/nowhere'), get('/docs').repeat(2)]) {
      using peer = (await Peer.open(ingress.base)).write(`${before}GARBAGE\r\n\r\n`)
      await peer.ended()
      expect(peer.statuses, before).to.not.include(400)
    }
  })

  it('end when the peer keeps its side open', async () => {
    await start({ lingerMs: 300 })
    const peers = await openPeers(ingress.base, 2)
    peers[0]?.write('CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n')
    peers[1]?.write('GARBAGE\r\n\r\n')
    for (const peer of peers) {
      peer.socket.allowHalfOpen = true
      peer.read()
    }
    await until('both are ended', () => {
      for (const peer of peers) peer.write('x')
      return peers.every(({ closed }) => closed)
    })
    expect(peers.map(({ statuses }) => statuses)).to.deep.equal([[405], [400]])
  })

  it('end while peers leave too many bytes unread, longest idle first, but not those that ask again', async () => {
    await start({ maxUnreadBytesPerAddress: 11_000_000 })
    using asking = (await Peer.open(ingress.base)).read().write(largest)
    await until('it has read', () => asking.got.length > 1_000_000 && answered('/docs/{file}') === 1)
    await askAgain(asking)
    const all = await openPeers(ingress.base, 4)
    for (const [n, peer] of all.entries()) {
      peer.write(largest)
      await until('it is answered', () => answered('/docs/{file}') === n + 2)
      await askAgain(asking)
    }
    await until('enough are ended', async () => {
      await askAgain(asking)
      return all.filter((peer) => peer.write('\r\n').closed).length >= 2
    })
    expect([asking, ...all].map(({ closed }) => closed)).to.deep.equal([false, true, true, false, false])
    for (const peer of all) peer[Symbol.dispose]()
  })

  it('of one address are limited: a new one replaces the most dispensable', async () => {
    await start({ maxConnectionsPerAddress: 4, answerStallMs: 20_000 })
    const kept = (await Peer.open(ingress.base)).read()
    for (let n = 0; n < 2; n++) await askAgain(kept)
    const idle = (await Peer.open(ingress.base)).read()
    const other = (await Peer.open(ingress.base)).read()
    idle.write(get('/health'))
    await until('it is answered', () => idle.statuses.length === 1)
    const unread = await unreading()
    const fifth = (await Peer.open(ingress.base)).read()
    await until('the one that never asked is ended', () => other.closed)
    fifth.write(get('/health'))
    await until('it is served', () => fifth.statuses.length === 1)
    await askAgain(kept)
    const sixth = await unreading()
    await askAgain(kept)
    const seventh = await unreading()
    await until('idle ones go first', () => idle.closed && fifth.closed)
    const asks = (): Promise<unknown> => fetch(`${ingress.base}/health`, { headers: { connection: 'close' } })
    await until('then those that do not read', async () => {
      await askAgain(kept)
      return asks().catch(() => false)
    })
    expect(kept.closed, 'one that is in use').to.equal(false)
    await until('the longest first', () => unread.write('\r\n').closed)
    for (const peer of [kept, sixth, seventh]) peer[Symbol.dispose]()
  })

  it('are refused if all are busy; none in use is ended', async () => {
    await start({ maxConnections: 2 })
    const acme = await ingress.org()
    const url = 'https://cdn.example.com/a.mp4'
    const post = async (): Promise<string> => (await acme.post('/v1/transcript', { url, mode: 'native' })).body.jobId
    const jobIds = [await post(), await post()]
    const { views } = ingress
    const look = views.get.bind(views)
    const looked = new Set<string>()
    views.get = (collection, id) => {
      looked.add(id)
      return look(collection, id)
    }
    const busy = await openPeers(ingress.base, 2)
    for (const [n, peer] of busy.entries())
      peer.read().write(get(`/v1/transcript/${jobIds[n]}`, `x-api-key: ${acme.key}`, 'Prefer: wait=20'))
    await until('both wait', () => jobIds.every((jobId) => looked.has(jobId)))
    const refused = await fetch(`${ingress.base}/health`, { headers: { connection: 'close' } }).catch((error) => error)
    expect(refused).to.be.instanceOf(Error)
    for (const jobId of jobIds) await endJob(ingress, jobId, { code: 'no_speech' })
    await until('both are answered', () => busy.every(({ statuses }) => statuses.length === 1))
    for (const peer of busy) peer[Symbol.dispose]()
    await ingress.close()
    const told = ingress.lines.find(({ msg }) => msg === 'connections were ended to keep within bounds')
    expect(told?.ended).to.include({ refused: 1 })
  })
})

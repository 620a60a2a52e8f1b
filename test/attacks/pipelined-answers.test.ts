/**
 * Many requests on one connection with a caller that does not read: the service makes only a few of the answers. Its
 * heap is small here, so that an answer for each request would end it. The part of the heap for new objects is small
 * too: the test measures what the service holds, not garbage that is yet to be collected.
 */
import { expect } from 'chai'
import { rendererPath } from '#services/ingress/routes/docs/reference.ts'
import { madeForAll, openedForAll } from '#test/doubles/opened.ts'
import { get, openPeers, Peer } from '#test/doubles/service/peer.ts'
import { Setting } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'

const MEGABYTE = 1024 * 1024

describe('answers that wait on connections', function () {
  this.timeout(120_000)
  const setting = openedForAll(() =>
    Setting.start({
      speech: null,
      env: { NODE_OPTIONS: '--max-old-space-size=160 --max-semi-space-size=2' },
    }),
  )
  const me = madeForAll(() => setting.client())
  let atRest: number
  before(async () => {
    expect((await me.get('/v1/me')).status).to.equal(200)
    atRest = setting.service.memory()
  })

  const served = async (): Promise<void> => {
    expect((await me.get('/health')).status).to.equal(200)
    expect((await me.get('/v1/jobs')).status).to.equal(200)
  }

  /** How many requests the service has answered so far on this route, according to its log. */
  const answered = (route: string): number => setting.service.output.split(`"route":"${route}"`).length - 1

  // This test is the first, because the others use up the rate of anonymous requests.
  it('come in order to a caller who reads them, however many requests came first', async () => {
    using peer = await Peer.open(setting.service.base)
    const body = '{"url":"bad"}'
    const post = `POST /v1/transcript HTTP/1.1\r\nHost: x\r\nx-api-key: ${me.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const round = [
      get('/health'),
      get('/v1/me'),
      get('/nowhere'),
      get(rendererPath),
      get(rendererPath, 'If-None-Match: *'),
      get('/docs').replace('GET', 'HEAD'),
      post,
      get('/docs').replace('GET', 'PUT'),
    ]
    const statuses = [200, 401, 404, 200, 304, 200, 400, 405]
    peer.read()
    for (let n = 0; n < 10; n++) peer.write(round.join(''))
    await until('all are answered', () => peer.closed || peer.statuses.length === 80)
    expect(peer.statuses).to.deep.equal(Array.from({ length: 10 }, () => statuses).flat())
  })

  it('are one for each connection, however many requests it sent at once', async () => {
    using peer = await Peer.open(setting.service.base)
    const before = answered('/docs/{file}')
    peer.write(get(rendererPath).repeat(1500))
    await until('the first one is answered', () => answered('/docs/{file}') > 0)
    for (let n = 0; n < 10; n++) await served()
    // The kernel buffers some answers. The first one that does not fit whole is the last one made.
    expect(answered('/docs/{file}') - before).to.be.below(20)
    expect(setting.service.memory() - atRest).to.be.below(100 * MEGABYTE)
  })

  for (const { name, bytes } of [
    { name: 'the document of the interface', bytes: get('/openapi.json').repeat(500) },
    { name: 'refusals of long paths', bytes: get(`/v1/${'x'.repeat(2000)}`, 'x-api-key: ma_wrong').repeat(500) },
    { name: 'answers without a body', bytes: get(rendererPath).replace('GET', 'HEAD').repeat(500) },
    { name: 'what has not changed', bytes: get(rendererPath, 'If-None-Match: *').repeat(500) },
    {
      name: 'bodies that are not read',
      bytes: `${get('/v1/me', 'Content-Length: 9000')}${'x'.repeat(9000)}`.repeat(100),
    },
  ])
    it(`of forty connections at once hold little memory: ${name}`, async () => {
      const before = setting.service.memory()
      const peers = await openPeers(setting.service.base, 40)
      for (const peer of peers) peer.write(bytes)
      for (let n = 0; n < 10; n++) await served()
      expect(setting.service.memory() - before).to.be.below(100 * MEGABYTE)
      for (const peer of peers) peer[Symbol.dispose]()
    })

  it('are not begun for requests so small that a thousand come in one packet: the connection is ended', async () => {
    const peers = await openPeers(setting.service.base, 20)
    for (const peer of peers) peer.write('GET / HTTP/1.1\r\n\r\n'.repeat(3600))
    await Promise.all(peers.map((peer) => peer.ended()))
    for (const peer of peers) expect(peer.statuses.length).to.be.below(600)
    await served()
  })
})

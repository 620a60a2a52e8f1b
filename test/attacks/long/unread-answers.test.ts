/** The service ends connections of callers that do not read their answers, or never finish their requests. */
import { expect } from 'chai'
import { rendererPath } from '#services/ingress/routes/docs/reference.ts'
import { madeForAll, openedForAll } from '#test/doubles/opened.ts'
import { get, openPeers, type Peer, socketsOf } from '#test/doubles/service/peer.ts'
import { at, Setting } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'

const MEGABYTE = 1024 * 1024
const PER_ADDRESS = 500
/** How many other sockets may come or go, such as the one that our own calls reuse. */
const FEW = 10

describe('connections of callers who do not read', function () {
  this.timeout(300_000)
  const env = { MAX_CONNECTIONS_PER_ADDRESS: String(PER_ADDRESS), MCP_ANSWER_SECONDS: '20' }
  const setting = openedForAll(() => Setting.start({ speech: null, files: { '/slow.mp4': () => {} }, env }))
  const me = madeForAll(() => setting.client())
  let atRest: { sockets: number; memory: number }
  before(async () => {
    expect((await me.get('/v1/me')).status).to.equal(200)
    atRest = { sockets: socketsOf(setting.service.pid), memory: setting.service.memory() }
  })

  const held = (): number => socketsOf(setting.service.pid) - atRest.sockets
  const allEnded = (seconds: number): Promise<true> =>
    until('none is held any more', () => held() < FEW, { seconds, everyMs: 500 })

  it('are bounded for one address, and new callers are served', async () => {
    const peers: Peer[] = []
    for (let n = 0; n < 12; n++) {
      const more = await openPeers(setting.service.base, 100)
      for (const peer of more) peer.write(get(rendererPath).repeat(3))
      peers.push(...more)
      expect((await me.get('/health')).status).to.equal(200)
      expect(held()).to.be.below(PER_ADDRESS + 50)
    }
    expect(setting.service.memory() - atRest.memory).to.be.below(150 * MEGABYTE)
    // A connection ends when no byte of its answer was read for 15 s. The sweeps and a busy machine add some time.
    await allEnded(90)
    for (const peer of peers) peer[Symbol.dispose]()
  })

  it('make room for new callers also when their answers are small, or they never send a request', async () => {
    const small = await openPeers(setting.service.base, PER_ADDRESS)
    for (const peer of small) peer.write(get('/health'))
    expect((await me.get('/v1/me')).status).to.equal(200)
    const silent = await openPeers(setting.service.base, PER_ADDRESS)
    expect((await me.get('/v1/me')).status).to.equal(200)
    expect(held()).to.be.below(PER_ADDRESS + 50)
    for (const peer of [...small, ...silent]) peer[Symbol.dispose]()
    await allEnded(120)
  })

  /** Keeps a poll and an event stream waiting for longer than an answer may stay unread. */
  async function waitLong(): Promise<void> {
    const jobId = await me.enqueue({ url: at('/slow.mp4'), mode: 'native' })
    const from = performance.now()
    const given = { name: 'get_video_transcript', arguments: { url: at('/slow.mp4'), mode: 'native', jobId } }
    const accept = 'application/json, text/event-stream'
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: given }
    const [polled, streamed] = await Promise.all([
      me.get(`/v1/transcript/${jobId}`, { prefer: 'wait=20' }),
      me.post('/mcp', call, { accept }),
    ])
    expect([polled.status, polled.body.status]).to.deep.equal([200, 'queued'])
    expect(streamed.headers.get('content-type')).to.equal('text/event-stream')
    expect(streamed.text).to.contain(jobId)
    expect((performance.now() - from) / 1000).to.be.above(18)
  }

  it('end when a request comes byte by byte and never ends; waiting polls and streams are left alone', async () => {
    const post = (path: string, ...headers: string[]) => get(path, ...headers).replace('GET', 'POST')
    const json = 'Content-Type: application/json'
    const chunks = 'Transfer-Encoding: chunked'
    const ways = [
      { head: 'GET /health HTTP/1.1\r\nX-Slow: ', byte: 'x' },
      { head: post('/v1/transcript', 'Content-Length: 60000'), byte: 'x' },
      { head: get('/v1/me', chunks), byte: '1\r\nx\r\n' },
      { head: post('/mcp', chunks, 'x-api-key: ma_wrong'), byte: '1\r\nx\r\n' },
      { head: post('/mcp', `x-api-key: ${me.key}`, json, 'Content-Length: 99'), byte: ' ' },
    ]
    const peers = await openPeers(setting.service.base, 100)
    const dripping = peers.map((peer, n) => ({ peer, ...(ways[n % ways.length] as (typeof ways)[number]) }))
    for (const { peer, head } of dripping) peer.write(head)
    const drip = setInterval(() => {
      for (const { peer, byte } of dripping) peer.write(byte)
    }, 500)
    try {
      await until('all are held', () => held() > peers.length - FEW)
      // Headers may take 10 s, a whole request 30 s.
      await Promise.all([allEnded(120), waitLong()])
    } finally {
      clearInterval(drip)
      for (const peer of peers) peer[Symbol.dispose]()
    }
  })
})

/** The work of /mcp for callers with a made-up key, and its limits for callers with a real one. */
import { expect } from 'chai'
import { createSecret } from '#packages/accounts/keys/secret.ts'
import { madeForEach, openedForAll } from '#test/doubles/opened.ts'
import type { Client } from '#test/doubles/service/client.ts'
import { get, Peer } from '#test/doubles/service/peer.ts'
import { Setting } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'

const message = (method: string, id = 1, params: object = {}) => ({ jsonrpc: '2.0', id, method, params })
const initialize = message('initialize', 1, {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'host', version: '1' },
})
const metadata = message('tools/call', 1, { name: 'get_video_metadata', arguments: { url: 'bad' } })
const batch = (one: object, length: number): object[] => Array.from({ length }, (_, id) => ({ ...one, id }))

describe('/mcp', function () {
  this.timeout(120_000)
  const setting = openedForAll(() =>
    Setting.start({
      speech: null,
      files: { '/slow.mp4': () => {} },
    }),
  )

  const me = madeForEach(() => setting.client())

  const post = async (key: string | undefined, body: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${setting.service.base}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(key !== undefined && { 'x-api-key': key }),
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text }
  }
  const errorOf = ({ text }: { text: string }): string => (JSON.parse(text) as { error: string }).error
  const left = async (me: Client): Promise<number> =>
    Number((await me.get('/v1/me')).headers.get('x-ratelimit-remaining'))
  const requestsOf = (route: string): number => setting.service.output.split(`"route":"${route}"`).length - 1

  it('answers a made-up key with 401 whatever it sends, and reads none of it', async () => {
    const made = createSecret()
    const bodies: unknown[] = [initialize, batch(metadata, 100), '{"never', '', '['.repeat(200_000)]
    for (const body of bodies) {
      const answer = await post(made, body)
      expect([answer.status, errorOf(answer)]).to.deep.equal([401, 'unauthorized'])
    }
    using peer = (await Peer.open(setting.service.base)).read()
    // The answer does not wait for the body.
    peer.write(
      get('/mcp', `x-api-key: ${made}`, 'Content-Type: application/json', 'Content-Length: 99').replace('GET', 'POST'),
    )
    await until('it is answered', () => peer.statuses.length > 0)
    expect(peer.statuses).to.deep.equal([401])
    expect(requestsOf('/v1/metadata'), 'no tool was called').to.equal(0)
  })

  it('answers a flood of made-up keys with 429, and serves real ones', async () => {
    const answers = await Promise.all(Array.from({ length: 700 }, () => post(createSecret(), batch(metadata, 100))))
    expect(answers.every(({ status }) => status === 401 || status === 429)).to.equal(true)
    expect(answers.filter(({ status }) => status === 429).length).to.be.at.least(100)
    expect((await post(me.key, initialize)).status).to.equal(200)
    expect(requestsOf('/v1/metadata')).to.equal(0)
  })

  it('counts each message of the protocol as a light request, and a batch by its messages', async () => {
    const before = await left(me)
    const one = await post(me.key, initialize)
    expect([one.status, one.headers.get('x-ratelimit-remaining')]).to.deep.equal([200, String(before - 1)])
    expect((await post(me.key, batch(message('tools/list'), 10))).status).to.equal(200)
    expect((await post(me.key, '{"never')).status).to.equal(400)
    expect(await left(me)).to.equal(before - 1 - 10 - 1 - 1)
    // More messages than a batch may hold: they count, and are refused.
    expect((await post(me.key, batch(message('ping'), 50))).status).to.equal(400)
    expect(await left(me)).to.equal(before - 13 - 50 - 1)
    const over = await post(me.key, batch(message('ping'), 100))
    expect([over.status, errorOf(over)]).to.deep.equal([429, 'rate_limited'])
    expect(Number(over.headers.get('retry-after'))).to.be.within(1, 60)
    expect((await post(me.key, message('tools/list'))).status).to.equal(429)
    expect((await me.get('/v1/me')).status, 'they share their count with /v1').to.equal(429)
  })

  it('refuses bodies that would delay all other callers', async () => {
    const before = await left(me)
    const wide = Object.fromEntries(Array.from({ length: 15_000 }, (_, n) => [`k${n}`, n]))
    const deep = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`
    for (const body of [message('tools/list', 1, wide), deep, message('ping', 1, { x: [wide] })]) {
      const answer = await post(me.key, body)
      expect([answer.status, errorOf(answer)]).to.deep.equal([400, 'invalid_request'])
    }
    expect(await left(me), 'each is counted').to.equal(before - 3 - 1)
  })

  it('counts a call of a tool as the requests to /v1 that it makes', async () => {
    const before = await left(me)
    const made = requestsOf('/v1/metadata')
    const answer = await post(me.key, metadata)
    expect([answer.status, answer.text.includes('code: invalid_request')]).to.deep.equal([200, true])
    await until('the request is noted', () => requestsOf('/v1/metadata') === made + 1)
    expect(await left(me)).to.equal(before - 1 - 1)
  })

  it('limits calls that make no request, too', async () => {
    const nothing = message('tools/call', 1, { name: 'no_such_tool', arguments: {} })
    const statuses: number[] = []
    const caller = async (): Promise<void> => {
      while (statuses.length < 640) statuses.push((await post(me.key, nothing)).status)
    }
    await Promise.all(Array.from({ length: 8 }, caller))
    expect(statuses.filter((status) => status === 200).length).to.equal(600)
    expect(statuses.slice(-8).every((status) => status === 429)).to.equal(true)
    const other = await setting.client()
    expect((await post(other.key, initialize)).status, 'other callers are not refused').to.equal(200)
  })

  it('serves ten calls or streams of a key at once, and forty of an organization', async () => {
    const open = async (key: string): Promise<Peer> => {
      const body = JSON.stringify(
        message('tools/call', 1, {
          name: 'get_video_transcript',
          arguments: { url: 'http://cdn.example.com/slow.mp4', mode: 'native' },
          // The first progress message begins the answer, long before there is a result.
          _meta: { progressToken: 1 },
        }),
      )
      const head = [
        ...['Content-Type: application/json', 'Accept: application/json, text/event-stream'],
        ...[`x-api-key: ${key}`, `Content-Length: ${body.length}`],
      ]
      const peer = (await Peer.open(setting.service.base)).read()
      return peer.write(get('/mcp', ...head).replace('GET', 'POST') + body)
    }
    const streams = await Promise.all(Array.from({ length: 10 }, () => open(me.key)))
    await until('all are open', () => streams.every(({ statuses }) => statuses[0] === 200))
    const eleventh = await post(me.key, metadata)
    expect([eleventh.status, errorOf(eleventh)]).to.deep.equal([429, 'rate_limited'])
    expect(eleventh.headers.get('retry-after')).to.equal('1')
    expect((await post(me.key, message('tools/list'))).status, 'messages are answered at once').to.equal(200)
    expect((await me.get('/v1/me')).status, 'and so is /v1').to.equal(200)
    const keys = await Promise.all([1, 2, 3, 4].map((n) => me.post('/v1/keys', { name: `key ${n}` })))
    const more = await Promise.all(keys.flatMap(({ body }) => Array.from({ length: 10 }, () => open(body.key ?? ''))))
    await until('all are answered', () => more.every(({ statuses }) => statuses.length === 1))
    expect(more.filter(({ statuses }) => statuses[0] === 429)).to.have.length(10)
    expect((await post((await setting.client()).key, metadata)).status, 'other callers are not refused').to.equal(200)
    for (const peer of [...streams, ...more]) peer[Symbol.dispose]()
    await until('the key is free again', async () => (await post(me.key, metadata)).status === 200)
  })
})

import { createServer, type RequestListener } from 'node:http'
import { expect } from 'chai'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { tcpDial } from '#packages/egress/connect.ts'
import { onLoopback } from '#test/doubles/loopback-server.ts'
import { createHttpSender } from './http-sender.ts'
import { retryAfterSecondsOf } from './retry-after.ts'

const PUBLIC = '93.184.216.34'

/** Sends one webhook to a receiver. `addresses`: the addresses of its name. */
async function sent(receive: RequestListener, addresses: readonly string[] = [PUBLIC], attempt = 1) {
  await using server = await onLoopback(createServer(receive))
  const dialled: string[] = []
  const send = createHttpSender({
    clock,
    proxy: undefined,
    platformProxies: {},
    resolve: async () => [...addresses],
    async dial(address, _port, signal) {
      dialled.push(address)
      const socket = await tcpDial('127.0.0.1', server.port, signal)
      return Object.defineProperty(socket, 'remoteAddress', { value: address })
    },
    answerWithinMs: 2000,
  })
  const headers = { 'content-type': 'application/json', 'webhook-id': 'd1' }
  const { signal } = new AbortController()
  const url = 'http://hooks.example.com/path?x=1'
  const result = await send({ url, orgId: 'acme', headers, body: '{"a":1}', attempt, signal })
  return { ...result, dialled }
}

describe('sending a webhook', function () {
  this.timeout(30_000)

  it('posts the body with its headers, and gives status and the first 200 bytes of the answer', async () => {
    const seen: unknown[] = []
    const result = await sent(async (request, response) => {
      const body = await request.reduce((text, piece) => text + piece, '')
      seen.push(request.method, request.url, request.headers.host, request.headers['webhook-id'], body)
      response.writeHead(202).end('x'.repeat(5000))
    })
    expect(seen).to.deep.equal(['POST', '/path?x=1', 'hooks.example.com', 'd1', '{"a":1}'])
    expect(result).to.include({ status: 202, failure: null, answer: 'x'.repeat(200) })
  })

  it('follows no redirect, and respects what the receiver requests', async () => {
    const moved = await sent((_, response) => response.writeHead(302, { location: 'http://other.example.com/' }).end())
    expect(moved).to.include({ status: 302 })
    expect(moved.dialled).to.have.length(1)
    const busy = await sent((_, response) => response.writeHead(429, { 'retry-after': '30' }).end())
    expect(busy).to.include({ status: 429, retryAfterSeconds: 30 })
  })

  it('waits only a limited time for a silent receiver, and accepts a status without the end of its body', async () => {
    expect(await sent(() => {})).to.include({ status: null, failure: 'timeout' })
    const endless = await sent((_, response) => {
      response.writeHead(200).write('a')
    })
    expect(endless).to.include({ status: 200, answer: 'a' })
  })

  it('goes to no name with an internal address, and connects to nothing then', async () => {
    const inside = await sent((_, response) => response.end(), [PUBLIC, '10.0.0.1'])
    expect(inside).to.include({ status: null, failure: 'refused_address' })
    expect(inside.dialled).to.deep.equal([])
  })

  it('tries another address of the name with the next attempt', async () => {
    const addresses = [PUBLIC, '93.184.216.35']
    const dialled = async (attempt: number) => (await sent((_, response) => response.end(), addresses, attempt)).dialled
    expect([await dialled(1), await dialled(2), await dialled(3)]).to.deep.equal([
      [PUBLIC],
      ['93.184.216.35'],
      [PUBLIC],
    ])
  })
})

describe('Retry-After', () => {
  it('is seconds or a date of HTTP, and nothing else', () => {
    const now = Date.UTC(2026, 0, 1)
    const of = (text: string | undefined) => retryAfterSecondsOf(text, now)
    expect([of('120'), of('Thu, 01 Jan 2026 00:01:00 GMT'), of('Wed, 31 Dec 2025 00:00:00 GMT')]).to.deep.equal([
      120, 60, 0,
    ])
    for (const nonsense of [undefined, '', '-5', '1e3', 'soon', '2026-01-01']) expect(of(nonsense)).to.equal(null)
  })
})

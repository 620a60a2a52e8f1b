import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Client } from '@modelcontextprotocol/client'
import { expect } from 'chai'
import { startEndlessService } from '#test/doubles/mcp/endless-service.ts'
import { type McpHarness, startMcpHarness, type Way, ways } from '#test/doubles/mcp/mcp.harness.ts'
import { until } from '#test/doubles/service/until.ts'

const tool = 'get_video_transcript'

type Service = Awaited<ReturnType<typeof startEndlessService>>

/** A service with jobs that never end, and tools for it with calls that may wait long. */
async function setting() {
  await using opening = new AsyncDisposableStack()
  const service = opening.use(await startEndlessService())
  const harness = opening.use(await startMcpHarness({ answerSeconds: 45, baseUrl: service.baseUrl }))
  const all = opening.move()
  return { service, harness, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

const polled = (service: Service, url: string, times = 1): Promise<boolean> =>
  until(`${url} is polled`, () => service.pollsOf(url).polls >= times)

/** Asserts that the job is no longer polled, while others are, and that the job itself is not changed. */
async function assertLeftAlone(service: Service, url: string, host: Client): Promise<void> {
  await until(`the poll of ${url} is given up`, () => service.pollsOf(url).givenUp === 1)
  const other = 'https://cdn.example.com/other.mp4'
  const end = new AbortController()
  const waiting = host.callTool({ name: tool, arguments: { url: other } }, { signal: end.signal })
  const ended = waiting.catch(() => undefined)
  await polled(service, other, 3)
  end.abort()
  await ended
  expect(service.pollsOf(url)).to.deep.equal({ polls: 1, givenUp: 1 })
  const changes = service.requests.filter((each) => !each.startsWith('GET '))
  expect(new Set(changes), 'the job goes on').to.deep.equal(new Set(['POST /v1/transcript']))
}

for (const way of ways) {
  describe(`a call cancelled over ${way.transport}, protocol ${way.mode === 'auto' ? 'of 2026' : 'of 2025'}`, () => {
    it('stops waiting, and its job continues', async () => {
      await using set = await setting()
      const { service, harness } = set
      const host = await harness.connect(way)
      const url = 'https://cdn.example.com/silent.mp4'
      const end = new AbortController()
      const cancelled = host.callTool({ name: tool, arguments: { url } }, { signal: end.signal })
      const outcome = cancelled.catch((error: unknown) => error)
      await polled(service, url)
      end.abort()
      expect(await outcome).to.be.instanceOf(Error)
      await assertLeftAlone(service, url, host)
    }).timeout(60_000)
  })
}

describe('a call over HTTP', function () {
  this.timeout(60_000)
  const url = 'https://cdn.example.com/silent.mp4'

  /** Sends a message as a 2025 host does, by hand. Destroying the request ends the host. */
  function send(harness: McpHarness, session: string, message: object) {
    const headers = {
      'x-api-key': harness.acme.key,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      'mcp-session-id': session,
    }
    const sent = request(`${harness.ingress.base}/mcp`, { method: 'POST', headers })
    sent.on('error', () => undefined)
    sent.end(JSON.stringify({ jsonrpc: '2.0', ...message }))
    return sent
  }
  const call = { id: 1, method: 'tools/call', params: { name: tool, arguments: { url } } }

  it('stops waiting when its host disconnects', async () => {
    await using set = await setting()
    const { service, harness } = set
    const sent = send(harness, 'gone', call)
    await polled(service, url)
    sent.destroy()
    await assertLeftAlone(service, url, await harness.connect({ transport: 'http', mode: 'legacy' }))
  })

  it('leaves no open answer behind when it is cancelled', async () => {
    await using set = await setting()
    const { service, harness } = set
    const sent = send(harness, 'tidy', call)
    const answer = new Promise<string>((resolve) => sent.on('response', (response) => resolve(text(response))))
    await polled(service, url)
    send(harness, 'tidy', { method: 'notifications/cancelled', params: { requestId: 1 } })
    expect(await answer, 'an answer that hosts ignore').to.contain('The call was cancelled.')
  })

  it('is ended by its own host only: every session uses the same call numbers', async () => {
    await using set = await setting()
    const { service, harness } = set
    const way: Way = { transport: 'http', mode: 'legacy' }
    const hosts = [await harness.connect(way), await harness.connect(way)]
    const ends = hosts.map(() => new AbortController())
    const urls = ['one', 'other'].map((name) => `https://cdn.example.com/silent-${name}.mp4`)
    const calls = hosts.map((host, n) =>
      host.callTool({ name: tool, arguments: { url: urls[n] } }, { signal: ends[n]?.signal as AbortSignal }),
    )
    const ended = calls.map((each) => each.catch(() => 'cancelled'))
    const [one = '', other = ''] = urls
    await Promise.all([polled(service, one), polled(service, other)])
    ends[0]?.abort()
    await until('the poll of the first is given up', () => service.pollsOf(one).givenUp === 1)
    expect(service.pollsOf(other)).to.deep.equal({ polls: 1, givenUp: 0 })
    ends[1]?.abort()
    expect(await Promise.all(ended)).to.deep.equal(['cancelled', 'cancelled'])
    await until('the poll of the second is given up', () => service.pollsOf(other).givenUp === 1)
  })
})

import { expect } from 'chai'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { type StartedIngress, startIngress } from '#test/doubles/ingress/started-ingress.ts'

const origin = 'https://app.example.com'
const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-api-key' }

describe('pages of other origins', () => {
  let ingress: StartedIngress
  let key: string
  const start = async (corsOrigins: string[]): Promise<void> => {
    ingress = await startIngress({ clock, options: { corsOrigins } })
    key = (await ingress.org('free')).key
  }
  afterEach(() => ingress[Symbol.asyncDispose]())

  /** The answer, read to its end, because the connection of an unread long answer stays open. */
  async function ask(method: string, path: string, headers: Record<string, string>) {
    const answer = await fetch(ingress.base + path, { method, headers })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  const corsOf = ({ headers }: { headers: Headers }) =>
    [...headers].filter(([name]) => name.startsWith('access-control-'))

  it('may call /v1 if their origin is listed, and read every documented header', async () => {
    await start(['https://other.example.com', origin])
    const asked = await ask('OPTIONS', '/v1/transcript', { origin, ...preflight })
    expect([asked.status, asked.text]).to.deep.equal([204, ''])
    expect(asked.headers.get('access-control-allow-origin')).to.equal(origin)
    expect(asked.headers.get('access-control-allow-methods')).to.contain('POST')
    const allowed = asked.headers.get('access-control-allow-headers')?.split(', ')
    expect(allowed).to.include.members(['Content-Type', 'Idempotency-Key', 'Prefer', 'traceparent', 'x-api-key'])
    for (const [path, status] of [
      ['/v1/me', 200],
      ['/v1/transcript/none', 404],
    ] as const) {
      const answer = await ask('GET', path, { origin, 'x-api-key': key })
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).to.deep.equal([status, origin])
      const read = answer.headers.get('access-control-expose-headers')?.split(', ')
      const wanted = ['ETag', 'Location', 'Retry-After', 'X-RateLimit-Remaining', 'X-Request-Id']
      expect(read).to.include.members([...wanted, 'X-Metadata-Incomplete', 'X-Search-Incomplete', 'X-Trace-Id'])
      expect(answer.headers.get('vary')).to.equal('Origin')
      expect(answer.headers.get('access-control-allow-credentials')).to.equal(null)
    }
    const without = await ask('GET', '/v1/me', { origin })
    expect([without.status, without.headers.get('access-control-allow-origin')]).to.deep.equal([401, origin])
  })

  it('get this answer even while their address may send nothing else without a key', async () => {
    ingress = await startIngress({ clock, options: { corsOrigins: [origin], anonymousPerMinute: 1 } })
    key = (await ingress.org('free')).key
    const flood = []
    for (let n = 0; n < 2; n++) flood.push((await ask('GET', '/v1/me', {})).status)
    expect(flood).to.deep.equal([401, 429])
    for (const path of ['/v1/me', '/v1/nowhere'])
      expect((await ask('OPTIONS', path, { origin, ...preflight })).status, path).to.equal(204)
    expect((await ask('GET', '/v1/me', { origin, 'x-api-key': key })).status).to.equal(200)
  })

  it('may not call it if their origin is not listed, nor anything but /v1', async () => {
    await start([origin])
    for (const other of ['https://evil.example.com', `${origin}.evil.example`, 'null']) {
      const asked = await ask('OPTIONS', '/v1/me', { origin: other, ...preflight })
      expect([asked.status, corsOf(asked)], other).to.deep.equal([401, []])
      const answer = await ask('GET', '/v1/me', { origin: other, 'x-api-key': key })
      expect([answer.status, corsOf(answer)], other).to.deep.equal([200, []])
    }
    for (const path of ['/health', '/docs', '/openapi.json'])
      expect(corsOf(await ask('GET', path, { origin })), path).to.deep.equal([])
  })

  it('may not call it if no origin is configured', async () => {
    await start([])
    const asked = await ask('OPTIONS', '/v1/me', { origin, ...preflight })
    expect([asked.status, corsOf(asked), asked.headers.get('vary')]).to.deep.equal([401, [], null])
  })
})

import { connect } from 'node:net'
import { expect } from 'chai'
import openapi from '#contracts/generated/openapi.json' with { type: 'json' }
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { UnreachableError } from '#packages/ports/unreachable.ts'
import { eachIngress } from '#test/doubles/ingress/each-ingress.ts'
import { type Answer, type CallOptions, startIngress } from '#test/doubles/ingress/started-ingress.ts'
import { Peer } from '#test/doubles/service/peer.ts'
import { until } from '#test/doubles/service/until.ts'

const json = { 'content-type': 'application/json' }
const url = 'https://cdn.example.com/film.mp4'

/** Sends bytes unchanged, and returns the reply until the server closes. */
const send = (port: number, bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let got = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.on('data', (data) => {
      got += data.toString('latin1')
    })
    socket.on('end', () => resolve(got)).on('error', reject)
  })

describe('the surface', () => {
  const { ingress, acme } = eachIngress(() => ({ clock, server: { drainMs: 1000 } }), 'pro')

  const isError = ({ status, body }: Answer, expected: number, code: string): void => {
    expect([status, body?.error]).to.deep.equal([expected, code])
  }
  const post = (raw: CallOptions['raw'], headers: Record<string, string> = json): Promise<Answer> =>
    ingress.call('POST', '/v1/transcript', { key: acme.key, headers, ...(raw === undefined ? {} : { raw }) })

  it('answers unknown paths with JSON', async () => {
    for (const path of [
      '/nowhere',
      '/docs/nowhere',
      '/v1',
      '/v1/tiktok',
      '/v1/me/',
      '/V1/me',
      '/.well-known/openid-configuration',
    ])
      isError(await acme.get(path), 404, 'not_found')
  })

  it('suggests the path that may be meant, and where to find all of them', async () => {
    const hint = async (path: string): Promise<string> => (await acme.get(path)).body.message
    expect(await hint('/v1/transcripts?url=x')).to.contain('Did you mean /v1/transcript?')
    expect(await hint('/v1/me/')).to.contain('Did you mean /v1/me?')
    expect(await hint('/v1/job')).to.contain('Did you mean /v1/jobs?')
    expect(await hint('/v1/nowhere')).to.contain('/docs')
    expect((await ingress.call('GET', '/v1/transcript', { key: acme.key })).body.message).to.contain('Use POST.')
  })

  it('answers 405 with Allow to methods that a path does not have', async () => {
    const allowed = {
      '/health': 'GET, HEAD',
      '/openapi.json': 'GET, HEAD',
      '/': 'GET, HEAD',
      '/docs': 'GET, HEAD',
      '/docs/errors': 'GET, HEAD',
      '/docs/guides/quickstart': 'GET, HEAD',
      '/docs/': 'GET, HEAD',
      '/llms.txt': 'GET, HEAD',
      '/v1/me': 'GET, HEAD',
      '/v1/metadata': 'GET, HEAD',
      '/v1/transcript': 'POST',
      '/v1/transcript/x': 'GET, HEAD',
      '/v1/jobs': 'GET, HEAD',
      '/v1/jobs/x': 'GET, HEAD, DELETE',
      '/v1/jobs/x/events': 'GET, HEAD',
      '/v1/keys': 'GET, HEAD, POST',
      '/v1/keys/x': 'DELETE',
      '/v1/webhooks': 'GET, HEAD, POST',
      '/v1/webhooks/x': 'GET, HEAD, PATCH, DELETE',
      '/v1/webhooks/secret': 'POST',
    }
    for (const [path, allow] of Object.entries(allowed))
      for (const method of ['PUT', 'OPTIONS', ...(allow.includes('PATCH') ? [] : ['PATCH'])]) {
        const answer = await ingress.call(method, path, { key: acme.key })
        isError(answer, 405, 'method_not_allowed')
        expect(answer.headers.get('allow'), path).to.equal(allow)
      }
  })

  it('answers TRACE, CONNECT, a missing Host and an unknown Expect with JSON too', async () => {
    for (const [head, answer] of [
      ['TRACE /health HTTP/1.1\r\nHost: x', /^HTTP\/1.1 405 .*"error"/s],
      ['CONNECT a:443 HTTP/1.1\r\nHost: a:443', /^HTTP\/1.1 405 .*\r\nAllow: \r\n.*"error"/s],
      ['GET /health HTTP/1.1', /^HTTP\/1.1 200 .*"ok"/s],
      ['GET /health HTTP/1.1\r\nHost: x\r\nExpect: wonders', /^HTTP\/1.1 200 .*"ok"/s],
    ] as const)
      expect(await send(ingress.port, `${head}\r\nConnection: close\r\n\r\n`)).to.match(answer)
  })

  it('answers bytes that are not HTTP, and headers that are too large, with JSON', async () => {
    const bad = await send(ingress.port, 'GARBAGE / HTTP/9.9\r\n\r\n')
    expect(bad).to.match(/^HTTP\/1.1 400 .*X-Request-Id: .*"error":"invalid_request"/s)
    const big = await send(ingress.port, `GET /health HTTP/1.1\r\nHost: x\r\nX-Big: ${'a'.repeat(70_000)}\r\n\r\n`)
    expect(big).to.match(/^HTTP\/1.1 431 .*"error":"headers_too_large"/s)
    expect((await ingress.call('GET', '/health')).body).to.deep.equal({ status: 'ok' })
  })

  it('answers requests that never end, with JSON', async () => {
    // In a separate service: on a busy machine, late requests of the other tests would get this answer too.
    await using hasty = await startIngress({ clock, server: { headersTimeoutMs: 300, requestTimeoutMs: 300 } })
    expect(await send(hasty.port, 'GET /health HTTP/1.1\r\nX-Slow: ')).to.match(/^HTTP\/1.1 400 .*"invalid_request"/s)
  })

  it('answers nothing on a connection that never sends a byte: a browser would take it for the answer to its next request', async () => {
    await using hasty = await startIngress({ clock, server: { headersTimeoutMs: 300, requestTimeoutMs: 300 } })
    expect(await send(hasty.port, '')).to.equal('')
  })

  it('documents for every operation the answers to URLs and headers that are too long', async () => {
    const long = `/v1/metadata?url=${'x'.repeat(70_000)}`
    expect(await send(ingress.port, `GET ${long} HTTP/1.1\r\nHost: x\r\n\r\n`)).to.match(/^HTTP\/1.1 431 /)
    const operations = Object.values(openapi.paths).flatMap((path) => Object.values(path))
    expect(operations.length).to.be.greaterThan(5)
    const silent = operations.filter(({ responses }) => !('431' in responses)).map(({ operationId }) => operationId)
    expect(silent).to.deep.equal([])
  })

  it('refuses bodies that are not JSON objects, and writes nothing for them', async () => {
    const ledger = await acme.ledger()
    const nested = '['.repeat(30_000) + ']'.repeat(30_000)
    const bad = ['{"url":', 'null', '[]', '"x"', '7', nested, `{"url":"${url}","__proto__":{"x":1}}`]
    for (const raw of bad) isError(await post(raw), 400, 'invalid_request')
    isError(await post(new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])), 400, 'invalid_request')
    const hidden = new Uint8Array(Buffer.from(`{"url":"${url}\xff"}`, 'latin1'))
    expect((await post(hidden)).body.details).to.deep.equal([{ path: 'body', message: 'must be UTF-8' }])
    isError(await post(undefined), 400, 'invalid_request')
    expect(await acme.ledger()).to.deep.equal(ledger)
  })

  it('accepts only JSON in UTF-8, not compressed', async () => {
    const body = JSON.stringify({ url, mode: 'native' })
    for (const type of [
      'application/x-www-form-urlencoded',
      'text/plain',
      'application/jsonp',
      'application/json; charset=utf-16',
    ])
      isError(await post(body, { 'content-type': type }), 415, 'unsupported_media_type')
    isError(await post(body, { ...json, 'content-encoding': 'gzip' }), 415, 'unsupported_media_type')
    for (const type of ['application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"', 'application/json'])
      expect((await post(body, { 'content-type': type })).status, type).to.equal(202)
  })

  it('refuses bodies over 64 KB, with and without Content-Length', async () => {
    const large = JSON.stringify({ url: 'x'.repeat(2e6) })
    isError(await post(large), 413, 'payload_too_large')
    isError(await post(JSON.stringify({ url: 'x'.repeat(66_000) })), 413, 'payload_too_large')
    const untold = `POST /v1/transcript HTTP/1.1\r\nHost: x\r\nx-api-key: ${acme.key}\r\nContent-Type: application/json\r\n`
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    // The rest never comes, and the service does not wait for it.
    using peer = (await Peer.open(ingress.base)).read()
    peer.write(`${untold}Transfer-Encoding: chunked\r\n\r\n${chunk}${chunk}`)
    await until('it is answered', () => peer.got.includes('"payload_too_large"'))
    expect(peer.statuses).to.deep.equal([413])
  })

  it('survives a caller who leaves in the middle of a body', async () => {
    const head = `POST /v1/transcript HTTP/1.1\r\nHost: x\r\nx-api-key: ${acme.key}\r\nContent-Type: application/json\r\n`
    await new Promise<void>((resolve) => {
      const socket = connect(ingress.port, '127.0.0.1', () => {
        socket.write(`${head}Content-Length: 100\r\n\r\n{"url":`, () => socket.destroy())
      })
      socket.on('close', () => resolve())
    })
    expect((await acme.get('/v1/me')).status).to.equal(200)
  })

  it('uses a caller’s harmless request id for the answer and the log, and nothing else', async () => {
    const headers = { 'x-request-id': 'acme:4711.a_b-c' }
    const posted = await acme.post(
      '/v1/transcript',
      { url: 'https://cdn.example.com/a.mp4', mode: 'native' },
      { headers },
    )
    expect(posted.headers.get('x-request-id')).to.equal('acme:4711.a_b-c')
    expect(ingress.lines.at(-1)?.requestId).to.equal('acme:4711.a_b-c')
    // Two requests may have the same id: events name the request's own id as their cause.
    const [requested] = await ingress.memory.read(`job-${posted.body.jobId}`)
    expect(requested?.metadata.causationId).to.match(/^[\da-f-]{36}$/)
    for (const harmful of ['', 'a b', 'a"b', 'é', 'x'.repeat(65), '<script>', 'a,b', '%0d%0a']) {
      const answer = await acme.get('/v1/me', { headers: { 'x-request-id': harmful } })
      expect(answer.headers.get('x-request-id'), harmful).to.match(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/)
    }
  })

  it('continues only a well-formed trace', async () => {
    await acme.get('/v1/me', { headers: { traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` } })
    expect(ingress.lines.at(-1)?.traceId).to.match(/^(?!0{32})[0-9a-f]{32}$/)
  })

  it('ignores unknown query parameters', async () => {
    expect((await acme.get('/v1/me?debug=1&debug=2')).status).to.equal(200)
  })

  it('answers 503 if a required server does not answer, and says so in /ready', async () => {
    ingress.views.find = () => Promise.reject(new UnreachableError('the database', new Error('10.0.0.7 refused')))
    const keys = await acme.get('/v1/keys')
    isError(keys, 503, 'unavailable')
    expect(keys.headers.get('retry-after')).to.equal('1')
    expect(keys.text).to.not.contain('10.0.0.7')
    expect((await ingress.call('GET', '/ready')).status).to.equal(200)
    ingress.problems.push('the database of the views does not answer')
    // Checks within the same second share an answer.
    const ready = await until('it is not ready', async () => {
      const answer = await ingress.call('GET', '/ready')
      return answer.status !== 200 && answer
    })
    isError(ready, 503, 'unavailable')
    expect(ready.body.message).to.equal('Not ready: the database of the views does not answer.')
  })

  it('accepts no more requests once it is closed', async () => {
    const { port } = ingress
    await ingress.close()
    const error = await fetch(`http://127.0.0.1:${port}/health`).catch((refused: Error) => refused)
    expect(error).to.be.instanceOf(Error)
  })
})

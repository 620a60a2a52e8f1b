/** Requests that are refused before acceptance: the right Error object, and nothing written. */
import { expect } from 'chai'
import { madeForEach, openedForAll } from '#test/doubles/opened.ts'
import type { Answer, AnswerBody, Client } from '#test/doubles/service/client.ts'
import { rawRequest } from '#test/doubles/service/raw-request.ts'
import { at, Setting } from '#test/doubles/service/setting.ts'

const json = { 'content-type': 'application/json' }
const good = { url: at('/captioned.mp4') }

function expectError({ status, body, headers }: Answer, expected: number, code: string): void {
  expect([status, body.error]).to.deep.equal([expected, code])
  expect(Object.keys(body)).to.have.members(['error', 'message', 'details', 'documentationUrl'])
  expect(body.message).to.be.a('string').and.not.equal('')
  expect(headers.get('content-type')).to.match(/^application\/json/)
  expect(headers.get('x-request-id')).to.be.a('string')
}

/** Paths of the fields that a 400 names. */
const namedBy = ({ details }: AnswerBody): string[] =>
  (details as { path: string; message: string }[]).map(({ path }) => path)

describe('requests', function () {
  this.timeout(60_000)
  const setting = openedForAll(() =>
    Setting.start({ env: { RATE_HEAVY_FACTOR: '100', RATE_LIGHT_PER_MINUTE: '2000' } }),
  )
  const me = madeForEach(() => setting.client())
  let end: number

  beforeEach(async () => {
    end = await (await setting.backDoor()).end()
  })
  afterEach('nothing was written, debited or fetched', async () => {
    expect(await (await setting.backDoor()).end()).to.equal(end)
    expect(await me.credits()).to.equal(50)
    expect(setting.world.requests).to.deep.equal([])
  })

  it('bodies that are no JSON object are 400 and name the body', async () => {
    const texts = ['{"url":', '', 'null', '[]', '"x"', '7', '{"url":"http://cdn.example.com/a.mp4"}}', '['.repeat(9000)]
    for (const text of texts) expectError(await me.call('POST', '/v1/transcript', text, json), 400, 'invalid_request')
    const latin1 = Buffer.from('{"url":"http://cdn.example.com/\xe9.mp4"}', 'latin1')
    const answer = await me.call('POST', '/v1/transcript', latin1, json)
    expectError(answer, 400, 'invalid_request')
    expect(namedBy(answer.body)).to.deep.equal(['body'])
  })

  it('fields that are missing, unknown or of the wrong type are 400, and all are named', async () => {
    const cases: [unknown, string[]][] = [
      [{}, ['url']],
      [{ ...good, modee: 'auto' }, ['modee']],
      [{ ...good, mode: 'fast' }, ['mode']],
      [{ ...good, mode: null }, ['mode']],
      [{ ...good, mode: ['auto'] }, ['mode']],
      [{ ...good, lang: 5 }, ['lang']],
      [{ ...good, lang: 'en; DROP TABLE events' }, ['lang']],
      [{ ...good, lang: 'x'.repeat(36) }, ['lang']],
      [{ url: 7, mode: 1, extra: true }, ['extra', 'mode', 'url']],
      [JSON.parse(`{"url":"${good.url}","__proto__":{"mode":"native"}}`), ['__proto__']],
      [{ ...good, constructor: 1 }, ['constructor']],
    ]
    for (const [body, fields] of cases) {
      const answer = await me.post('/v1/transcript', body)
      expectError(answer, 400, 'invalid_request')
      expect(namedBy(answer.body).sort(), JSON.stringify(body)).to.deep.equal(fields)
    }
  })

  it('URLs that lead nowhere or inward are 400 and name url', async () => {
    const urls = [
      '',
      ' ',
      'not a url',
      '--exec id',
      '//cdn.example.com/a.mp4',
      'http://',
      'ftp://cdn.example.com/a.mp4',
    ]
    const schemes = ['file:///etc/passwd', 'javascript:alert(1)', 'data:video/mp4;base64,AAAA', 'gopher://example.com/']
    const places = ['127.0.0.1', '2130706433', '0x7f.1', '0177.0.0.1', '127.1', '[::1]', '[::ffff:10.0.0.1]', '0.0.0.0']
    const names = [
      'localhost',
      'db.localhost',
      'printer.local',
      'metadata.google.internal',
      'db.test',
      'a.onion',
      'intranet',
      '10.0.0.5',
    ]
    const parts = [
      'user:pw@cdn.example.com',
      'cdn.example.com:22',
      'cdn.example.com:8080',
      '169.254.169.254',
      '127。0。0。1',
    ]
    const hosts = [...places, ...names, ...parts].flatMap((host) => [`http://${host}/a.mp4`, `https://${host}/a.mp4`])
    const long = `http://cdn.example.com/${'a'.repeat(2100)}.mp4`
    const playlist = 'https://www.youtube.com/playlist?list=PLx0sYbCqOb8TBPRdmBHs5Iftvv9TPboYG'
    for (const url of [...urls, ...schemes, ...hosts, long, playlist, 'https://www.youtube.com/watch?v=short']) {
      const answer = await me.transcript({ url })
      expectError(answer, 400, 'invalid_request')
      expect(namedBy(answer.body), url).to.deep.equal(['url'])
    }
  })

  it('bodies too large are 413, declared or streamed; other types are 415; no body is 400', async () => {
    const large = JSON.stringify({ url: 'x'.repeat(70_000) })
    expectError(await me.call('POST', '/v1/transcript', large, json), 413, 'payload_too_large')
    const head = `POST /v1/transcript HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${me.key}\r\nContent-Type: application/json\r\n`
    const chunk = `10000\r\n${'a'.repeat(65_536)}\r\n`
    const streamed = `${head}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunk}${chunk}0\r\n\r\n`
    expect((await rawRequest(setting.service.base, streamed)).status).to.equal(413)
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'application/json; charset=utf-16'])
      expectError(
        await me.call('POST', '/v1/transcript', JSON.stringify(good), { 'content-type': type }),
        415,
        'unsupported_media_type',
      )
    const packed = { ...json, 'content-encoding': 'gzip' }
    expectError(await me.call('POST', '/v1/transcript', 'x', packed), 415, 'unsupported_media_type')
    expectError(await me.call('POST', '/v1/transcript', null, json), 400, 'invalid_request')
  })

  it('unknown paths and methods and invalid Idempotency-Keys are refused', async () => {
    expectError(await me.get('/v1/nowhere'), 404, 'not_found')
    expectError(await me.get('/nowhere'), 404, 'not_found')
    expectError(await me.get('/v1/transcript/%E0%A4%A'), 400, 'invalid_request')
    const put = await me.call('PUT', '/v1/transcript', JSON.stringify(good), json)
    expectError(put, 405, 'method_not_allowed')
    expect(put.headers.get('allow')).to.equal('POST')
    expectError(await me.transcript(good, { 'idempotency-key': 'x'.repeat(256) }), 400, 'invalid_request')
  })

  it('bytes that no client sends are answered with the Error object', async () => {
    const { base } = setting.service
    const body = JSON.stringify(good)
    const head = ['POST /v1/transcript HTTP/1.1', 'Host: x', 'Connection: close']
    const post = (...headers: string[]) => rawRequest(base, [...head, ...headers, '', body].join('\r\n'))
    const key = `X-Api-Key: ${me.key}`
    const type = 'Content-Type: application/json'
    const length = `Content-Length: ${body.length}`
    const idempotencyKeys = ['Idempotency-Key: \x01', 'Idempotency-Key: b']
    const cases: [string, Promise<{ status: number; body: string }>, number, string][] = [
      ['not HTTP', rawRequest(base, 'GARBAGE / HTTP/9.9\r\n\r\n'), 400, 'invalid_request'],
      ['large headers', post(key, type, length, `X-Big: ${'a'.repeat(20_000)}`), 431, 'headers_too_large'],
      ['two lengths', post(key, type, length, 'Content-Length: 5'), 400, 'invalid_request'],
      ['length and chunks', post(key, type, length, 'Transfer-Encoding: chunked'), 400, 'invalid_request'],
      ['two different keys', post(key, 'X-Api-Key: ma_other', type, length), 401, 'unauthorized'],
      ['the same key twice', post(key, key, type, length), 401, 'unauthorized'],
      ['two Idempotency-Keys', post(key, type, length, ...idempotencyKeys), 400, 'invalid_request'],
    ]
    for (const [what, answer, status, code] of cases) {
      const seen = await answer
      expect([seen.status, (JSON.parse(seen.body || '{}') as AnswerBody).error], what).to.deep.equal([status, code])
    }
  })

  it('without a valid key everything under /v1 is 401, before anything else is checked', async () => {
    const changed = me.key.slice(0, -1) + (me.key.endsWith('a') ? 'b' : 'a')
    for (const key of ['', 'ma_', changed, `ma_${'a'.repeat(38)}`, `ma_${'x'.repeat(5000)}`]) {
      const nobody = me.withKey(key)
      expectError(await nobody.get('/v1/me'), 401, 'unauthorized')
      expectError(await nobody.call('POST', '/v1/transcript', '{bad', json), 401, 'unauthorized')
    }
    const nobody = me.withKey('')
    expectError(await nobody.get('/v1/me', { authorization: `Bearer ${me.key}` }), 401, 'unauthorized')
    expectError(await me.get('/v1/me', { X_API_KEY: 'ma_other' }), 401, 'unauthorized')
    expect((await nobody.get('/v1/me', { X_API_KEY: me.key })).body.orgId).to.equal(me.orgId)
    expect((await nobody.get('/health')).body).to.deep.equal({ status: 'ok' })
  })

  it('every answer has an X-Request-Id of its own', async () => {
    const answers = await Promise.all([
      me.get('/health'),
      me.get('/v1/me'),
      me.get('/v1/nowhere'),
      me.withKey('').get('/v1/me'),
      me.get('/openapi.json'),
    ])
    const ids = answers.map(({ headers }) => headers.get('x-request-id'))
    expect(new Set(ids).size).to.equal(answers.length)
    expect(ids).to.not.include(null)
  })
})

describe('a service with its defaults', function () {
  this.timeout(60_000)
  const setting = openedForAll(() => Setting.start())

  describe('keys', () => {
    it('a revoked key is 401 on the very next request, and the others still work', async () => {
      const me = await setting.client()
      for (let round = 0; round < 3; round++) {
        const { body } = await me.post('/v1/keys', { name: `laptop ${round}` })
        const laptop = me.withKey(body.key ?? '')
        expect((await laptop.get('/v1/me')).status).to.equal(200)
        expect((await me.delete(`/v1/keys/${body.id}`)).status).to.equal(200)
        expectError(await laptop.get('/v1/me'), 401, 'unauthorized')
        expectError(await laptop.transcript(good), 401, 'unauthorized')
      }
      expect(await me.credits()).to.equal(50)
    })

    it('can revoke itself; a revoked key can do nothing more', async () => {
      const me = await setting.client()
      expect((await me.delete(`/v1/keys/${me.keyId}`)).status).to.equal(200)
      const end = await (await setting.backDoor()).end()
      expectError(await me.post('/v1/keys', { name: 'another' }), 401, 'unauthorized')
      expectError(await me.delete(`/v1/keys/${me.keyId}`), 401, 'unauthorized')
      expect(await (await setting.backDoor()).end()).to.equal(end)
    })

    it('of another organization cannot be revoked, nor distinguished from one that never was', async () => {
      const [me, other] = await Promise.all([setting.client(), setting.client()])
      const [theirs, never] = await Promise.all([me.delete(`/v1/keys/${other.keyId}`), me.delete('/v1/keys/nothing')])
      expectError(theirs, 404, 'not_found')
      expect(theirs.text).to.equal(never.text)
      expect((await other.get('/v1/me')).status).to.equal(200)
    })
  })

  describe('rate limits', () => {
    const headersOf = ({ headers }: Answer) =>
      ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`x-ratelimit-${name}`)))

    for (const { tier, limit, ask, ok } of [
      { tier: 'light', limit: 120, ask: (me: Client) => me.get('/v1/me'), ok: 200 },
      { tier: 'heavy', limit: 30, ask: (me: Client) => me.transcript({ url: 'bad' }), ok: 400 },
      { tier: 'polls', limit: 600, ask: (me: Client) => me.get('/v1/transcript/x'), ok: 404 },
    ])
      it(`${tier}: ${limit} a minute, then 429 until the reset that the first answer named`, async () => {
        const [me, other] = await Promise.all([setting.client(), setting.client()])
        const from = Date.now()
        const first = await ask(me)
        const started = Date.now()
        expect(headersOf(first).slice(0, 2)).to.deep.equal([limit, limit - 1])
        const reset = headersOf(first)[2] ?? 0
        expect(reset).to.be.within(Math.ceil((from + 60_000) / 1000), Math.ceil((started + 60_000) / 1000))
        const rest = await Promise.all(Array.from({ length: limit + 4 }, () => ask(me)))
        expect(rest.filter(({ status }) => status === ok).length).to.equal(limit - 1)
        const refused = rest.filter(({ status }) => status === 429)
        expect(refused).to.have.length(5)
        for (const answer of refused) {
          expectError(answer, 429, 'rate_limited')
          expect(headersOf(answer).slice(0, 2)).to.deep.equal([limit, 0])
          expect(headersOf(answer)[2]).to.be.closeTo(reset, 1)
          const wait = Number(answer.headers.get('retry-after'))
          expect(wait * 1000).to.be.within(reset * 1000 - Date.now() - 1000, 60_000)
        }
        expect((await ask(other)).status, 'other callers are not limited').to.equal(ok)
        expect((await me.get(tier === 'light' ? '/v1/transcript/x' : '/v1/me')).status).to.not.equal(429)
      })

    it('a refused post writes nothing', async () => {
      const me = await setting.client()
      await Promise.all(Array.from({ length: 30 }, () => me.transcript({ url: 'bad' })))
      const end = await (await setting.backDoor()).end()
      expectError(await me.transcript(good), 429, 'rate_limited')
      expect(await (await setting.backDoor()).end()).to.equal(end)
      expect(await me.credits()).to.equal(50)
    })
  })
})

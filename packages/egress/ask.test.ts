import type { IncomingMessage, RequestListener } from 'node:http'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { expect } from 'chai'
import { openedForAll } from '#test/doubles/opened.ts'
import { ask, type Question } from './ask.ts'
import { openEgress, reasonOf, startOutside, textOf } from './egress.harness.ts'
import { EgressError } from './egress-error.ts'
import { PUBLIC } from './hostile.fixture.ts'

type Seen = { method: string | undefined; url: string; body: string; headers: IncomingMessage['headers'] }

describe('a request for a whole answer', () => {
  let handler: RequestListener
  let seen: Seen[]
  beforeEach(() => {
    seen = []
  })
  const outside = openedForAll(() =>
    startOutside(async (request, response) => {
      const { method, headers } = request
      seen.push({ method, url: `${headers.host}${request.url}`, body: await textOf(request), headers })
      handler(request, response)
    }),
  )
  const egress = openedForAll(() => openEgress({ resolve: async () => [PUBLIC], dial: outside.dial }))
  const asking = (more: Partial<Question> = {}, url = 'http://api.example.com/a') =>
    ask(egress, url, { signal: new AbortController().signal, maxBytes: 100_000, deadlineMs: 5_000, ...more })

  it('sends the body of a POST and gives the JSON of the answer', async () => {
    handler = (_, response) => void response.writeHead(200, { 'x-a': 'b' }).end('{"ok": [1, "ü"]}')
    const headers = { 'content-type': 'application/json' }
    const answer = await asking({ method: 'POST', body: '{"q":"ü"}', headers })
    expect(answer).to.deep.include({ status: 200, url: 'http://api.example.com/a', text: '{"ok": [1, "ü"]}' })
    expect(answer.json()).to.deep.equal({ ok: [1, 'ü'] })
    expect(answer.headers['x-a']).to.equal('b')
    expect(seen).to.have.length(1)
    expect(seen[0]).to.deep.include({ method: 'POST', body: '{"q":"ü"}' })
    expect(seen[0]?.headers).to.include({ 'content-type': 'application/json', 'content-length': '10' })
  })

  it('fails with unreadable for invalid JSON, and shows none of it', async () => {
    handler = (_, response) => void response.end('<html>secret')
    const answer = await asking()
    expect(() => answer.json()).to.throw(EgressError, /^unreadable: api\.example\.com sends no JSON$/)
  })

  for (const [coding, compress] of [
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ] as const) {
    it(`reads a body that is compressed by ${coding}`, async () => {
      const page = 'page '.repeat(10_000)
      handler = (_, response) => void response.writeHead(200, { 'content-encoding': coding }).end(compress(page))
      const answer = await asking()
      expect(answer.text).to.equal(page)
      expect(answer.headers).to.not.have.property('content-encoding')
      expect(seen[0]?.headers['accept-encoding']).to.equal('gzip, deflate, br')
    })

    it(`stops a ${coding} bomb at the bound`, async () => {
      const bomb = compress(Buffer.alloc(20_000_000))
      expect(bomb.length).to.be.lessThan(100_000)
      handler = (_, response) => void response.writeHead(200, { 'content-encoding': coding }).end(bomb)
      expect(await reasonOf(asking())).to.equal('too_large')
    })

    it(`fails with unreadable for a body that is not ${coding}, and with cut_short for half of one`, async () => {
      const whole = compress(Buffer.from(Array.from({ length: 9_000 }, (_, index) => (index * index) % 251)))
      handler = (_, response) =>
        void response.writeHead(200, { 'content-encoding': coding }).end('plain text '.repeat(50))
      expect(await reasonOf(asking())).to.equal('unreadable')
      handler = (_, response) =>
        void response.writeHead(200, { 'content-encoding': coding }).end(whole.subarray(0, whole.length / 2))
      expect(await reasonOf(asking())).to.equal('cut_short')
    })
  }

  it('undoes codings in turn, the last one first, and ignores words that name none', async () => {
    const twice = brotliCompressSync(gzipSync('page'))
    handler = (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip, br' }).end(twice)
    expect((await asking()).text).to.equal('page')
    handler = (_, response) => void response.writeHead(200, { 'content-encoding': 'utf-8, aws-chunked' }).end('page')
    expect((await asking()).text).to.equal('page')
    handler = (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip,'.repeat(50) }).end('page')
    expect(await reasonOf(asking())).to.equal('unreadable')
  })

  it('reads an empty answer that states a coding', async () => {
    handler = (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end()
    expect((await asking()).text).to.equal('')
    expect((await asking({ method: 'HEAD' })).text).to.equal('')
  })

  it('ends at its deadline, before the head or within the body, and with the reason of its signal', async () => {
    handler = () => undefined
    expect(await reasonOf(asking({ deadlineMs: 100 }))).to.equal('timeout')
    handler = (_, response) => void response.write('begun')
    expect(await reasonOf(asking({ deadlineMs: 100 }))).to.equal('timeout')
    const abort = new AbortController()
    handler = () => abort.abort(new Error('no longer wanted'))
    expect(await reasonOf(asking({ signal: abort.signal }))).to.equal('Error: no longer wanted')
  })

  for (const { status, method, body } of [
    { status: 301, method: 'GET', body: '' },
    { status: 302, method: 'GET', body: '' },
    { status: 303, method: 'GET', body: '' },
    { status: 307, method: 'POST', body: 'q=1' },
    { status: 308, method: 'POST', body: 'q=1' },
  ]) {
    it(`follows ${status} after a POST with a ${method}`, async () => {
      handler = (request, response) =>
        request.url === '/a' ? void response.writeHead(status, { location: '/b' }).end() : void response.end('there')
      const headers = { 'Content-Type': 'text/plain', cookie: 'a=b' }
      expect((await asking({ method: 'POST', body: 'q=1', headers })).text).to.equal('there')
      expect(seen[1]).to.deep.include({ method, body, url: 'api.example.com/b' })
      expect(seen[1]?.headers['content-type']).to.equal(method === 'POST' ? 'text/plain' : undefined)
      expect(seen[1]?.headers.cookie, 'the same host').to.equal('a=b')
    })
  }

  it('passes no cookie, authorization or key of any name to another host', async () => {
    handler = (request, response) =>
      request.url === '/a'
        ? void response.writeHead(307, { location: 'http://other.example.com/b' }).end()
        : void response.end()
    const secret = {
      Cookie: 'a=b',
      authorization: 'Bearer x',
      'X-Subscription-Token': 'x',
      referer: 'http://a.example/?k=x',
    }
    await asking({ method: 'POST', body: 'q=1', headers: { ...secret, 'User-Agent': 'reader', accept: 'text/html' } })
    expect(seen[0]?.headers).to.include({ cookie: 'a=b', authorization: 'Bearer x', 'x-subscription-token': 'x' })
    const kept = Object.keys(seen[1]?.headers ?? {}).filter(
      (name) => !['host', 'connection', 'content-length'].includes(name),
    )
    expect(kept.sort()).to.deep.equal(['accept', 'accept-encoding', 'user-agent'])
  })

  it('returns a redirect unchanged if redirect is manual', async () => {
    handler = (_, response) => void response.writeHead(302, { location: 'http://127.0.0.1/' }).end()
    const signal = new AbortController().signal
    await using answer = await egress.request('http://t.example.com/x', { signal, maxBytes: 0, redirect: 'manual' })
    expect([answer.status, answer.headers.location]).to.deep.equal([302, 'http://127.0.0.1/'])
    expect(seen).to.have.length(1)
  })
})

import { request as plainRequest } from 'node:http'
import { expect } from 'chai'
import { openEgress, textOf } from '#packages/egress/egress.harness.ts'
import { openedForEach } from '#test/doubles/opened.ts'
import { ORDERS, startSandbox } from './sandbox.ts'
import type { Site } from './site.ts'

const film = Buffer.from('0123456789')
const site: Site = {
  hosts: ['films.example.com', '*.cdn.example.com'],
  answer: ({ method, url, body }) => {
    if (url.pathname === '/film') return { status: 200, headers: { 'content-type': 'video/mp4' }, body: film }
    if (url.pathname === '/json')
      return { status: 200, body: { kept: 1, items: [{ name: 'a', size: 1 }, { name: 'b' }] } }
    if (url.pathname === '/page') {
      const data = { title: 'A', views: 3 }
      return { status: 200, page: { data, render: (left) => `<script>${JSON.stringify(left)}</script>` } }
    }
    if (url.pathname === '/echo') return { status: 201, body: `${method} ${url.search} ${body}` }
    return undefined
  },
}

describe('the sandbox', () => {
  const sandbox = openedForEach(() => startSandbox([site]))

  type Asked = { exit?: string; headers?: Record<string, string>; headersTimeoutMs?: number }
  async function read(url: string, { exit = '', headersTimeoutMs = 10_000, ...more }: Asked = {}) {
    const proxy = exit ? sandbox.proxyUrl.replace('//', `//${exit}:secret@`) : sandbox.proxyUrl
    await using egress = await openEgress({ proxy, caFile: sandbox.caFile, headersTimeoutMs, maxRedirects: 0 })
    const signal = AbortSignal.timeout(15_000)
    await using answer = await egress.request(url, { signal, maxBytes: 1_000_000, ...more })
    return { status: answer.status, headers: answer.headers, text: await textOf(answer.body) }
  }

  for (const scheme of ['https', 'http'])
    it(`answers for the hosts of its sites over ${scheme}, with a certificate of its own authority`, async () => {
      expect((await read(`${scheme}://films.example.com/film`)).text).to.equal('0123456789')
      expect((await read(`${scheme}://a.b.cdn.example.com/film`)).text).to.equal('0123456789')
      expect((await read(`${scheme}://films.example.com/nowhere`)).status).to.equal(404)
      expect(sandbox.refused).to.deep.equal([])
    })

  it('is not trusted by clients without its authority', async () => {
    await using egress = await openEgress({ proxy: sandbox.proxyUrl })
    const asked = egress.request('https://films.example.com/film', { signal: AbortSignal.timeout(5_000), maxBytes: 10 })
    expect(await asked.catch(({ reason }) => reason)).to.equal('tls')
  })

  it('refuses hosts that no site has, other ports and addresses, and lists them', async () => {
    const failed = (url: string) =>
      read(url).then(
        ({ status }) => status,
        ({ reason }) => reason,
      )
    expect(await failed('https://example.com/film')).to.equal('not_found')
    expect(await failed('https://cdn.example.com/film')).to.equal('not_found')
    expect(await failed('http://example.com/film')).to.equal('not_found')
    const asked = plainRequest(`${sandbox.proxyUrl}/`, { path: 'http://films.example.com:8080/film' })
    const status = await new Promise((resolve) =>
      asked.on('response', (answer) => resolve(answer.resume().statusCode)).end(),
    )
    expect(status).to.equal(502)
    expect(sandbox.refused).to.deep.equal([
      'example.com:443',
      'cdn.example.com:443',
      'http://example.com/film',
      'http://films.example.com:8080/film',
    ])
  })

  it('serves ranges of a body, and refuses those beyond its end', async () => {
    const part = async (range: string) => {
      const { status, text, headers } = await read('https://films.example.com/film', { headers: { range } })
      return [status, text, headers['content-range']]
    }
    expect(await part('bytes=2-4')).to.deep.equal([206, '234', 'bytes 2-4/10'])
    expect(await part('bytes=8-')).to.deep.equal([206, '89', 'bytes 8-9/10'])
    expect(await part('bytes=-3')).to.deep.equal([206, '789', 'bytes 7-9/10'])
    expect(await part('bytes=4-99')).to.deep.equal([206, '456789', 'bytes 4-9/10'])
    expect(await part('bytes=10-')).to.deep.equal([416, '', 'bytes */10'])
  })

  it('counts requests and bytes per host, path and exit', async () => {
    await read('https://films.example.com/film', { exit: 'first' })
    await read('https://x.cdn.example.com/film', { exit: 'second', headers: { range: 'bytes=0-3' } })
    await read('https://films.example.com/json?a=1')
    expect(sandbox.traffic.count()).to.include({ requests: 3 })
    expect(sandbox.traffic.count({ path: '/film' })).to.deep.equal({ requests: 2, bytes: 14 })
    expect(sandbox.traffic.count({ host: '*.cdn.example.com' })).to.deep.equal({ requests: 1, bytes: 4 })
    expect(sandbox.traffic.of({ exit: 'first' }).map(({ url }) => url)).to.deep.equal([
      'https://films.example.com/film',
    ])
  })

  it('answers instead of a site until the disturbance is disposed of', async () => {
    using _all = sandbox.disturb({
      host: 'films.example.com',
      path: '/film',
      exit: 'blocked',
      how: { kind: 'answer', status: 429, headers: { 'retry-after': '7' } },
    })
    const { status, headers } = await read('https://films.example.com/film', { exit: 'blocked' })
    expect([status, headers['retry-after']]).to.deep.equal([429, '7'])
    expect((await read('https://films.example.com/film', { exit: 'other' })).status).to.equal(200)
    _all[Symbol.dispose]()
    expect((await read('https://films.example.com/film', { exit: 'blocked' })).status).to.equal(200)
  })

  it('accepts disturbances at its own address, which last as long as their connection', async () => {
    const slow = { host: 'films.example.com', how: { kind: 'slow', seconds: 600 } }
    const order = (type: string, signal: AbortSignal) =>
      fetch(new URL(ORDERS, sandbox.proxyUrl), {
        method: 'POST',
        headers: { 'content-type': type },
        body: JSON.stringify(slow),
        signal,
      })
    const connection = new AbortController()
    expect((await order('text/plain', connection.signal)).status, 'of a page in a browser').to.equal(415)
    expect((await order('application/json', connection.signal)).status).to.equal(200)
    let answered = false
    const late = read('http://films.example.com/film').then(({ text }) => {
      answered = true
      return text
    })
    expect((await read('http://a.cdn.example.com/film')).text, 'of another host').to.equal('0123456789')
    expect(answered).to.equal(false)
    connection.abort()
    expect(await late).to.equal('0123456789')
  })

  it('disturbs the ordered number of requests', async () => {
    using _once = sandbox.disturb({ host: '*.cdn.example.com', times: 1, how: { kind: 'answer', status: 500 } })
    expect((await read('https://a.cdn.example.com/film')).status).to.equal(500)
    expect((await read('https://a.cdn.example.com/film')).status).to.equal(200)
  })

  it('hangs, and cuts a body', async () => {
    const reasonOf = (more: Asked = {}) => read('https://films.example.com/film', more).catch(({ reason }) => reason)
    {
      using _hanging = sandbox.disturb({ host: 'films.example.com', how: { kind: 'hang' } })
      expect(await reasonOf({ headersTimeoutMs: 1_000 })).to.equal('timeout')
    }
    using _cutting = sandbox.disturb({ host: 'films.example.com', how: { kind: 'cut', afterBytes: 4 } })
    expect(await reasonOf()).to.equal('cut_short')
  })

  it('leaves one field out of JSON and of the data of a page', async () => {
    using _field = sandbox.disturb({
      host: 'films.example.com',
      path: '/json',
      how: { kind: 'without', field: 'items.*.name' },
    })
    using _views = sandbox.disturb({
      host: 'films.example.com',
      path: '/page',
      how: { kind: 'without', field: 'views' },
    })
    expect(JSON.parse((await read('https://films.example.com/json')).text)).to.deep.equal({
      kept: 1,
      items: [{ size: 1 }, {}],
    })
    expect((await read('https://films.example.com/page')).text).to.equal('<script>{"title":"A"}</script>')
  })
})

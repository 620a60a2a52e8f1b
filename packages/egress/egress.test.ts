import type { RequestListener } from 'node:http'
import { expect } from 'chai'
import { openedForAll, openedForEach } from '#test/doubles/opened.ts'
import { startSecuredWorld } from '#test/doubles/world/secured-world.ts'
import type { WorldHandler } from '#test/doubles/world/world.ts'
import type { Dial } from './connect.ts'
import { hangingDial, openEgress, reasonOf, startOutside, textOf } from './egress.harness.ts'
import type { Egress } from './egress.ts'
import type { EgressRoutesOptions } from './egress-routes.ts'
import { inwardAnswers, PUBLIC } from './hostile.fixture.ts'

const signal = new AbortController().signal

async function read(egress: Egress, url: string, more: { maxBytes?: number; headers?: Record<string, string> } = {}) {
  await using response = await egress.request(url, { signal, maxBytes: 1_000_000, ...more })
  return { url: response.url, status: response.status, text: await textOf(response.body) }
}

describe('egress without a proxy', () => {
  let handler: RequestListener
  const outside = openedForEach(() => startOutside((request, response) => handler(request, response)))
  const open = (options: Partial<EgressRoutesOptions> = {}) =>
    openEgress({ resolve: async (host) => inwardAnswers[host] ?? [PUBLIC], dial: outside.dial, ...options })
  const egress = openedForEach(open)

  it('gives status, headers and body of a public host', async () => {
    handler = (_, response) => void response.writeHead(200, { 'x-a': 'b' }).end('hello')
    expect(await read(egress, 'http://cdn.example.com/a?b=%2F')).to.deep.equal({
      url: 'http://cdn.example.com/a?b=%2F',
      status: 200,
      text: 'hello',
    })
    expect(outside.asked).to.deep.equal(['cdn.example.com/a?b=%2F'])
  })

  it('tries the next address if one does not answer', async () => {
    handler = (_, response) => void response.end('second')
    const dial: Dial = (address, ...rest) =>
      address === PUBLIC ? outside.dial(address, ...rest) : Promise.reject(new Error('ENETUNREACH'))
    await using two = await open({ resolve: async () => ['2606:2800:220:1::1', PUBLIC], dial })
    expect((await read(two, 'http://cdn.example.com/')).text).to.equal('second')
  })

  it('distinguishes a host that refuses at every address from a broken connection', async () => {
    const refused: Dial = () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))
    await using closed = await open({ resolve: async () => [PUBLIC, '93.184.216.35'], dial: refused })
    expect(await reasonOf(read(closed, 'http://cdn.example.com/'))).to.equal('no_connection')
    handler = (_, response) => void response.destroy()
    expect(await reasonOf(read(egress, 'http://cdn.example.com/'))).to.equal('unreachable')
  })

  for (const location of [
    'http://127.0.0.1:9/latest',
    'http://169.254.169.254/',
    'http://db.internal/',
    'ftp://a.example.com/',
    'http://loopback.example.com/b',
  ]) {
    it(`does not follow a redirect to ${location}`, async () => {
      handler = (_, response) => void response.writeHead(302, { location }).end()
      expect(await reasonOf(read(egress, 'http://cdn.example.com/a'))).to.equal('refused_address')
      expect(outside.asked).to.deep.equal(['cdn.example.com/a'])
    })
  }

  it('follows at most ten redirects, without sending secrets on', async () => {
    const cookies: unknown[] = []
    handler = (request, response) => {
      cookies.push(request.headers.cookie)
      const hop = Number(request.url?.slice(1))
      if (hop === 0) response.end('there')
      else response.writeHead(302, { location: `http://h${hop}.example.com/${hop - 1}` }).end()
    }
    const there = await read(egress, 'http://cdn.example.com/10', { headers: { Cookie: 'a=b' } })
    expect(there).to.include({ url: 'http://h1.example.com/0', text: 'there' })
    expect(cookies).to.deep.equal(['a=b', ...Array(10)])
    expect(await reasonOf(read(egress, 'http://cdn.example.com/11'))).to.equal('too_many_redirects')
  })

  it('checks the tenth redirect like the first', async () => {
    handler = (request, response) => {
      const hop = Number(request.url?.slice(1))
      const location = hop === 1 ? 'http://169.254.169.254/' : `/${hop - 1}`
      response.writeHead(302, { location }).end()
    }
    expect(await reasonOf(read(egress, 'http://cdn.example.com/10'))).to.equal('refused_address')
    expect(outside.asked).to.have.length(10)
  })

  it('follows a Location in raw UTF-8, byte for byte, in path and host', async () => {
    handler = (request, response) => {
      if (request.url !== '/a') return void response.end('there')
      const target = 'http://bücher.example/чай/файл №1.mp4?q=é'
      response.socket?.end(Buffer.from(`HTTP/1.1 302 Found\r\nlocation: ${target}\r\n\r\n`))
    }
    const url = 'http://xn--bcher-kva.example/%D1%87%D0%B0%D0%B9/%D1%84%D0%B0%D0%B9%D0%BB%20%E2%84%961.mp4?q=%C3%A9'
    expect(await read(egress, 'http://cdn.example.com/a')).to.include({ url, text: 'there' })
  })

  it('sends a cookie back only to the host that set it with a redirect', async () => {
    const cookies: unknown[] = []
    handler = ({ headers, url }, response) => {
      cookies.push([headers.host, url, headers.cookie])
      const knows = headers.cookie === 'seen=1'
      if (url === '/gate' && !knows) {
        response.writeHead(302, { location: '/gate', 'set-cookie': ['seen=1; Path=/', 'safe=2; Secure'] }).end()
      } else if (url === '/gate') {
        response.writeHead(302, { location: 'http://b.example.com/there' }).end()
      } else response.end('there')
    }
    expect((await read(egress, 'http://a.example.com/gate')).text).to.equal('there')
    expect(cookies).to.deep.equal([
      ['a.example.com', '/gate', undefined],
      ['a.example.com', '/gate', 'seen=1'],
      ['b.example.com', '/there', undefined],
    ])
  })

  it('stops a body that is too large, even if its length is not stated', async () => {
    handler = (_, response) => void response.writeHead(200, { 'content-length': 5000 }).end('x'.repeat(5000))
    expect(await reasonOf(read(egress, 'http://cdn.example.com/', { maxBytes: 4999 }))).to.equal('too_large')
    handler = (_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      }
      response.on('drain', more)
      more()
    }
    expect(await reasonOf(read(egress, 'http://cdn.example.com/', { maxBytes: 1_000_000 }))).to.equal('too_large')
  })

  it('fails when a head or a body stalls', async () => {
    await using impatient = await open({ headersTimeoutMs: 200, readTimeoutMs: 200 })
    for (const stalling of [() => undefined, (_, response) => void response.write('begun')] as RequestListener[]) {
      handler = stalling
      expect(await reasonOf(read(impatient, 'http://cdn.example.com/'))).to.equal('timeout')
    }
  })

  it('fails when connecting takes too long', async () => {
    await using impatient = await open({ dial: hangingDial, connectTimeoutMs: 100 })
    expect(await reasonOf(read(impatient, 'http://cdn.example.com/'))).to.equal('no_answer')
  })

  it('fails with cut_short for a body that breaks off', async () => {
    handler = (_, response) => {
      response.writeHead(200, { 'content-length': 100 })
      response.write('begun', () => response.destroy())
    }
    expect(await reasonOf(read(egress, 'http://cdn.example.com/'))).to.equal('cut_short')
  })

  it('ends with the reason of its signal', async () => {
    const abort = new AbortController()
    handler = () => abort.abort(new Error('no longer wanted'))
    const asking = egress.request('http://cdn.example.com/', { signal: abort.signal, maxBytes: 1 })
    expect(await reasonOf(asking)).to.equal('Error: no longer wanted')
  })
})

describe('egress through a proxy', () => {
  const to =
    (location: string): WorldHandler =>
    (_, response) =>
      void response.writeHead(302, { location }).end()
  const files = {
    '/a': Buffer.from('here'),
    '/inward': to('http://127.0.0.1:9/'),
    '/away': to('https://other.example.com/a'),
  }
  const world = openedForAll(() => startSecuredWorld({ files, credentials: 'user:p@ss' }))
  const open = (more: Partial<EgressRoutesOptions> = {}) =>
    openEgress({
      proxy: world.proxyUrl.replace('://', '://user:p%40ss@'),
      resolve: () => expect.fail('looked up'),
      ...more,
    })

  it('requests http in absolute form and https by CONNECT, and leaves lookups to the proxy', async () => {
    await using egress = await open({ caFile: world.caFile })
    expect(await read(egress, 'http://cdn.example.com/a?t=%2F')).to.include({ text: 'here' })
    expect(await read(egress, 'https://cdn.example.com/a')).to.include({ text: 'here' })
    expect(await read(egress, 'http://cdn.example.com/away')).to.include({
      url: 'https://other.example.com/a',
      text: 'here',
    })
    expect(world.requests.slice(0, 2)).to.deep.equal(['http://cdn.example.com/a?t=%2F', 'https://cdn.example.com/a'])
  })

  it('trusts the authorities in the CA file, and no others', async () => {
    await using egress = await open()
    expect(await reasonOf(read(egress, 'https://cdn.example.com/a'))).to.equal('tls')
  })

  it('refuses internal addresses, even in redirects, before any request to the proxy', async () => {
    await using egress = await open()
    for (const url of [
      'http://127.0.0.1/',
      'http://localhost/',
      'http://a.internal/',
      'http://cdn.example.com/inward',
    ]) {
      expect(await reasonOf(read(egress, url)), url).to.equal('refused_address')
    }
    expect(world.refused).to.deep.equal([])
  })

  it('fails with unreachable when the proxy refuses the credentials or cannot reach the host', async () => {
    await using stranger = await open({ proxy: world.proxyUrl })
    expect(await reasonOf(read(stranger, 'http://cdn.example.com/a'))).to.equal('unreachable')
    expect(await reasonOf(read(stranger, 'https://cdn.example.com/a'))).to.equal('unreachable')
    await using egress = await open()
    expect(await reasonOf(read(egress, 'https://elsewhere.example.org/a'))).to.equal('unreachable')
    expect(world.refused.splice(0)).to.deep.equal(['elsewhere.example.org:443'])
  })
})

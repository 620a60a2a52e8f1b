import { createServer } from 'node:http'
import { expect } from 'chai'
import { onLoopback } from '#test/doubles/loopback-server.ts'
import { openedForAll, openedForEach } from '#test/doubles/opened.ts'
import { openEgress, reasonOf } from './egress.harness.ts'

const asked = { signal: new AbortController().signal, maxBytes: 1_000 }

describe('why an HTTP proxy does not reach a host', () => {
  let header = ''
  const server = createServer((_, response) => {
    const [name = '', value = ''] = header.split(': ')
    response.writeHead(503, { [name]: value }).end()
  }).on('connect', (_, socket) => socket.end(`HTTP/1.1 503 Service Unavailable\r\n${header}\r\n\r\n`))
  const proxy = openedForAll(() => onLoopback(server))
  const egress = openedForEach(() => openEgress({ proxy: `http://127.0.0.1:${proxy.port}` }))

  for (const [answer, reason] of [
    ['Proxy-Status: exit; error=dns_error; rcode=NXDOMAIN', 'not_found'],
    ['Proxy-Status: exit; next-hop=192.0.2.1; error=connection_refused', 'no_connection'],
    ['X-Squid-Error: ERR_DNS_FAIL 0', 'not_found'],
    ['X-Squid-Error: ERR_CONNECT_FAIL 111', 'no_connection'],
  ] as const)
    it(`is ${reason} if it answers ${answer}, for http and https`, async () => {
      header = answer
      for (const scheme of ['http', 'https'])
        expect(await reasonOf(egress.request(`${scheme}://cdn.example.com/a`, asked)), scheme).to.equal(reason)
    })

  it('is unknown if the proxy itself fails', async () => {
    header = 'Proxy-Status: exit; error=proxy_internal_error'
    expect(await reasonOf(egress.request('https://cdn.example.com/a', asked))).to.equal('unreachable')
    await using response = await egress.request('http://cdn.example.com/a', asked)
    expect(response.status).to.equal(503)
  })
})

import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { openEgress, reasonOf } from './egress.harness.ts'

const asked = { signal: new AbortController().signal, maxBytes: 1_000 }

describe('why an HTTP proxy does not reach a host', () => {
  let proxy: Server
  let header = ''
  before(async () => {
    proxy = createServer((_, response) => {
      const [name = '', value = ''] = header.split(': ')
      response.writeHead(503, { [name]: value }).end()
    }).on('connect', (_, socket) => socket.end(`HTTP/1.1 503 Service Unavailable\r\n${header}\r\n\r\n`))
    await once(proxy.listen(0, '127.0.0.1'), 'listening')
  })
  after(() => void proxy.close())

  for (const [answer, reason] of [
    ['Proxy-Status: exit; error=dns_error; rcode=NXDOMAIN', 'not_found'],
    ['Proxy-Status: exit; next-hop=192.0.2.1; error=connection_refused', 'no_connection'],
    ['X-Squid-Error: ERR_DNS_FAIL 0', 'not_found'],
    ['X-Squid-Error: ERR_CONNECT_FAIL 111', 'no_connection'],
  ] as const)
    it(`is ${reason} if it answers ${answer}, for http and https`, async () => {
      header = answer
      await using egress = await openEgress({ proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` })
      for (const scheme of ['http', 'https'])
        expect(await reasonOf(egress.request(`${scheme}://cdn.example.com/a`, asked)), scheme).to.equal(reason)
    })

  it('is unknown if the proxy itself fails', async () => {
    header = 'Proxy-Status: exit; error=proxy_internal_error'
    await using egress = await openEgress({ proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` })
    expect(await reasonOf(egress.request('https://cdn.example.com/a', asked))).to.equal('unreachable')
    await using response = await egress.request('http://cdn.example.com/a', asked)
    expect(response.status).to.equal(503)
  })
})

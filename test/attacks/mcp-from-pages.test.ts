/** Requests to /mcp by a page in a browser whose host name resolves to this machine (DNS rebinding). */
import { expect } from 'chai'
import { madeForAll, openedForAll } from '#test/doubles/opened.ts'
import { Peer } from '#test/doubles/service/peer.ts'
import { rawRequest } from '#test/doubles/service/raw-request.ts'
import { Setting } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'

describe('/mcp and the pages of a browser', function () {
  this.timeout(60_000)
  const setting = openedForAll(() =>
    Setting.start({ speech: null, env: { MCP_ALLOWED_ORIGINS: 'https://video.example.com' } }),
  )
  const me = madeForAll(() => setting.client())

  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  /** The status and the body of a ping with a real key: only its headers can be a reason to refuse it. */
  const ping = async (headers: string[], key = me.key) => {
    using peer = (await Peer.open(setting.service.base)).read()
    const head = [
      'POST /mcp HTTP/1.1',
      'Content-Type: application/json',
      'Accept: application/json, text/event-stream',
      `Content-Length: ${body.length}`,
      `x-api-key: ${key}`,
      ...headers,
    ]
    peer.write(`${head.join('\r\n')}\r\n\r\n${body}`)
    await until('it is answered', () => peer.got.includes('}'))
    return { status: peer.statuses[0], body: peer.got.slice(peer.got.indexOf('\r\n\r\n')) }
  }
  const port = (): string => new URL(setting.service.base).port

  it('serves the hosts that agents use, and pages of its own origins', async () => {
    const own = `localhost:${port()}`
    const cases = [
      [`Host: ${own}`],
      ['Host: 127.0.0.1'],
      ['Host: [::1]:9999'],
      [`Host: ${own}`, `Origin: http://${own}`],
      ['Host: video.example.com'],
      [`Host: ${own}`, 'Origin: https://video.example.com'],
    ]
    for (const headers of cases) expect((await ping(headers)).status, headers.join()).to.equal(200)
  })

  it('refuses other host names, in any spelling', async () => {
    const names = ['evil.example.net', `evil.example.net:${port()}`, 'localhost.evil.net', '127.0.0.1.evil.net']
    const odd = [
      '0.0.0.0',
      '2130706433',
      '[::ffff:127.0.0.1]',
      'localhost.',
      'x@127.0.0.1',
      '127.0.0.1@evil.net',
      '[::]',
    ]
    for (const host of [...names, ...odd]) {
      const answer = await ping([`Host: ${host}`])
      expect([answer.status, JSON.parse(answer.body).error], host).to.deep.equal([403, 'forbidden'])
    }
    expect((await ping([])).status, 'none').to.equal(403)
    expect((await ping(['Host: evil.example.net'], 'ma_wrong')).status, 'before the key').to.equal(403)
  })

  it('refuses pages of other origins, under whichever host name they come', async () => {
    const host = `Host: localhost:${port()}`
    const origins = ['null', 'http://evil.example.net', 'http://localhost', `http://localhost:${Number(port()) + 1}`]
    const odd = [`https://localhost:${port()}`, `http://[::1]:${port()}`, `http://127.0.0.1:${port()}`, 'file://', '']
    for (const origin of [...origins, ...odd, 'https://video.example.com:8443', 'https://video.example.com.evil.net'])
      expect((await ping([host, `Origin: ${origin}`])).status, origin).to.equal(403)
    const twice = [host, `Origin: http://localhost:${port()}`, 'Origin: http://evil.example.net']
    expect((await ping(twice)).status, 'two').to.equal(403)
  })

  it('does not change the rest of the service', async () => {
    const asked = `GET /health HTTP/1.1\r\nHost: evil.example.net\r\nOrigin: null\r\nConnection: close\r\n\r\n`
    expect((await rawRequest(setting.service.base, asked)).status).to.equal(200)
  })
})

import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { serveDashboard } from './served-dashboard.harness.ts'

/** The assets' share, in bytes on the wire, of the 60 kB for a page and its assets together. */
const MAX_ASSET_BYTES = 20_000

/** Not `fetch`, which decompresses the body and so hides how it was sent. */
async function got(url: string, encoding: string) {
  const [answer] = (await once(request(url, { headers: { 'accept-encoding': encoding } }).end(), 'response')) as [
    IncomingMessage,
  ]
  return { headers: answer.headers, body: await buffer(answer) }
}

describe('the assets of the dashboard', () => {
  it('are compressed for browsers that accept gzip, and cached permanently', async () => {
    await using dashboard = await serveDashboard()
    const { html } = await dashboard.visitor().get('/sign-in')
    const paths = [...html.matchAll(/"(\/dashboard\/assets\/[^"]+\.(?:css|js))"/g)].map(([, path]) => path)
    expect(paths).to.have.length(2)
    let bytes = 0
    for (const path of paths) {
      const plain = await got(dashboard.ingress.base + path, 'identity')
      const packed = await got(dashboard.ingress.base + path, 'gzip, br')
      expect(plain.headers['content-encoding']).to.equal(undefined)
      expect(packed.headers).to.include({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' })
      expect(packed.headers['cache-control']).to.include('immutable')
      expect(gunzipSync(packed.body).equals(plain.body)).to.equal(true)
      bytes += packed.body.length
    }
    expect(bytes).to.be.below(MAX_ASSET_BYTES)
  })
})

import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { serveDashboard } from './served-dashboard.harness.ts'

/** A page and its assets together, bytes on the wire; the rest of 60 kB is the page's. */
const MAX_ASSET_BYTES = 20_000

/** `fetch` would hide how the body was sent. */
async function got(url: string, encoding: string) {
  const [answer] = (await once(request(url, { headers: { 'accept-encoding': encoding } }).end(), 'response')) as [
    IncomingMessage,
  ]
  return { headers: answer.headers, body: await buffer(answer) }
}

describe('the assets of the dashboard', () => {
  it('are compressed for browsers that take it, and kept for good', async () => {
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

import { expect } from 'chai'
import { createEgress } from '#packages/egress/egress.ts'
import { parseVideoUrl } from '#packages/platforms/parse-video-url.ts'
import { resolveShortLink } from '#packages/platforms/short-links.ts'
import { loadMedia } from '../media.ts'
import { type Sandbox, startSandbox } from '../sandbox.ts'
import { type Post, textPost, xVideos } from './catalogue.ts'
import { shortCodeOf } from './post-answers.ts'
import { xSites } from './site.ts'

const [first] = xVideos as [Post]
const graphql = `https://x.com/i/api/graphql/a/TweetResultByRestId?variables=${encodeURIComponent(`{"tweetId":"${first.id}"}`)}`

describe('the sandbox’s X', () => {
  let sandbox: Sandbox
  before(async () => {
    sandbox = await startSandbox({ sites: xSites(await loadMedia()) })
  })
  after(() => sandbox.close())

  async function ask(url: string, headers: Record<string, string> = {}, method: 'GET' | 'POST' = 'GET') {
    await using egress = createEgress({ proxy: sandbox.proxyUrl, caFile: sandbox.caFile })
    const signal = AbortSignal.timeout(5_000)
    await using answer = await egress.request(url, { method, headers, signal, maxBytes: 100_000, redirect: 'manual' })
    const chunks: Uint8Array[] = []
    for await (const chunk of answer.body) chunks.push(chunk)
    return { status: answer.status, location: answer.headers.location, text: Buffer.concat(chunks).toString() }
  }

  it('leads every short link to its post', async () => {
    await using egress = createEgress({ proxy: sandbox.proxyUrl, caFile: sandbox.caFile })
    for (const post of [...xVideos, textPost]) {
      const link = parseVideoUrl(`https://t.co/${shortCodeOf(post.id)}`) as Parameters<typeof resolveShortLink>[0]
      const { canonical } = await resolveShortLink(link, egress, AbortSignal.timeout(5_000))
      expect(canonical).equal(post.url)
    }
  })

  it('gives browsers a page in the place of a redirect', async () => {
    const link = `https://t.co/${shortCodeOf(first.id)}`
    expect(await ask(link, { 'user-agent': 'curl' })).include({ status: 301, location: `${first.url}/video/1` })
    const page = await ask(link, { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)' })
    expect([page.status, page.location]).eql([200, undefined])
    expect(page.text).include(`URL=${first.url}/video/1`)
  })

  it('moves from its old names to its new one', async () => {
    for (const host of ['twitter.com', 'mobile.twitter.com', 'www.x.com'])
      expect((await ask(`https://${host}/a/status/1?s=20`)).location).equal('https://x.com/a/status/1?s=20')
  })

  it('answers guests with a token, and nobody else', async () => {
    const authorization = 'Bearer sandbox'
    expect((await ask(graphql)).status).equal(403)
    expect((await ask(graphql, { authorization })).status).equal(403)
    const activation = 'https://api.x.com/1.1/guest/activate.json'
    expect((await ask(activation, {}, 'POST')).status).equal(403)
    const token = JSON.parse((await ask(activation, { authorization }, 'POST')).text).guest_token
    expect((await ask(graphql, { authorization, 'x-guest-token': token })).status).equal(200)
  })
})

import { expect } from 'chai'
import { createEgress } from '#packages/egress/egress.ts'
import { parseVideoUrl } from '#packages/platforms/parse-video-url.ts'
import { resolveShortLink } from '#packages/platforms/short-links.ts'
import { loadMedia } from '../media.ts'
import { type Sandbox, startSandbox } from '../sandbox.ts'
import { type FacebookVideo, facebookVideos } from './catalogue.ts'
import { fileUrl } from './files.ts'
import { facebookSites, shareCodeOf } from './site.ts'

const [first] = facebookVideos as [FacebookVideo]

describe('the sandbox’s Facebook', () => {
  let sandbox: Sandbox
  before(async () => {
    sandbox = await startSandbox({ sites: facebookSites(await loadMedia()) })
  })
  after(() => sandbox.close())

  async function ask(url: string) {
    await using egress = createEgress({ proxy: sandbox.proxyUrl, caFile: sandbox.caFile })
    const signal = AbortSignal.timeout(5_000)
    await using answer = await egress.request(url, { signal, maxBytes: 1_000_000, redirect: 'manual' })
    return { status: answer.status, location: answer.headers.location }
  }
  async function leadsTo(url: string): Promise<string> {
    await using egress = createEgress({ proxy: sandbox.proxyUrl, caFile: sandbox.caFile })
    const link = parseVideoUrl(url) as Parameters<typeof resolveShortLink>[0]
    return (await resolveShortLink(link, egress, AbortSignal.timeout(5_000))).canonical
  }

  it('leads every short link to its video, from behind the page to sign in on too', async () => {
    for (const video of facebookVideos) {
      const code = shareCodeOf(video)
      const links = [`https://fb.watch/${code}/`, `https://www.facebook.com/share/v/${code}/`]
      for (const link of [...links, `https://m.facebook.com/share/r/${code}/`])
        expect(await leadsTo(link), link).equal(video.url)
    }
  })

  it('leads a link that was taken back nowhere', async () => {
    const failure = await leadsTo('https://fb.watch/neverGiven/').catch(({ code }) => code)
    expect(failure).equal('video_unavailable')
  })

  it('shows a video under each of its addresses', async () => {
    const { id } = first
    const paths = [`watch/?v=${id}`, `watch?v=${id}`, `video.php?v=${id}`, `eveningreaders/videos/${id}/`, `reel/${id}`]
    for (const path of paths) expect((await ask(`https://www.facebook.com/${path}`)).status, path).equal(200)
    expect(await ask(`https://m.facebook.com/watch/?v=${id}`)).include({
      location: `https://www.facebook.com/watch/?v=${id}`,
    })
  })

  it('hands media out for as long as its address is good', async () => {
    const url = fileUrl(first, 'a')
    expect((await ask(url)).status).equal(200)
    expect((await ask(url.replace(/oe=\w+/, 'oe=5F000000'))).status).equal(403)
    expect((await ask(url.replace(/oh=\w+/, ''))).status).equal(403)
  })
})

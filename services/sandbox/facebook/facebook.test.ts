import { expect } from 'chai'
import { trySites } from '../site.harness.ts'
import { type FacebookVideo, facebookVideos } from './catalogue.ts'
import { fileUrl } from './files.ts'
import { facebookSites, shareCodeOf } from './site.ts'

const [first] = facebookVideos as [FacebookVideo]

describe('the sandbox’s Facebook', () => {
  const { ask, statusOf, leadsTo } = trySites(facebookSites)

  it('redirects every short link to its video, even by way of the sign-in page', async () => {
    for (const video of facebookVideos) {
      const code = shareCodeOf(video)
      const links = [`https://fb.watch/${code}/`, `https://www.facebook.com/share/v/${code}/`]
      for (const link of [...links, `https://m.facebook.com/share/r/${code}/`])
        expect(await leadsTo(link), link).to.equal(video.url)
    }
  })

  it('redirects a withdrawn link to no video', async () => {
    const failure = await leadsTo('https://fb.watch/neverGiven/').catch(({ code }) => code)
    expect(failure).to.equal('video_unavailable')
  })

  it('shows a video at each of its addresses', async () => {
    const { id } = first
    const paths = [`watch/?v=${id}`, `watch?v=${id}`, `video.php?v=${id}`, `eveningreaders/videos/${id}/`, `reel/${id}`]
    for (const path of paths) expect(await statusOf(`https://www.facebook.com/${path}`), path).to.equal(200)
    expect(await ask(`https://m.facebook.com/watch/?v=${id}`)).to.include({
      location: `https://www.facebook.com/watch/?v=${id}`,
    })
  })

  it('serves media until its address expires', async () => {
    const url = fileUrl(first, 'a')
    expect(await statusOf(url)).to.equal(200)
    expect(await statusOf(url.replace(/oe=\w+/, 'oe=5F000000'))).to.equal(403)
    expect(await statusOf(url.replace(/oh=\w+/, ''))).to.equal(403)
  })
})

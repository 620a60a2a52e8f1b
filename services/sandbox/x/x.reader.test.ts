import { expect } from 'chai'
import type { StepError } from '#packages/foundation/errors/step-error.ts'
import { chooseFormat } from '#packages/platforms/videos/choose-format.ts'
import { toMetadata } from '#packages/platforms/videos/to-video.ts'
import { x } from '#packages/platforms/x/x.ts'
import { cuesOf } from '../films.ts'
import { tryReader } from '../site.harness.ts'
import { metadataOf } from '../told.fixture.ts'
import { type Post, xVideos } from './catalogue.ts'
import { xSites } from './site.ts'

const plays = xVideos.filter(({ trouble }) => trouble === undefined)
const [captioned, plain, several] = plays as [Post, Post, Post]

describe('the sandbox’s X, read by our reader', function () {
  this.timeout(60_000)
  const harness = tryReader(xSites)
  const { infoOf } = harness

  it('matches the catalogue', async () => {
    for (const post of plays) {
      const info = await infoOf(post)
      const metadata = toMetadata(x, info)
      const authorUrl = `https://x.com/${post.creator.handle}`
      const told = metadataOf(post, { title: metadata.title, thumbnail: info.thumbnail, authorUrl })
      expect(metadata, post.id).to.deep.equal(told)
      expect(metadata.title).to.match(new RegExp(`^${post.creator.name} - ${post.title.slice(0, 24)}`))
      expect(info).to.include({ displayId: post.id, commentCount: post.comments, repostCount: post.shares })
    }
  })

  it('reads a post from its embedded form, with its media but no views, if X’s API fails', async () => {
    const failing = xVideos.filter(({ trouble }) => trouble === 'api_fails')
    expect(failing).to.have.lengthOf(2)
    for (const post of failing) {
      const { viewCount, likeCount, uploader } = await infoOf(post)
      expect({ viewCount, likeCount, uploader }).to.deep.equal({
        viewCount: null,
        likeCount: post.likes,
        uploader: post.creator.name,
      })
      expect(await harness.fileOf(post, 'http-256')).to.equal('film')
    }
  })

  it('reports the first failure if the embedded post fails too, and tries the API for the next one', async () => {
    const [post] = xVideos.filter(({ apiError }) => apiError?.includes('Internal'))
    if (!post) return expect.fail('there is no such post')
    const host = 'cdn.syndication.twimg.com'
    using _refusal = harness.sandbox.disturb({ host, how: { kind: 'answer', status: 404 } })
    const other = { ...post, url: post.url.replace(post.creator.handle, 'somebody') }
    const failure = await infoOf(other).catch((error: StepError) => error)
    expect(failure).to.include({ code: 'upstream_error', transient: true })
    expect((failure as StepError).cause)
      .to.have.property('message')
      .which.includes('Internal error')
    harness.sandbox.traffic.clear()
    expect(await infoOf({ ...plain, url: plain.url.replace(plain.creator.handle, 'somebody') })).to.include({
      viewCount: plain.views,
    })
    expect(harness.sandbox.traffic.count({ host }).requests).to.equal(0)
  })

  it('has the captions of every post, in segments, without its media', async () => {
    for (const post of plays) {
      const { captions } = await infoOf(post)
      expect(captions.map(({ language, automatic, ext }) => [language, automatic, ext])).to.deep.equal(
        post.captions.map(({ language }) => [language, false, 'vtt']),
      )
      for (const track of captions) {
        const cues = await harness.cuesOf(post, track)
        const said = cues.map(({ start, end, text }) => ({ start, end, text }))
        expect(said).to.deep.equal(cuesOf(post.film, track.language as 'en'))
      }
    }
    const files = harness.sandbox.traffic.of({ host: 'video.twimg.com' }).map(({ path }) => path)
    expect(files.filter((path) => /\.(?:mp4|m4s)$/.test(path))).to.deep.equal([])
  })

  it('downloads the smallest sound, which is in the smallest file', async () => {
    const { formats } = await infoOf(plain)
    const chosen = chooseFormat(formats, { want: 'audio', lang: null })
    expect(await harness.fileOf(plain, chosen?.formatId), chosen?.formatId).to.be.oneOf(['m4a', 'film'])
  })

  it('joins segments to the original file', async () => {
    expect(await harness.fileOf(captioned, 'hls-audio-32000-Audio')).to.equal('m4a')
    expect(await harness.fileOf(captioned, 'hls-256')).to.equal('picture')
  })

  it('takes the first video of a post with several', async () => {
    expect(await harness.fileOf(several, 'http-256')).to.equal('film')
  })
})

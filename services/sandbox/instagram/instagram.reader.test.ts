import { expect } from 'chai'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { instagram } from '#packages/platforms/instagram/instagram.ts'
import { chooseFormat } from '#packages/platforms/videos/choose-format.ts'
import { toMetadata } from '#packages/platforms/videos/to-video.ts'
import { secondsOf } from '../films.ts'
import { tryReader } from '../site.harness.ts'
import { metadataOf } from '../told.fixture.ts'
import { type InstagramPost, instagramPictures, instagramVideos } from './catalogue.ts'
import { instagramSites } from './site.ts'

const [reel] = instagramVideos as [InstagramPost]
const carousel = instagramVideos.find(({ kind }) => kind === 'carousel') as InstagramPost

describe('the sandbox’s Instagram, read by our own reader', function () {
  this.timeout(60_000)
  const harness = tryReader(instagramSites)
  const { infoOf } = harness

  it('has the metadata of the specification, without the views that yt-dlp does not read', async () => {
    const { thumbnail, ...metadata } = toMetadata(instagram, await infoOf(reel))
    const authorUrl = `https://www.instagram.com/${reel.creator.handle}/`
    expect(metadata).to.deep.equal(metadataOf(reel, { viewCount: null, shareCount: null, authorUrl }))
    expect(thumbnail).to.match(/^https:\/\/scontent-/)
  })

  it('has no captions', async () => {
    expect((await infoOf(reel)).captions).to.deep.equal([])
  })

  it('downloads the sound separately', async () => {
    const format = chooseFormat((await infoOf(reel)).formats, { want: 'audio', lang: null })
    harness.sandbox.traffic.clear()
    expect(await harness.fileOf(reel, format?.formatId)).to.equal('m4a')
    const { m4a } = harness.films[reel.film]
    expect(harness.sandbox.traffic.count({ host: 'instagram.fsbx1-1.fna.fbcdn.net' }).bytes).to.equal(m4a.body.length)
  })

  it('takes the first film of a carousel', async () => {
    const info = await infoOf(carousel)
    expect([info.description, info.durationSeconds]).to.deep.equal([carousel.description, secondsOf('amiable')])
  })

  for (const [what, post, code] of [
    ['a picture', instagramPictures[0], 'media_unsupported'],
    ['a carousel of pictures', instagramPictures[1], 'media_unsupported'],
    ['a private post', instagramVideos.find(({ trouble }) => trouble === 'private'), 'video_private'],
    ['a removed post', instagramVideos.find(({ trouble }) => trouble === 'deleted'), 'video_unavailable'],
    ['a post for members only', instagramVideos.find(({ trouble }) => trouble === 'login_required'), 'login_required'],
  ] as const)
    it(`fails with ${code} for ${what}`, async () => {
      const failure = await infoOf(post as InstagramPost).catch((error: unknown) => error)
      expect(failure).to.be.instanceOf(StepError).include({ code, transient: false })
    })
})

import { expect } from 'chai'
import { facebook } from '#packages/platforms/facebook/facebook.ts'
import { chooseFormat } from '#packages/platforms/videos/choose-format.ts'
import { toMetadata } from '#packages/platforms/videos/to-video.ts'
import { tryReader } from '../site.harness.ts'
import { metadataOf } from '../told.fixture.ts'
import { type FacebookVideo, facebookVideos } from './catalogue.ts'
import { postUrlsOf } from './post-page.ts'
import { facebookSites } from './site.ts'

const plays = facebookVideos.filter(({ trouble }) => trouble === undefined)

describe('the sandbox’s Facebook, read by our reader', function () {
  this.timeout(60_000)
  const harness = tryReader(facebookSites)
  const { infoOf } = harness

  it('matches the catalogue, title and author of reels too', async () => {
    for (const video of plays) {
      const info = await infoOf(video)
      const { title, creator } = video
      const authorUrl = `https://www.facebook.com/${creator.id}`
      const told = metadataOf(video, { title, thumbnail: info.thumbnail, authorUrl })
      expect(toMetadata(facebook, info), video.id).to.deep.equal(told)
      expect(info).to.include({ commentCount: video.comments, repostCount: video.shares })
    }
  })

  it('reads the video of a post, in its creator’s own page or in a group', async () => {
    const [video] = plays as [FacebookVideo]
    for (const url of postUrlsOf(video)) {
      const info = await infoOf({ ...video, url })
      expect(info).to.include({ id: video.id, uploader: video.creator.name, viewCount: video.views })
      expect(info.captions).to.have.lengthOf(video.captions.length)
    }
  })

  it('has the captions of every video, without its media', async () => {
    for (const video of plays) {
      const { captions } = await infoOf(video)
      const tracks = captions.map(({ language, automatic, ext }) => `${language} ${automatic} ${ext}`)
      const expected = video.captions.map(({ language, kind }) => `${language} ${kind === 'automatic'} srt`)
      expect(tracks, video.id).to.have.members(expected)
      for (const track of captions) {
        const read = await harness.cuesOf(video, track)
        const known = video.captions.find(({ language }) => language === track.language)
        expect(read.map(({ text }) => text)).to.deep.equal(known?.cues.map(({ text }) => text))
      }
    }
    expect(harness.sandbox.traffic.of({ host: 'video-sbx1-1.xx.fbcdn.net' })).to.deep.equal([])
  })

  it('downloads the sound alone, and a film with few lines', async () => {
    for (const video of plays) {
      const { formats } = await infoOf(video)
      const sound = chooseFormat(formats, { want: 'audio', lang: null })
      expect(await harness.fileOf(video, sound?.formatId), video.id).to.equal('m4a')
      const picture = chooseFormat(formats, { want: 'video', lang: null })
      expect(await harness.fileOf(video, picture?.formatId)).to.be.oneOf(['film', 'picture'])
    }
  })
})

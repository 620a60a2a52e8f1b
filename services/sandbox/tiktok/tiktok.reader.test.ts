import { expect } from 'chai'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { tiktok } from '#packages/platforms/tiktok/tiktok.ts'
import { chooseFormat } from '#packages/platforms/videos/choose-format.ts'
import { orderCaptions } from '#packages/platforms/videos/order-captions.ts'
import { toMetadata } from '#packages/platforms/videos/to-video.ts'
import { secondsOf } from '../films.ts'
import { tryReader } from '../site.harness.ts'
import { metadataOf } from '../told.fixture.ts'
import { type TikTokVideo, tiktokPhotos, tiktokVideos } from './catalogue.ts'
import { tiktokSites } from './site.ts'

const [first, music] = tiktokVideos as [TikTokVideo, TikTokVideo]

describe('the sandbox’s TikTok, read by our own reader', function () {
  this.timeout(60_000)
  const harness = tryReader(tiktokSites)
  const { infoOf } = harness

  it('has the metadata of the specification', async () => {
    const { thumbnail, ...metadata } = toMetadata(tiktok, await infoOf(first))
    const authorUrl = `https://www.tiktok.com/@${first.creator.handle}`
    const duration = Math.floor(secondsOf(first.film))
    expect(metadata).to.deep.equal(metadataOf(first, { duration, authorUrl }))
    expect(thumbnail).to.match(/^https:\/\/p16-/)
  })

  it('has no translation among its captions, unless one is requested', async () => {
    const info = await infoOf(first)
    const languages = (lang: string | null, translate: boolean) =>
      orderCaptions(info, { lang, strictLang: false, translate }).map(({ language }) => language)
    expect(languages(null, true)).to.deep.equal(['eng-US'])
    expect(languages('de', false)).to.deep.equal(['eng-US'])
    expect(languages('de', true)).to.deep.equal(['deu-DE', 'eng-US'])
  })

  it('reads captions without a request for the film', async () => {
    const [track] = orderCaptions(await infoOf(first), { lang: 'es', strictLang: false, translate: true })
    if (!track) return expect.fail('no captions')
    harness.sandbox.traffic.clear()
    const cues = await harness.cuesOf(first, track)
    const wanted = first.captions.find(({ language }) => language === 'spa-ES')?.cues
    expect(cues.map(({ text }) => text)).to.deep.equal(wanted?.map(({ text }) => text))
    expect(harness.sandbox.traffic.count({ host: 'v16-webapp-prime.tiktok.com' }).bytes).to.equal(0)
  })

  it('downloads the video’s own sound, not the music laid over it', async () => {
    const info = await infoOf(music)
    const format = chooseFormat(info.formats, { want: 'audio', lang: null, foreignSound: 'audio' })
    expect(await harness.fileOf(music, format?.formatId)).to.equal('film')
  })

  it('is read after a proof of work, and by another browser if the newest Chrome is refused', async () => {
    const askedFor = async (gate: string) => {
      const video = tiktokVideos.find(({ creator }) => creator.gate === gate) as TikTokVideo
      harness.sandbox.traffic.clear()
      const { title } = await infoOf(video)
      return [title, harness.sandbox.traffic.of({ host: 'www.tiktok.com' }).length]
    }
    expect(await askedFor('proof_of_work')).to.deep.equal(['What the toll was for', 2])
    expect(await askedFor('newest_chrome')).to.deep.equal(['A clock that runs late', 2])
  })

  for (const [what, video, code] of [
    ['a post of pictures', tiktokPhotos[0], 'media_unsupported'],
    ['a private video', tiktokVideos.find(({ trouble }) => trouble === 'private'), 'video_private'],
    ['a removed video', tiktokVideos.find(({ trouble }) => trouble === 'deleted'), 'video_unavailable'],
  ] as const)
    it(`fails with ${code} for ${what}`, async () => {
      const failure = await infoOf(video as TikTokVideo).catch((error: unknown) => error)
      expect(failure).to.be.instanceOf(StepError).include({ code, transient: false })
    })
})

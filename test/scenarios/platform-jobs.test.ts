/** Transcripts of videos of the five platforms, on the sandbox: what is read for them, and how often. */
import { expect } from 'chai'
import type { SearchResult, TikTokProfile } from '#contracts/generated/http.ts'
import type { CatalogueVideo } from '#services/sandbox/catalogue.ts'
import { type FilmName, filmNames, secondsOf } from '#services/sandbox/films.ts'
import { loadMedia, type Media, type MediaFile } from '#services/sandbox/media.ts'
import { everyVideo } from '#services/sandbox/sandbox-platforms.ts'
import type { TrafficEntry } from '#services/sandbox/traffic.ts'
import { linkToNews } from '#services/sandbox/x/catalogue.ts'
import { youtubeVideos } from '#services/sandbox/youtube/catalogue.ts'
import { madeForAll, madeForEach, openedForAll } from '#test/doubles/opened.ts'
import { assertAddsUp } from '#test/doubles/service/audit.ts'
import { errorCodeOf } from '#test/doubles/service/client.ts'
import { codeOf, isTransient } from '#test/doubles/service/platform-troubles.ts'
import { SandboxSetting } from '#test/doubles/service/sandbox-setting.ts'
import { platforms, playing, videoWhere } from '#test/doubles/service/sandbox-videos.ts'

const ofPlatform = (platform: string) => everyVideo.filter((video) => video.platform === platform)

/** The first video of a platform that plays, with captions if the platform has any. */
const firstOf = (platform: string): CatalogueVideo =>
  ofPlatform(platform).find(({ captions, trouble }) => captions.length > 0 && !trouble) ?? playing(platform)

const youtube = (fits: (video: CatalogueVideo) => unknown) => videoWhere(fits, youtubeVideos)

const filesOf = (media: Media, film: FilmName): MediaFile[] => {
  const { m4a, webm, film: whole, picture } = media[film]
  return [m4a, webm, whole, picture]
}

const NO_FILM = 'media_unsupported'

describe('transcripts of the five platforms', function () {
  this.timeout(120_000)
  const media = madeForAll(loadMedia)
  const setting = openedForAll(() => SandboxSetting.start({ sessions: true }))

  const smallestFile = () =>
    Math.min(...filmNames.flatMap((film) => filesOf(media, film)).map(({ body }) => body.length))

  const me = madeForEach(() => setting.client())

  /** The traffic of the sandbox while `work` ran. */
  const trafficOf = async (work: () => Promise<unknown>): Promise<TrafficEntry[]> => {
    const from = setting.sandbox.traffic.of().length
    await work()
    return setting.sandbox.traffic.of().slice(from)
  }
  const mediaIn = (traffic: readonly TrafficEntry[]) =>
    traffic.filter(({ url }) => /videoplayback|\.mp4|\.m4s|webapp-prime|v16m\.tiktokcdn/.test(url))

  for (const platform of platforms) {
    it(`native reads the captions of ${platform}, or says that there are none, and never media`, async () => {
      const video = firstOf(platform)
      const traffic = await trafficOf(async () => {
        const { body } = await me.run({ url: video.url, mode: 'native' })
        if (video.captions.length === 0) expect(body.error).to.have.property('code', 'captions_unavailable')
        else expect(body.resultJson?.segments.length).to.equal(video.captions[0]?.cues.length)
      })
      expect(await me.credits()).to.equal(video.captions.length === 0 ? 50 : 49)
      expect(traffic).to.not.be.empty
      expect(mediaIn(traffic).filter(({ url }) => !/\.m3u8|\.vtt|\.srt/.test(url))).to.deep.equal([])
      for (const { host, bytes } of traffic) expect(bytes, host).to.be.below(smallestFile())
    })

    it(`generate transcribes the sound of ${platform}, for 5 credits, and downloads one file of it`, async () => {
      const video = firstOf(platform)
      const traffic = await trafficOf(async () => {
        const { body } = await me.run({ url: video.url, mode: 'generate' })
        expect(body.resultJson, JSON.stringify(body.error)).to.have.property('source', 'speech')
      })
      expect(setting.speech.requests.at(-1)?.seconds).to.be.closeTo(secondsOf(video.film), 1.5)
      expect(await me.credits()).to.equal(45)
      const sent = mediaIn(traffic).reduce((sum, { bytes }) => sum + bytes, 0)
      expect(filesOf(media, video.film).map(({ body }) => body.length)).to.include(sent)
    })

    it(`a video of ${platform} that does not play fails with a reason, and is refunded`, async () => {
      const wanted = ofPlatform(platform).flatMap((video): [string, string][] => {
        const live = video.trouble === 'live' || video.trouble === 'upcoming'
        const code = live ? 'live_not_ended' : codeOf(video)
        return code && !isTransient(code) ? [[video.url, code]] : []
      })
      expect(wanted).to.not.be.empty
      const ends = await Promise.all(wanted.map(([url]) => me.run({ url })))
      const codes = ends.map((end, i) => [wanted[i]?.[0], errorCodeOf(end)])
      expect(codes).to.deep.equal(wanted)
      expect(await me.credits()).to.equal(50)
    })
  }

  it('generate takes the smallest sound of the original language, or the requested dub', async () => {
    const dubbed = youtube(({ dubs }) => dubs)
    const dub = dubbed.dubs?.[0] ?? expect.fail('there is no dub')
    for (const { lang, film } of [{ film: dubbed.film }, { lang: dub.language, film: dub.film }]) {
      const traffic = await trafficOf(() => me.run({ url: dubbed.url, mode: 'generate', ...(lang && { lang }) }))
      const smallest = Math.min(...[media[film].m4a, media[film].webm].map(({ body }) => body.length))
      expect(mediaIn(traffic).map(({ bytes }) => bytes)).to.deep.equal([smallest])
      expect(setting.speech.requests.at(-1)?.seconds).to.be.closeTo(secondsOf(film), 1)
    }
  })

  it('auto takes captions if there are any, and otherwise transcribes the sound', async () => {
    const captioned = youtube(({ captions }) => captions.length > 0)
    const silent = youtube(({ id }) => id === 'ktchnQuiet1')
    expect((await me.run({ url: captioned.url })).body.resultJson).to.have.property('source', 'captions')
    expect(await me.credits()).to.equal(49)
    expect((await me.run({ url: silent.url })).body.resultJson).to.have.property('source', 'speech')
    expect(await me.credits()).to.equal(44)
  })

  it('jobs of several organizations for one video share one read and one download, and each pays', async () => {
    const video = youtube(({ title }) => title.endsWith('page 20'))
    const clients = await Promise.all(Array.from({ length: 4 }, () => setting.client()))
    const traffic = await trafficOf(async () => {
      const ends = await Promise.all(clients.map((me) => me.run({ url: video.url, mode: 'generate' })))
      expect(ends.map(({ body }) => body.status)).to.deep.equal(clients.map(() => 'completed'))
    })
    // Once for all four, and once more if the worker that has read it is busy when the download begins.
    expect(traffic.filter(({ path }) => path === '/watch').length).to.be.within(1, 2)
    expect(mediaIn(traffic)).to.have.lengthOf(1)
    const again = await trafficOf(async () => {
      const ends = await Promise.all(clients.map((me) => me.run({ url: video.url, mode: 'native' })))
      expect(ends.map(({ body }) => body.status)).to.deep.equal(clients.map(() => 'completed'))
    })
    expect(again.filter(({ path }) => path === '/watch').length).to.be.at.most(1)
    expect(again.filter(({ path }) => path === '/api/timedtext')).to.have.lengthOf(1)
    expect(await Promise.all(clients.map((me) => me.credits()))).to.deep.equal(clients.map(() => 44))
  })

  it('every url in the answers of search and profiles is accepted by transcript unchanged', async () => {
    const me = await setting.client({ plan: 'pro' })
    const found = await me.read<SearchResult[]>('/v1/search?q=audiobook&limit=10')
    const tiktok = await me.read<TikTokProfile>('/v1/tiktok/profile?username=pageturners&limit=3')
    const instagram = await me.read<TikTokProfile>('/v1/instagram/profile?username=garden.almanac&limit=3')
    const urls = [...found, ...tiktok.videos, ...instagram.videos].map(({ url }) => url ?? '')
    expect(new Set(urls.map((url) => new URL(url).host)).size).to.equal(platforms.length)
    const ends = await Promise.all([...new Set(urls)].map((url) => me.run({ url, mode: 'native' })))
    const codes = ends.map((end) => errorCodeOf(end) ?? end.body.status)
    const known = [...new Set(urls)].map((url) => everyVideo.find((video) => video.url === url))
    for (const [i, code] of codes.entries()) {
      const video = known[i]
      // Items that are not videos of the catalogue are pictures.
      const wanted = video ? (codeOf(video) ?? (video.captions.length ? 'completed' : 'captions_unavailable')) : NO_FILM
      expect(code, urls[i]).to.equal(wanted)
    }
    expect(codes.filter((code) => code === 'completed').length).to.be.at.least(5)
  })

  it('the signed film of an Instagram post is accepted by transcript unchanged, and is not shared', async () => {
    const [me, other] = await Promise.all([setting.client(), setting.client()])
    const profile = await me.read<TikTokProfile>('/v1/instagram/profile?username=garden.almanac')
    const url = profile.videos.find(({ type }) => type === 'video')?.media?.videoUrl
    if (!url) throw new Error('there is no film')
    const traffic = await trafficOf(async () => {
      const ends = await Promise.all([me, other].map((one) => one.run({ url, mode: 'generate' })))
      expect(ends.map(({ body }) => body.resultJson?.source)).to.deep.equal(['speech', 'speech'])
    })
    const whole = media.chapter.film.body.length
    expect(mediaIn(traffic).reduce((sum, { bytes }) => sum + bytes, 0)).to.be.at.least(2 * whole)
    expect(await Promise.all([me.credits(), other.credits()])).to.deep.equal([45, 45])
  })

  it('a short link works like its video', async () => {
    const { body } = await me.run({ url: 'https://vm.tiktok.com/ZSandbox1/', mode: 'native' })
    expect(body.resultJson, JSON.stringify(body.error)).to.have.property('source', 'automatic_captions')
    const gone = await me.run({ url: 'https://vm.tiktok.com/ZSgone/', mode: 'native' })
    expect(gone.body.error).to.have.property('code', 'video_unavailable')
  })

  it('a short link to a foreign page fails its job with the reason, and is refunded', async () => {
    const message = "The URL leads to a host that is none of the platforms'."
    expect((await me.run({ url: linkToNews.url })).body.error).to.deep.equal({ code: 'video_unavailable', message })
    expect(await me.credits()).to.equal(50)
  })

  it('adds up, and went nowhere but where it should', async () => {
    await assertAddsUp(setting)
    expect(setting.sandbox.refused).to.deep.equal([])
  })
})

/** The captions behind native transcripts: every format of the platforms, and the choice by language. */
import { expect } from 'chai'
import type { TranscriptResult } from '#contracts/generated/http.ts'
import type { CatalogueVideo } from '#services/sandbox/catalogue.ts'
import type { FacebookVideo } from '#services/sandbox/facebook/catalogue.ts'
import { postUrlsOf } from '#services/sandbox/facebook/post-page.ts'
import { type Cue, cuesOf } from '#services/sandbox/films.ts'
import { everyVideo } from '#services/sandbox/sandbox-platforms.ts'
import { clipIdOf } from '#services/sandbox/youtube/clip-page.ts'
import { madeForAll, openedForAll } from '#test/doubles/opened.ts'
import { SandboxSetting } from '#test/doubles/service/sandbox-setting.ts'
import { troubled, videoWhere } from '#test/doubles/service/sandbox-videos.ts'

/** The format of the captions of each platform, by the addresses from which they are read. */
const formats: Record<string, RegExp> = {
  youtube: /\/api\/timedtext\?.*fmt=json3/,
  tiktok: /v16-webapp\.tiktokcdn-eu\.com\/.*\/video\/tos\//,
  x: /video\.twimg\.com\/subtitles\/.*\.vtt/,
  facebook: /fbcdn\.net\/.*\.srt/,
}

const captioned = everyVideo.filter(({ captions, trouble }) => captions.length > 0 && trouble === undefined)
const captionedOf = (wanted: string) => videoWhere(({ platform }) => platform === wanted, captioned)
const wordsOf = (cues: readonly { text: string }[]): string[] =>
  cues.flatMap(({ text }) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])

describe('captions of the five platforms', function () {
  this.timeout(120_000)
  const setting = openedForAll(() =>
    SandboxSetting.start({
      sessions: true,
      env: () => ({ JOB_WINDOW_SECONDS: '60', YTDLP_WORKERS: '1' }),
    }),
  )
  const me = madeForAll(() => setting.client({ plan: 'pro' }))

  const transcript = async (url: string, lang?: string): Promise<TranscriptResult> => {
    const { body } = await me.run({ url, mode: 'native', ...(lang && { lang }) })
    return body.resultJson ?? expect.fail(`${url}: ${JSON.stringify(body.error)}`)
  }
  const expectCues = ({ segments }: TranscriptResult, cues: readonly Cue[]): void => {
    expect(wordsOf(segments)).to.deep.equal(wordsOf(cues))
    expect(segments.map(({ start }) => Math.round(start))).to.deep.equal(cues.map(({ start }) => Math.round(start)))
  }

  for (const [platform, format] of Object.entries(formats))
    it(`are read from ${platform} in its own format, word for word and in time`, async () => {
      const video = captionedOf(platform)
      const result = await transcript(video.url, 'en')
      const track = video.captions.find(({ language }) => language.startsWith('en')) as CatalogueVideo['captions'][0]
      expectCues(result, track.cues)
      expect(result.text.split(/\s+/).length).to.equal(track.cues.flatMap(({ text }) => text.split(/\s+/)).length)
      expect(result.source).to.equal(track.kind === 'human' ? 'captions' : 'automatic_captions')
      expect(result.language).to.match(/^en\b/)
      expect(setting.sandbox.traffic.of().filter(({ url }) => format.test(url))).to.not.be.empty
    })

  it('are read from the video in a post of Facebook, and from the whole video of a clip', async () => {
    const [posted, clipped] = [captionedOf('facebook'), captionedOf('youtube')]
    for (const [url, { film }] of [
      [postUrlsOf(posted as FacebookVideo)[0], posted],
      [`https://www.youtube.com/clip/${clipIdOf(clipped)}`, clipped],
    ] as const)
      expectCues(await transcript(url, 'en'), cuesOf(film, 'en'))
  })

  describe('the choice of language', () => {
    const [both, tiktok] = [captionedOf('youtube'), captionedOf('tiktok')]
    const isHeard = ({ captions }: CatalogueVideo) => captions.every(({ kind }) => kind === 'automatic')
    const heardOnly = videoWhere((video) => video.platform === 'youtube' && isHeard(video), captioned)

    const choices: [what: string, video: CatalogueVideo, lang: string | undefined, language: string, source: string][] =
      [
        ['without a request: the original, as a person wrote it', both, undefined, 'en', 'captions'],
        ['a track in the requested language: that track', both, 'de', 'de', 'captions'],
        ['a request for another region: the same language', both, 'de-AT', 'de', 'captions'],
        ['no track in the requested language: the original', both, 'sv', 'en', 'captions'],
        ['only automatic captions of the original: those', heardOnly, undefined, 'en', 'automatic_captions'],
        [
          'a machine translation that was not requested: the original',
          tiktok,
          undefined,
          'en-US',
          'automatic_captions',
        ],
        ['both by a person and a machine translation: the one by a person', both, 'de-DE', 'de', 'captions'],
        ['only a machine translation in the requested language: the original', both, 'es', 'en', 'captions'],
      ]
    for (const [what, video, lang, language, source] of choices)
      it(`${what} (${lang ?? 'none'} gives ${language})`, async () => {
        const result = await transcript(video.url, lang)
        expect(result).to.include({ language, source })
        const spoken = language.slice(0, 2) as 'en' | 'de' | 'es'
        expect(wordsOf(result.segments).slice(-3)).to.deep.equal(wordsOf(cuesOf(video.film, spoken)).slice(-3))
      })
  })

  it('an empty body in place of captions is a refusal, and never counts as no captions', async () => {
    const auto = await me.run({ url: troubled('captions_need_token').url, mode: 'auto' })
    expect(auto.body.resultJson, 'auto goes on without them').to.have.property('source', 'speech')
    const events = await (await setting.backDoor()).events()
    expect(events.flatMap(({ type, data }) => (type === 'CaptionsUnavailable' ? [data.reason] : []))).to.deep.equal([
      'platform_blocked',
    ])
  })

  it('captions that are withheld at one exit address are tried at one other, and no more', async () => {
    const held = troubled('captions_withheld')
    setting.sandbox.traffic.clear()
    const jobId = await me.enqueue({ url: held.url, mode: 'native' })
    expect((await me.ended(jobId)).body.error).to.have.property('code', 'platform_blocked')
    expect(await setting.startsOf(jobId)).to.deep.equal(['fetch', 'caption', 'caption'])
    const watched = setting.sandbox.traffic.of({ path: '/watch' }).filter(({ url }) => url.includes(held.id))
    expect(new Set(watched.map(({ exit }) => exit))).to.have.property('size', 2)
  })
})

/** Languages and extras of transcripts, what metadata may include, and estimates: on the sandbox. */
import { expect } from 'chai'
import type { Estimate, TranscriptResult, VideoMetadata } from '#contracts/generated/http.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { warningsOf } from '#packages/jobs/status/warnings.ts'
import type { CatalogueVideo } from '#services/sandbox/catalogue.ts'
import { cuesOf, heardIn } from '#services/sandbox/films.ts'
import { tiktokVideos } from '#services/sandbox/tiktok/catalogue.ts'
import { madeForAll, openedForAll } from '#test/doubles/opened.ts'
import type { Answer } from '#test/doubles/service/client.ts'
import { SandboxSetting } from '#test/doubles/service/sandbox-setting.ts'
import { videoWhere } from '#test/doubles/service/sandbox-videos.ts'

const videoCalled = (id: string) => videoWhere((video) => video.id === id)

/** Captions by people in English and German, and by a machine in English. */
const chapter = videoCalled('nvlHourCh01')
/** Captions by a machine only. */
const radio = videoCalled('ktchnRadio1')
const quiet = videoCalled('ktchnQuiet1')
const tiktok = tiktokVideos[0] as CatalogueVideo

const wordsOf = (pieces: readonly { text: string }[]): string[] =>
  pieces.flatMap(({ text }) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])

describe('languages, extras and estimates', function () {
  this.timeout(60_000)
  const setting = openedForAll(() =>
    SandboxSetting.start({
      sessions: true,
      env: () => ({ JOB_WINDOW_SECONDS: '60', YTDLP_WORKERS: '1' }),
    }),
  )
  const me = madeForAll(() => setting.client({ plan: 'pro' }))

  const run = async (video: CatalogueVideo, more: object): Promise<Answer & { jobId: string }> => {
    const { status, body, text } = await me.post('/v1/transcript', { url: video.url, mode: 'native', ...more })
    expect(status, text).to.equal(202)
    const jobId = body.jobId ?? ''
    return { ...(await me.ended(jobId)), jobId }
  }
  const resultOf = ({ body }: Answer): TranscriptResult => body.resultJson ?? expect.fail(JSON.stringify(body.error))
  const transcript = async (video: CatalogueVideo, more: object) => resultOf(await run(video, more))
  const warningsFor = async ({ jobId }: { jobId: string }) =>
    warningsOf((await setting.history(jobId)) as unknown as DomainEvent[])

  it('the name of a language counts as its tag', async () => {
    expect(await transcript(chapter, { lang: 'german' })).to.include({ language: 'de', source: 'captions' })
    expect(await transcript(chapter, { lang: 'Deutsch' })).to.include({ language: 'de', source: 'captions' })
  })

  it('an unknown language is ignored as a hint, with a warning; as a condition it is a 400', async () => {
    const job = await run(chapter, { lang: 'englsh' })
    expect(resultOf(job)).to.include({ language: 'en' })
    expect(await warningsFor(job)).to.deep.equal([{ code: 'language_unknown', didYouMean: 'en' }])
    const strict = await me.post('/v1/transcript', { url: chapter.url, lang: 'englsh', strictLang: true })
    const message = 'must be a BCP 47 tag or the name of a language; did you mean en?'
    expect([strict.status, strict.body.details]).to.deep.equal([400, [{ path: 'lang', message }]])
  })

  it('a language that the video lacks gives the original, with a warning; as a condition it fails, or is transcribed', async () => {
    const job = await run(chapter, { lang: 'fr' })
    expect(resultOf(job)).to.include({ language: 'en', source: 'captions' })
    expect(await warningsFor(job)).to.deep.equal([{ code: 'language_unavailable', available: ['en', 'de'] }])
    const strict = await run(chapter, { lang: 'fr', strictLang: true })
    expect(strict.body.error).to.deep.equal({
      code: 'captions_unavailable',
      message: 'The video has no captions in the requested language.',
    })
    expect(await transcript(chapter, { lang: 'fr', strictLang: true, mode: 'auto' })).to.include({ source: 'speech' })
    expect(await transcript(chapter, { lang: 'de-AT', strictLang: true })).to.include({ language: 'de' })
  })

  const translations: [video: CatalogueVideo, lang: 'es' | 'de', language: string][] = [
    [chapter, 'es', 'es'],
    [radio, 'de', 'de'],
    [tiktok, 'es', 'es-ES'],
  ]
  for (const [video, lang, language] of translations)
    it(`a translation of ${video.platform} into ${lang} is given only on request, and labelled as one`, async () => {
      const plain = await transcript(video, { lang })
      expect(plain.language).to.match(/^en/)
      const result = await transcript(video, { lang, translate: true })
      expect(result).to.include({ language, source: 'translated_captions' })
      expect(wordsOf(result.segments).slice(-3)).to.deep.equal(wordsOf(cuesOf(video.film, lang)).slice(-3))
    })

  it('words come with times if captions or speech have them, are null if neither has, and else absent', async () => {
    const { words } = await transcript(radio, { words: true })
    expect(wordsOf(words ?? [])).to.deep.equal(wordsOf(heardIn(radio.film)))
    const starts = (words ?? []).map(({ start }) => start)
    expect(starts).to.deep.equal(starts.toSorted((a, b) => a - b))
    const spoken = await transcript(radio, { words: true, mode: 'generate' })
    expect(spoken.words).to.have.length.above(1)
    const human = await run(chapter, { words: true })
    expect(resultOf(human)).to.have.property('words', null)
    expect(await warningsFor(human)).to.deep.equal([{ code: 'words_unavailable' }])
    expect(await transcript(radio, {})).to.not.have.property('words')
  })

  it('speakers are refused if the configured engine names none', async () => {
    const { status, body } = await me.post('/v1/transcript', { url: radio.url, mode: 'generate', speakers: true })
    const message = 'is not available: the speech engine cannot identify speakers'
    expect([status, body.details]).to.deep.equal([400, [{ path: 'speakers', message }]])
  })

  it('metadata list captions and chapters on request, and are unchanged without it', async () => {
    const metadata = async ({ url }: CatalogueVideo, include: string) =>
      (await me.metadata(url, include)).body as VideoMetadata
    const plain = await metadata(chapter, '')
    expect(plain).to.not.have.any.keys('captions', 'chapters')
    const { captions, ...rest } = await metadata(chapter, '&include=captions')
    expect(rest).to.deep.equal(plain)
    expect(captions).to.deep.equal([
      { language: 'en', source: 'captions' },
      { language: 'de', source: 'captions' },
      { language: 'en', source: 'automatic_captions' },
    ])
    expect((await metadata(quiet, '&include=captions,chapters')).captions).to.deep.equal([])
    expect((await metadata(chapter, '&include=chapters')).chapters).to.equal(null)
    expect((await metadata(radio, '&include=captions,chapters')).chapters).to.deep.equal([
      { start: 0, end: 6.3, title: 'Cold-hearted soup' },
      { start: 6.3, end: 13, title: 'Other stories' },
    ])
  })

  it('an estimate gives what a job then costs, and why it fails, and costs nothing', async () => {
    const estimate = async (video: CatalogueVideo, more: object = {}) =>
      (await me.post('/v1/estimate', { url: video.url, ...more })).body as unknown as Estimate
    const before = await me.credits()
    const estimated = await estimate(chapter)
    expect(estimated).to.deep.include({ refusal: null, failure: null })
    expect(estimated.credits).to.deep.equal({ held: 5, charged: { least: 1, likely: 1, most: 5 } })
    expect(estimated.captions).to.have.length(3)
    const { credits, seconds } = await estimate(quiet)
    expect([credits.charged.likely, (seconds ?? 0) > 4]).to.deep.equal([5, true])
    expect(await estimate(quiet, { mode: 'native' })).to.have.nested.property('failure.code', 'captions_unavailable')
    expect(await estimate(videoCalled('nvlPrivate1'))).to.have.nested.property('failure.code', 'video_private')
    const refused = await estimate(chapter, { prompt: 'What is said?' })
    expect(refused.refusal).to.include({ status: 503, error: 'unavailable' })
    expect(await me.credits()).to.equal(before)
    expect((await run(chapter, { mode: 'auto' })).body.status).to.equal('completed')
    expect(await me.credits()).to.equal(before - estimated.credits.charged.likely)
  })
})

import { expect } from 'chai'
import type { VideoMetadata } from '#contracts/generated/http.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import type { FailureCode } from '#packages/domain/job/failure.ts'
import { ORCHESTRATOR_NOTE } from '#packages/events/views/orchestrator-note.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { FoundMetadata } from '#packages/platforms/videos/video-source.ts'
import { eachIngress } from '#test/doubles/ingress/each-ingress.ts'
import { sourcesOf } from '#test/doubles/ingress/sources.ts'
import { until } from '#test/doubles/service/until.ts'
import { untold } from '#test/doubles/untold.ts'

const url = 'https://www.youtube.com/watch?v=dQw4w9WgXcQ'
const film: VideoMetadata = {
  ...untold,
  title: 'film',
  platform: 'youtube',
  duration: 100,
  isLive: null,
}
const captions = [{ language: 'en', source: 'captions' as const }]

describe('POST /v1/estimate', () => {
  let read: () => Promise<VideoMetadata>
  let missing: FoundMetadata['missing']
  const { ingress, acme } = eachIngress(() => {
    read = async () => ({ ...film, captions })
    missing = []
    const platforms = sourcesOf({ metadata: async () => ({ metadata: await read(), missing }) })
    return { clock, platforms, options: { extracts: true } }
  })

  const estimate = async (body: object) => (await acme.post('/v1/estimate', body)).body

  it('shows the credits, the captions and the time of a job, and writes nothing', async () => {
    const before = await ingress.memory.read(`credits-${acme.orgId}`)
    expect(await estimate({ url })).to.deep.equal({
      kind: 'transcript',
      credits: { held: 5, charged: { least: 1, likely: 1, most: 5 } },
      captions,
      duration: 100,
      seconds: 4,
      waitSeconds: 0,
      refusal: null,
      failure: null,
    })
    expect(await estimate({ url, prompt: 'What?' })).to.deep.include({
      kind: 'extraction',
      credits: { held: 10, charged: { least: 10, likely: 10, most: 10 } },
      seconds: 19,
    })
    expect(await estimate({ url, mode: 'generate' })).to.deep.include({
      credits: { held: 5, charged: { least: 5, likely: 5, most: 5 } },
      // 4 s to read the video; for the local engine 3 s, and 0.15 s for each second of the video.
      seconds: 4 + 3 + 15,
    })
    expect(await ingress.memory.read(`credits-${acme.orgId}`)).to.deep.equal(before)
    expect(await acme.credits()).to.equal(50)
  })

  it('says why the key that asks would be refused the job', async () => {
    const refusalOf = async (limits: object) => {
      const { key } = (await acme.post('/v1/keys', { name: 'limited', ...limits })).body
      const { refusal } = (await acme.post('/v1/estimate', { url }, { key })).body
      return [refusal.status, refusal.details]
    }
    expect(await refusalOf({ scopes: ['read'] })).to.deep.equal([403, { reason: 'scope', required: 'jobs' }])
    const { key } = (await acme.post('/v1/keys', { name: 'no webhooks', scopes: ['read', 'jobs'] })).body
    const calledBack = { url, webhookUrl: 'https://hooks.example.com/' }
    const { refusal } = (await acme.post('/v1/estimate', calledBack, { key })).body
    expect([refusal.status, refusal.details]).to.deep.equal([403, { reason: 'scope', required: 'webhooks' }])
    const details = { reason: 'monthly_credits', required: 1, remaining: 0 }
    expect(await refusalOf({ monthlyCredits: 0 })).to.deep.equal([403, details])
  })

  it('says that a job without captions is transcribed, or fails', async () => {
    read = async () => ({ ...film, captions: [] })
    expect(await estimate({ url })).to.deep.include({
      credits: { held: 5, charged: { least: 5, likely: 5, most: 5 } },
      seconds: 22,
      failure: null,
    })
    expect((await estimate({ url, mode: 'native' })).failure).to.include({ code: 'captions_unavailable' })
    read = async () => ({ ...film, captions: [], duration: 3600 })
    expect((await estimate({ url })).failure).to.include({ code: 'media_too_long' })
  })

  it('says that a job would end too late, because of the queue or of its own length', async () => {
    const [now, waited] = [clock.now(), 55]
    const lane = (more: object) => ({ oldestTurn: null, waiting: [], ...more })
    const noted = async (standard: object) => {
      const lanes = { standard: lane(standard), priority: lane({}) }
      await ingress.views.putNote(ORCHESTRATOR_NOTE, { writtenAt: now, checkpoint: 0, noted: [], lanes, paceWaits: [] })
    }
    // 4 s to read the video; for the engine 3 s, and 0.15 s for each second: 142 s of the window of 180 s.
    const long = { ...film, captions: [], duration: 900 }
    read = async () => long
    expect(await estimate({ url })).to.deep.include({ seconds: 142, waitSeconds: 0, failure: null })
    await noted({ waiting: [{ orgId: acme.orgId, since: now - waited * 1000 }] })
    // The note is cached for a second.
    const late = await until('the note is read', async () => {
      const answer = await estimate({ url })
      return answer.waitSeconds > 0 && answer
    })
    const message = 'The job would take 142 s and wait for 55 s before, and must end within 180 s.'
    expect(late).to.deep.include({ seconds: null, waitSeconds: 55, refusal: null })
    expect(late.failure).to.deep.equal({ code: 'timeout', message })
    read = async () => ({ ...film, captions })
    expect(await estimate({ url }), 'captions take no time').to.deep.include({ waitSeconds: 55, failure: null })
    read = async () => ({ ...long, duration: 1190 })
    const other = await ingress.org()
    const { body } = await other.post('/v1/estimate', { url })
    expect([body.waitSeconds, body.failure.code], 'nobody waits, and it takes 185 s').to.deep.equal([0, 'timeout'])
    read = async () => ({ ...long, duration: 1201 })
    expect((await estimate({ url })).failure.code, 'the whole window would not do').to.equal('media_too_long')
  })

  it('counts captions in another language only if the language is no condition', async () => {
    const codeOf = async (more: object) => (await estimate({ url, mode: 'native', ...more })).failure?.code
    expect(await codeOf({ lang: 'de' })).to.equal(undefined)
    expect(await codeOf({ lang: 'de', strictLang: true })).to.equal('captions_unavailable')
    expect(await codeOf({ lang: 'en-GB', strictLang: true })).to.equal(undefined)
    expect(await codeOf({ lang: 'de', strictLang: true, translate: true })).to.equal(undefined)
  })

  it('promises nothing for an unlisted language if the platform withholds captions from us', async () => {
    missing = ['captions']
    expect(await estimate({ url, mode: 'native', lang: 'de', strictLang: true })).to.deep.include({
      captions,
      seconds: null,
      failure: null,
    })
    expect(await estimate({ url, lang: 'de', strictLang: true })).to.deep.include({
      credits: { held: 5, charged: { least: 1, likely: 5, most: 5 } },
    })
    expect(await estimate({ url, lang: 'en', strictLang: true })).to.deep.include({ seconds: 4 })
  })

  it('shows the failure that the video would cause, and nothing about a video not read in time', async () => {
    for (const code of ['video_private', 'video_unavailable', 'platform_blocked'] satisfies FailureCode[]) {
      read = () => Promise.reject(new StepError(code))
      const { failure, ...rest } = await estimate({ url })
      expect(failure, code).to.include({ code })
      expect(rest, code).to.include({ captions: null, duration: null, seconds: null, refusal: null })
    }
    read = () => Promise.reject(new DOMException('late', 'TimeoutError'))
    expect(await estimate({ url })).to.deep.include({
      credits: { held: 5, charged: { least: 1, likely: 5, most: 5 } },
      seconds: null,
      failure: null,
    })
  })

  /** The answer of the job's POST, in the form of `refusal`. */
  const refusalOf = async (path: string, body: object) => {
    const { status, headers, body: answer } = await acme.post(path, body)
    const { error, message, details } = answer
    const wait = headers.get('retry-after')
    return { status, error, message, details, retryAfterSeconds: wait === null ? null : Number(wait) }
  }

  it('says why the POST would be refused, in its words', async () => {
    const wrong: [path: string, body: object][] = [
      ['/v1/transcript', { url: 'http://127.0.0.1/a.mp4' }],
      ['/v1/transcript', { url, lang: 'englsh', strictLang: true }],
      ['/v1/transcript', { url, mode: 'generate', speakers: true }],
      ['/v1/extract', { url, prompt: 'What?', schema: { type: 'array' } }],
    ]
    for (const [path, body] of wrong) {
      const { refusal } = await estimate(body)
      expect(refusal, JSON.stringify(body)).to.include({ status: 400 })
      expect(refusal, JSON.stringify(body)).to.deep.equal(await refusalOf(path, body))
    }
    for (let job = 0; job < 4; job++) await acme.post('/v1/extract', { url, prompt: 'What?' })
    await acme.post('/v1/transcript', { url })
    await acme.post('/v1/transcript', { url, mode: 'native' })
    for (const [path, body] of [
      ['/v1/extract', { url, prompt: 'What?' }],
      ['/v1/transcript', { url, mode: 'generate' }],
    ] as const) {
      const { refusal, captions: listed } = await estimate(body)
      expect(refusal).to.deep.include({ status: 403, error: 'forbidden' })
      expect(refusal).to.deep.equal(await refusalOf(path, body))
      expect(listed, 'the video is looked up all the same').to.deep.equal(captions)
    }
  })

  it('says that an automatic transcript with the last credits can use only captions', async () => {
    for (let job = 0; job < 4; job++) await acme.post('/v1/extract', { url, prompt: 'What?' })
    await acme.post('/v1/transcript', { url })
    await acme.post('/v1/transcript', { url, mode: 'native' })
    const cheap = { held: 1, charged: { least: 1, likely: 1, most: 1 } }
    expect(await estimate({ url })).to.deep.include({ credits: cheap, refusal: null, failure: null })
    read = async () => ({ ...film, captions: [] })
    expect((await estimate({ url })).failure).to.include({ code: 'insufficient_credits' })
  })

  it('refuses a body that is not a job', async () => {
    for (const body of [{}, { url, modee: 'auto' }, { url, prompt: 'x', mode: 'auto' }, { url, prompt: '' }, []]) {
      const answer = await acme.post('/v1/estimate', body)
      expect([answer.status, answer.body.error], JSON.stringify(body)).to.deep.equal([400, 'invalid_request'])
    }
    expect((await acme.get('/v1/estimate')).status).to.equal(405)
  })
})

import { expect } from 'chai'
import { JobFixture, problem, report, results } from './job.fixture.ts'
import type { Used } from './used.ts'

const tokens = { input: 100, output: 20 }
const used = { tokens, audioSeconds: 0 }
const nothing = { tokens: { input: 0, output: 0 }, audioSeconds: 0 }

const extractionRequest = { kind: 'extraction', mode: null, budget: 10 } as const

/** An extraction of a video with captions; and with the model at work. */
const captioned = () =>
  new JobFixture(extractionRequest).start().record(results.fetched).start().record(results.captions)
const extracting = () => captioned().start()

/** A job with speech-to-text at work. */
function listening(job: ConstructorParameters<typeof JobFixture>[0] = { mode: 'generate' }): JobFixture {
  const fetched = new JobFixture(job).start().record(results.fetched).start()
  return job?.kind === 'extraction' ? fetched.record(results.noCaptions).start() : fetched
}

/** The unpaid use that is recorded at the end of a job. */
function unpaidOf({ events }: JobFixture) {
  const end = events.at(-1)
  if (end?.type !== 'JobFailed') throw new Error(`the job ended with ${end?.type}`)
  return end.data.unpaid
}

const saysNothing = (used: Used) => report('speech-to-text', problem('no_speech', { transient: false, used }))
const fails = (code: Parameters<typeof problem>[0], more = {}) =>
  report('extract', problem(code, { transient: false, used, ...more }))

describe('an unpaid job', () => {
  it('was cancelled while the model or speech-to-text was at work', () => {
    expect(unpaidOf(extracting().send({ type: 'cancel' }))).to.deep.equal(nothing)
    expect(unpaidOf(listening().send({ type: 'cancel' }))).to.deep.equal(nothing)
  })

  it('was cancelled after finished work, which is all recorded', () => {
    const heard = listening(extractionRequest).record(results.speech)
    expect(unpaidOf(heard.send({ type: 'cancel' }))).to.deep.equal({ ...nothing, audioSeconds: 12.5 })
    const tried = extracting().send(fails('internal_error', { transient: true }))
    expect(unpaidOf(tried.send({ type: 'cancel' }))).to.deep.equal(used)
  })

  it('has no result because of what its request asks for', () => {
    expect(unpaidOf(extracting().send(fails('extraction_invalid')))).to.deep.equal(used)
    expect(unpaidOf(extracting().send({ type: 'discard-result', used }))).to.deep.equal(used)
  })

  it('turned out to be about an unfit or missing video, after work on it', () => {
    for (const code of ['media_too_long', 'media_unsupported', 'video_unavailable', 'video_private'] as const) {
      expect(unpaidOf(extracting().send(fails(code))), code).to.deep.equal(used)
      const unused = extracting().send(fails(code, { used: nothing }))
      expect(unpaidOf(unused), `${code}, unused`).to.equal(undefined)
    }
  })

  it('has no speech, which only its transcription has shown', () => {
    const heard = { ...nothing, audioSeconds: 12.5 }
    expect(unpaidOf(listening().send(saysNothing(heard)))).to.deep.equal(heard)
    expect(unpaidOf(listening().send(saysNothing(nothing))), 'no sound was transcribed').to.equal(undefined)
    const seen = listening(extractionRequest).send(saysNothing(heard))
    expect(seen.events.at(-1)?.type, 'its pictures are left').to.equal('SpeechTranscribed')
    expect(unpaidOf(seen.send({ type: 'cancel' }))).to.deep.equal(heard)
  })

  it('is not one cancelled after an existing transcript, which used no sound', () => {
    const { type, data } = results.speech
    const reused = listening(extractionRequest).record({
      type,
      data: { ...data, reused: true },
    })
    expect(unpaidOf(reused.send({ type: 'cancel' }))).to.equal(undefined)
  })

  it('is not one cancelled before any of that', () => {
    expect(unpaidOf(new JobFixture().send({ type: 'cancel' }))).to.equal(undefined)
    expect(unpaidOf(new JobFixture().start().send({ type: 'cancel' }))).to.equal(undefined)
    expect(unpaidOf(captioned().send({ type: 'cancel' }))).to.equal(undefined)
  })

  it('is not one that failed because of us or a platform, whatever it used', () => {
    for (const code of ['internal_error', 'upstream_error', 'platform_blocked'] as const)
      expect(unpaidOf(extracting().send(fails(code))), code).to.equal(undefined)
    const late = extracting()
    expect(unpaidOf(late.send({ type: 'give-up', now: late.now + 3600_000 }))).to.equal(undefined)
  })
})

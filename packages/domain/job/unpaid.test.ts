import { expect } from 'chai'
import { JobFixture, problem, results } from './job.fixture.ts'
import type { Used } from './used.ts'

const tokens = { input: 100, output: 20 }
const used = { tokens, audioSeconds: 0 }
const nothing = { tokens: { input: 0, output: 0 }, audioSeconds: 0 }

/** An extraction of a video with captions. */
const extraction = () =>
  new JobFixture({ kind: 'extraction', mode: null, budget: 10 })
    .start()
    .record(results.fetched)
    .start()
    .record(results.captions)

/** A job with speech-to-text at work. */
function listening(job: ConstructorParameters<typeof JobFixture>[0] = { mode: 'generate' }): JobFixture {
  const fetched = new JobFixture(job).start().record(results.fetched).start()
  return job?.kind === 'extraction' ? fetched.record(results.noCaptions).start() : fetched
}

const saysNothing = (used: Used) =>
  ({
    type: 'report-problem',
    step: 'speech-to-text',
    problem: problem('no_speech', { transient: false, used }),
    now: 0,
    chance: 0,
  }) as const

/** The unpaid use that is recorded at the end of a job. */
function unpaidOf({ events }: JobFixture) {
  const end = events.at(-1)
  if (end?.type !== 'JobFailed') throw new Error(`the job ended with ${end?.type}`)
  return end.data.unpaid
}

const fails = (code: Parameters<typeof problem>[0], more = {}) =>
  ({
    type: 'report-problem',
    step: 'extract',
    problem: problem(code, { transient: false, used, ...more }),
    now: 0,
    chance: 0,
  }) as const

describe('an unpaid job', () => {
  it('was cancelled while the model or speech-to-text was at work', () => {
    expect(unpaidOf(extraction().start().send({ type: 'cancel' }))).to.deep.equal(nothing)
    const spoken = new JobFixture({ mode: 'generate' }).start().record(results.fetched).start()
    expect(unpaidOf(spoken.send({ type: 'cancel' }))).to.deep.equal(nothing)
  })

  it('was cancelled after finished work, which is all recorded', () => {
    const heard = new JobFixture({ kind: 'extraction', mode: null, budget: 10 })
      .start()
      .record(results.fetched)
      .start()
      .record(results.noCaptions)
      .start()
      .record(results.speech)
    expect(unpaidOf(heard.send({ type: 'cancel' }))).to.deep.equal({ ...nothing, audioSeconds: 12.5 })
    const tried = extraction()
      .start()
      .send(fails('internal_error', { transient: true }))
    expect(unpaidOf(tried.send({ type: 'cancel' }))).to.deep.equal(used)
  })

  it('has no result because of what its request asks for', () => {
    expect(unpaidOf(extraction().start().send(fails('extraction_invalid')))).to.deep.equal(used)
    expect(unpaidOf(extraction().start().send({ type: 'discard-result', used }))).to.deep.equal(used)
  })

  it('turned out to be about an unfit or missing video, after work on it', () => {
    for (const code of ['media_too_long', 'media_unsupported', 'video_unavailable', 'video_private'] as const) {
      expect(unpaidOf(extraction().start().send(fails(code))), code).to.deep.equal(used)
      expect(
        unpaidOf(
          extraction()
            .start()
            .send(fails(code, { used: nothing })),
        ),
        `${code}, unused`,
      ).to.equal(undefined)
    }
  })

  it('has no speech, which only its transcription has shown', () => {
    const heard = { ...nothing, audioSeconds: 12.5 }
    expect(unpaidOf(listening().send(saysNothing(heard)))).to.deep.equal(heard)
    expect(unpaidOf(listening().send(saysNothing(nothing))), 'no sound was transcribed').to.equal(undefined)
    const seen = listening({ kind: 'extraction', mode: null, budget: 10 }).send(saysNothing(heard))
    expect(seen.events.at(-1)?.type, 'its pictures are left').to.equal('SpeechTranscribed')
    expect(unpaidOf(seen.send({ type: 'cancel' }))).to.deep.equal(heard)
  })

  it('is not one cancelled after an existing transcript, which used no sound', () => {
    const { type, data } = results.speech
    const reused = listening({ kind: 'extraction', mode: null, budget: 10 }).record({
      type,
      data: { ...data, reused: true },
    })
    expect(unpaidOf(reused.send({ type: 'cancel' }))).to.equal(undefined)
  })

  it('is not one cancelled before any of that', () => {
    expect(unpaidOf(new JobFixture().send({ type: 'cancel' }))).to.equal(undefined)
    expect(unpaidOf(new JobFixture().start().send({ type: 'cancel' }))).to.equal(undefined)
    expect(unpaidOf(extraction().send({ type: 'cancel' }))).to.equal(undefined)
  })

  it('is not one that failed because of us or a platform, whatever it used', () => {
    for (const code of ['internal_error', 'upstream_error', 'platform_blocked'] as const)
      expect(unpaidOf(extraction().start().send(fails(code))), code).to.equal(undefined)
    const late = extraction().start()
    expect(unpaidOf(late.send({ type: 'give-up', now: late.now + 3600_000 }))).to.equal(undefined)
  })
})

import { expect } from 'chai'
import { noOptions } from './events.ts'
import { failureOf, JobFixture, problem, report, results } from './job.fixture.ts'
import { job, type StepProblem, settlementOf } from './job.ts'
import { nothingUsedYet } from './used.ts'

const { fetched, captions, noCaptions, speech, extraction } = results

const typesOf = (fixture: JobFixture): string[] => fixture.events.map(({ type }) => type)

/** A job with a claimed caption step. */
const captioning = (request: ConstructorParameters<typeof JobFixture>[0]): JobFixture =>
  new JobFixture(request).start().succeed(fetched).start()

/** The worker of the fetch step reports an error of our own. */
const failedFetch = ({ now }: JobFixture) => report('fetch', problem('upstream_error'), now)

describe('a job', () => {
  describe('follows the route of its mode', () => {
    it('native: fetch, caption, 1 credit', () => {
      const fixture = captioning({ mode: 'native', budget: 1 }).succeed(captions)
      expect(typesOf(fixture)).to.deep.equal([
        'JobRequested',
        'StepStarted',
        'VideoFetched',
        'StepStarted',
        'CaptionsRead',
        'JobCompleted',
      ])
      expect(settlementOf(fixture.job)).to.deep.equal({ charged: 1, reason: 'completed' })
    })

    it('native without captions fails, with the reason if that is known', () => {
      const fixture = captioning({ mode: 'native', budget: 1 }).succeed(noCaptions)
      expect(failureOf(fixture)).to.equal('captions_unavailable')
      expect(settlementOf(fixture.job)).to.deep.equal({ charged: 0, reason: 'captions_unavailable' })
      const odd = captioning({ mode: 'native' }).succeed({ type: 'CaptionsUnavailable', data: { reason: 'toString' } })
      expect(failureOf(odd)).to.equal('captions_unavailable')
    })

    it('native fails without captions in a required language, and says so; auto falls back to speech', () => {
      const options = { ...noOptions, strictLang: true }
      const native = captioning({ mode: 'native', budget: 1, options }).succeed(noCaptions)
      expect(native.last?.data).to.deep.include({
        code: 'captions_unavailable',
        message: 'The video has no captions in the requested language.',
      })
      expect(captioning({ options }).succeed(noCaptions).next).to.include({ step: 'speech-to-text' })
    })

    it('generate: fetch, speech-to-text, 5 credits, never the caption step', () => {
      const fixture = new JobFixture({ mode: 'generate' }).start().succeed(fetched)
      expect(fixture.next).to.deep.equal({ type: 'step', step: 'speech-to-text', attempt: 1 })
      fixture.start().succeed(speech)
      expect(settlementOf(fixture.job)).to.deep.equal({ charged: 5, reason: 'completed' })
    })

    it('auto with captions: 1 credit', () => {
      const fixture = captioning({ mode: 'auto' }).succeed(captions)
      expect(settlementOf(fixture.job)).to.deep.equal({ charged: 1, reason: 'completed' })
    })

    it('auto without captions falls back to speech: 5 credits', () => {
      const fixture = captioning({ mode: 'auto' }).succeed(noCaptions)
      expect(fixture.next).to.deep.equal({ type: 'step', step: 'speech-to-text', attempt: 1 })
      fixture.start().succeed(speech)
      expect(settlementOf(fixture.job)).to.deep.equal({ charged: 5, reason: 'completed' })
    })

    it('auto with a budget of 1 reads captions only', () => {
      expect(settlementOf(captioning({ mode: 'auto', budget: 1 }).succeed(captions).job)?.charged).to.equal(1)
      const without = captioning({ mode: 'auto', budget: 1 }).succeed(noCaptions)
      expect(typesOf(without).slice(-2)).to.deep.equal(['CaptionsUnavailable', 'JobFailed'])
      expect(failureOf(without)).to.equal('insufficient_credits')
    })

    it('extraction: fetch, caption, speech-to-text only without captions, extract, 10 credits', () => {
      const request = { kind: 'extraction', mode: null, budget: 10, prompt: 'What is it about?' } as const
      const captioned = captioning(request).succeed(captions)
      expect(captioned.next).to.deep.equal({ type: 'step', step: 'extract', attempt: 1 })
      const spoken = captioning(request).succeed(noCaptions).start().succeed(speech)
      expect(spoken.next).to.deep.equal({ type: 'step', step: 'extract', attempt: 1 })
      spoken.start().succeed(extraction)
      expect(settlementOf(spoken.job)).to.deep.equal({ charged: 10, reason: 'completed' })
    })

    it('extraction of a video without speech continues with an empty transcript', () => {
      const request = { kind: 'extraction', mode: null, budget: 10, prompt: 'What is shown?' } as const
      const silent = captioning(request)
        .succeed(noCaptions)
        .start()
        .fail(problem('no_speech', { transient: false, used: { ...nothingUsedYet(), audioSeconds: 7.5 } }))
      expect(silent.last).to.include({ type: 'SpeechTranscribed' })
      expect(silent.last?.data).to.deep.include({ audioSeconds: 7.5, engine: 'none', segments: [] })
      expect(silent.next).to.deep.equal({ type: 'step', step: 'extract', attempt: 1 })
    })

    it('a transcript of a video without speech fails with no_speech, in every mode with speech-to-text', () => {
      const noSpeech = problem('no_speech', { transient: false })
      const spoken = captioning({ mode: 'auto' }).succeed(noCaptions).start().fail(noSpeech)
      expect(failureOf(spoken)).to.equal('no_speech')
      const generated = new JobFixture({ mode: 'generate' }).start().succeed(fetched).start()
      expect(failureOf(generated.fail(noSpeech))).to.equal('no_speech')
    })

    it('extraction ends with any other failure of its steps', () => {
      const request = { kind: 'extraction', mode: null, budget: 10, prompt: 'What is shown?' } as const
      const long = problem('media_too_long', { transient: false })
      const unheard = captioning(request).succeed(noCaptions).start().fail(long)
      expect(failureOf(unheard)).to.equal('media_too_long')
      const wrong = problem('extraction_invalid', { transient: false })
      const invalid = captioning(request).succeed(captions).start().fail(wrong)
      expect(failureOf(invalid)).to.equal('extraction_invalid')
      expect(settlementOf(invalid.job)).to.deep.equal({ charged: 0, reason: 'extraction_invalid' })
    })

    for (const reason of ['video_private', 'video_unavailable', 'age_restricted', 'geo_blocked', 'login_required']) {
      it(`auto does not transcribe a video when its captions fail with ${reason}`, () => {
        const thrown = captioning({ mode: 'auto' }).fail(problem(reason as 'geo_blocked', { transient: false }))
        expect(typesOf(thrown).at(-1)).to.equal('JobFailed')
        expect(failureOf(thrown)).to.equal(reason)
        const unread = captioning({ mode: 'auto' }).succeed({ type: 'CaptionsUnavailable', data: { reason } })
        expect(failureOf(unread)).to.equal(reason)
      })
    }
  })

  describe('retries', () => {
    it('a transient error after the backoff, as a new attempt', () => {
      const fixture = new JobFixture().start().fail(problem('upstream_error'), 0.5)
      expect(fixture.last?.data).to.deep.equal({
        step: 'fetch',
        attempt: 1,
        code: 'upstream_error',
        retryAfterSeconds: 0.25,
        used: null,
      })
      expect(fixture.next).to.deep.equal({ type: 'wait', until: fixture.now + 250 })
      expect(fixture.wait(0.25).next).to.deep.equal({ type: 'step', step: 'fetch', attempt: 2 })
    })

    it('with full jitter under a ceiling that doubles from 0.5 to 8 seconds', () => {
      const ceilings = [0.5, 1, 2, 4, 8, 8, 8]
      const almostOne = 1 - 2 ** -53
      const fixture = new JobFixture()
      for (const ceiling of ceilings) {
        fixture.start()
        const delayWith = (chance: number): unknown =>
          job.decide({ ...failedFetch(fixture), chance }, fixture.job)[0]?.data
        expect(delayWith(0)).to.include({ retryAfterSeconds: 0 })
        expect(delayWith(almostOne)).to.have.property('retryAfterSeconds').closeTo(ceiling, 0.001)
        fixture.fail(problem('upstream_error'), almostOne).wait(ceiling)
      }
    })

    it('not before the other side allows it', () => {
      const fixture = new JobFixture().start().fail(problem('upstream_error', { retryAfterSeconds: 20 }), 0.9)
      expect(fixture.last?.data).to.include({ retryAfterSeconds: 20 })
    })

    it('not if a retry no longer fits before the deadline: then the error ends the job at once', () => {
      const failed = (retryAfterSeconds: number) =>
        new JobFixture().start().wait(100).fail(problem('upstream_error', { retryAfterSeconds }))
      expect(failed(79.8).last?.type).to.equal('StepFailed')
      expect(failureOf(failed(79.9))).to.equal('upstream_error')
    })

    it('never after a permanent error', () => {
      const fixture = new JobFixture().start().fail(problem('video_private', { transient: false }))
      expect(fixture.job).to.deep.include({
        status: 'failed',
        code: 'video_private',
        message: 'made up: video_private',
      })
      expect(settlementOf(fixture.job)).to.deep.equal({ charged: 0, reason: 'video_private' })
    })

    it('captions that speech-to-text can replace only until a twelfth of the window after their first start', () => {
      const fixture = captioning({ mode: 'auto', windowSeconds: 180 })
      fixture.wait(14).fail(problem('platform_blocked', { retryAfterSeconds: 1 }))
      expect(fixture.last?.type).to.equal('StepFailed')
      fixture.wait(1).start()
      fixture.fail(problem('platform_blocked', { retryAfterSeconds: 0.01 }), 0)
      expect(fixture.last).to.deep.include({ type: 'CaptionsUnavailable', data: { reason: 'platform_blocked' } })
      expect(fixture.next).to.deep.equal({ type: 'step', step: 'speech-to-text', attempt: 1 })
    })

    it('captions that waited for the pace of their platform, as if they had begun after the wait', () => {
      // Given captions with their turn after more than a twelfth of the window,
      const fixture = captioning({ mode: 'auto', windowSeconds: 180 }).release(40).wait(40).start()
      // when the platform refuses them once,
      fixture.fail(problem('platform_blocked', { host: 'platform' }))
      // then they are read again: speech-to-text would cost five credits instead of one.
      expect(fixture.last?.type).to.equal('StepFailed')
      fixture.wait(1).start().succeed(captions)
      expect(settlementOf(fixture.job)).to.deep.equal({ charged: 1, reason: 'completed' })
    })

    it('no captions with their turn after the deadline, nor speech in their place: the job is refunded', () => {
      for (const request of [{ mode: 'auto' }, { kind: 'extraction', mode: null, budget: 10 }] as const) {
        // Given captions that wait for the pace of their platform,
        const fixture = captioning(request)
        // when their turn would come too late,
        fixture.fail(problem('upstream_error', { host: 'platform', retryAfterSeconds: 240, unasked: true }))
        // then the job ends without a charge.
        expect(settlementOf(fixture.job)).to.deep.equal({ charged: 0, reason: 'upstream_error' })
      }
    })

    it('native captions until the deadline', () => {
      const fixture = captioning({ mode: 'native', windowSeconds: 180 }).wait(100).fail(problem('platform_blocked'))
      expect(fixture.last?.type).to.equal('StepFailed')
    })

    it('replaceable captions not past the deadline, if their first start was late', () => {
      const fixture = new JobFixture({ mode: 'auto', windowSeconds: 180 }).start().extend(200).wait(170)
      fixture
        .succeed(fetched)
        .start()
        .fail(problem('upstream_error', { retryAfterSeconds: 12 }))
      expect(fixture.last?.type).to.equal('CaptionsUnavailable')
      expect(fixture.next).to.deep.equal({ type: 'step', step: 'speech-to-text', attempt: 1 })
    })

    it('captions until then, and ends a job with a budget of 1 with their error, not for lack of credits', () => {
      const fixture = captioning({ mode: 'auto', budget: 1 }).wait(15).fail(problem('platform_blocked'))
      expect(typesOf(fixture).slice(-2)).to.deep.equal(['CaptionsUnavailable', 'JobFailed'])
      expect(failureOf(fixture)).to.equal('platform_blocked')
      expect(settlementOf(fixture.job)).to.deep.equal({ charged: 0, reason: 'platform_blocked' })
    })

    describe('at a host outside', () => {
      const direct = problem('upstream_error', { host: 'direct' })
      const platform = problem('platform_blocked', { host: 'platform' })
      /** Fails the step, at once each time, until the job has ended or the step is given up. @returns the waits */
      const failUntilTheEnd = (fixture: JobFixture, how: StepProblem, chance: number): number[] => {
        const waits: number[] = []
        for (;;) {
          fixture.start().fail(how, chance)
          if (fixture.last?.type !== 'StepFailed') return waits
          waits.push(fixture.last.data.retryAfterSeconds)
          fixture.wait(fixture.last.data.retryAfterSeconds)
        }
      }

      for (const how of [direct, platform])
        it(`six attempts and no more, spread over 45 seconds: ${how.host}`, () => {
          const fixture = new JobFixture()
          expect(failUntilTheEnd(fixture, how, 0)).to.deep.equal([1, 3, 6, 12, 20])
          expect(typesOf(fixture).filter((type) => type === 'StepStarted')).to.have.length(6)
          expect(failureOf(fixture)).to.equal(how.code)
          expect(failUntilTheEnd(new JobFixture(), how, 1 - 2 ** -53).map(Math.round)).to.deep.equal([1, 2, 5, 9, 15])
        })

      it('a direct file not past 45 seconds after the first attempt, however few attempts there were', () => {
        const slow = new JobFixture().start().wait(41).fail(direct)
        expect(slow.last?.type).to.equal('StepFailed')
        slow.wait(1).start().fail(direct, 0)
        expect(failureOf(slow), 'three seconds later were 45').to.equal(undefined)
        slow.wait(3).start().fail(direct)
        expect(failureOf(slow)).to.equal('upstream_error')
        const later = new JobFixture().start().fail({ ...direct, retryAfterSeconds: 46 })
        expect(failureOf(later), 'the host says when, and that is too late').to.equal('upstream_error')
      })

      it('a platform for as long as the window lasts', () => {
        const fixture = new JobFixture().start().fail({ ...platform, retryAfterSeconds: 90 })
        expect(fixture.last?.type).to.equal('StepFailed')
      })

      it('counting lost and released claims, which have sent requests as well', () => {
        const fixture = new JobFixture().start(30).wait(30).start().release().start().fail(platform, 0)
        fixture.wait(6).start().fail(platform, 0).wait(12).start().fail(platform, 0).wait(20).start()
        expect(fixture.claim.attempt).to.equal(6)
        expect(failureOf(fixture.fail(platform))).to.equal('platform_blocked')
      })

      it('counting all steps of the job; captions leave one attempt to the step that replaces them', () => {
        const fixture = captioning({ mode: 'auto', windowSeconds: 1800 })
        const native = new JobFixture({ mode: 'native' }).start().succeed(fetched)
        expect(failUntilTheEnd(native, platform, 0)).to.have.length(4)
        fixture.fail(platform, 0).wait(1)
        expect(failUntilTheEnd(fixture, platform, 0)).to.have.length(2)
        expect(fixture.last?.type).to.equal('CaptionsUnavailable')
        expect(failureOf(fixture.start().fail(platform, 0))).to.equal('platform_blocked')
        expect(typesOf(fixture).filter((type) => type === 'StepStarted')).to.have.length(6)
      })

      it('once, if another attempt would get the same answer', () => {
        expect(failureOf(new JobFixture().start().fail({ ...direct, transient: false }))).to.equal('upstream_error')
      })
    })

    it('only what is claimed: a problem of another step changes nothing', () => {
      const fixture = captioning({ mode: 'auto' })
      expect(job.decide(failedFetch(fixture), fixture.job)).to.deep.equal([])
    })
  })

  describe('time', () => {
    it('ends the job at its deadline, even while a worker holds it', () => {
      const fixture = new JobFixture({ windowSeconds: 60 }).start(500)
      const { now } = fixture
      expect(fixture.wait(59.999).next).to.deep.equal({ type: 'wait', until: now + 60_000 })
      expect(fixture.wait(0.001).next).to.deep.equal({ type: 'fail', code: 'timeout' })
    })

    it('does not begin a step with less than its minimum left', () => {
      const fixture = new JobFixture({ windowSeconds: 60 }).wait(59.8)
      expect(fixture.next).to.deep.equal({ type: 'step', step: 'fetch', attempt: 1 })
      expect(fixture.wait(0.001).next).to.deep.equal({ type: 'wait', until: fixture.now + 199 })
    })
  })
})

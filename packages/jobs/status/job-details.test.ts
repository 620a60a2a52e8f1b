import { expect } from 'chai'
import { noOptions } from '#packages/domain/job/events.ts'
import { jobRequested, results } from '#packages/domain/job/job.fixture.ts'
import { nothingUsedYet } from '#packages/domain/job/used.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { jobDetailsOf } from './job-details.ts'
import { AT, completed, failed, iso, started, stepFailed, stored, traceId } from './job-events.fixture.ts'
import type { ShownEvents } from './job-history.ts'

const url = 'https://www.youtube.com/watch?v=dQw4w9WgXcQ'
const requested: DomainEvent = { type: 'JobRequested', data: jobRequested({ url }) }
type At = { end?: ShownEvents['end']; second?: number; audioSeconds?: number }

/** Described at a second after the request. */
function described(events: DomainEvent[], { end = 'none', second = events.length, audioSeconds }: At = {}) {
  const used = audioSeconds === undefined ? undefined : { ...nothingUsedYet(), audioSeconds }
  return jobDetailsOf({ events: stored(...events), end }, { jobId: 'j1', now: AT + second * 1000, used })
}

describe('the details of a job', () => {
  it('name everything about one that no worker has yet: it waits for a worker', () => {
    expect(described([requested])).to.deep.equal({
      jobId: 'j1',
      kind: 'transcript',
      status: 'queued',
      state: 'waiting',
      url,
      mode: 'auto',
      step: 'fetch',
      attempt: 1,
      progress: null,
      waitingFor: { reason: 'worker', platform: null, until: null },
      credits: { held: 5, charged: null },
      reused: null,
      language: null,
      warnings: [],
      error: null,
      traceId,
      createdAt: iso(0),
      startedAt: null,
      deadlineAt: iso(180),
      endedAt: null,
    })
  })

  it('name the step at work and its attempt; once its lease is over the job waits for a worker again', () => {
    const events = [requested, started('fetch')]
    expect(described(events)).to.include({ state: 'working', step: 'fetch', attempt: 1, waitingFor: null })
    expect(described(events)).to.include({ startedAt: iso(1) })
    const lost = described(events, { second: 32 })
    expect(lost).to.deep.include({ state: 'waiting', attempt: 2 })
    expect(lost.waitingFor).to.deep.equal({ reason: 'worker', platform: null, until: null })
  })

  it('say that a platform refuses, which one, and until when the job waits for it', () => {
    const events = [requested, started('fetch'), stepFailed('platform_blocked', 20)]
    const waiting = described(events)
    expect(waiting).to.include({ state: 'waiting', step: 'fetch', attempt: 2 })
    expect(waiting.waitingFor).to.deep.equal({ reason: 'platform_blocked', platform: 'youtube', until: iso(22) })
    expect(described(events, { second: 22 }).waitingFor).to.include({ reason: 'worker', until: null })
  })

  it('say that a video waits for its turn at a platform, and until when', () => {
    const { waitingFor } = described([requested, started('fetch'), stepFailed('released', 20)])
    expect(waitingFor).to.deep.equal({ reason: 'pace', platform: 'youtube', until: iso(22) })
  })

  it('name no platform if the last attempt failed for another reason', () => {
    const { waitingFor } = described([requested, started('fetch'), stepFailed('upstream_error', 20)])
    expect(waitingFor).to.deep.equal({ reason: 'upstream_error', platform: null, until: iso(22) })
  })

  it('report how much of the sound is transcribed if that is known, and at no other step', () => {
    const events = [requested, started('fetch'), results.fetched, results.noCaptions, started('speech-to-text')]
    expect(described(events, { audioSeconds: 5 })).to.include({ step: 'speech-to-text', progress: 0.4 })
    expect(described(events, { audioSeconds: 13 }).progress).to.equal(1)
    expect(described(events).progress).to.equal(null)
    expect(described([requested, started('fetch')], { audioSeconds: 0 }).progress).to.equal(null)
  })

  it('show what a completed job cost once that is settled, and its language', () => {
    const events = [requested, started('fetch'), results.fetched, results.captions, completed]
    const settled = described(events, { end: 'settled' })
    expect(settled).to.include({ status: 'completed', state: 'completed', step: null, attempt: null, language: 'en' })
    expect(settled).to.include({ endedAt: iso(4), waitingFor: null, error: null })
    expect(settled.credits).to.deep.equal({ held: 0, charged: 1 })
    expect(described(events, { end: 'unsettled' }).credits).to.deep.equal({ held: 5, charged: null })
  })

  it('call a job queued that has ended and is not settled: its result cannot be polled yet', () => {
    const settling = described([requested, started('fetch'), results.fetched], { end: 'settling' })
    expect(settling).to.include({ status: 'queued', state: 'settling', step: null, endedAt: null })
  })

  it('say why a job failed, and distinguish a cancelled one from others', () => {
    const lost = described([requested, failed('no_speech')], { end: 'settled' })
    expect(lost).to.deep.include({
      status: 'failed',
      state: 'failed',
      error: { code: 'no_speech', message: 'made up' },
    })
    expect(lost.credits).to.deep.equal({ held: 0, charged: 0 })
    const cancelled = described([requested, failed('cancelled')], { end: 'settled' })
    expect(cancelled).to.include({ status: 'failed', state: 'cancelled' })
    expect(cancelled.error).to.include({ code: 'cancelled' })
  })

  it('of a job that was never accepted have no URL, and no credits', () => {
    const refused = described([failed('not_accepted')], { end: 'settled' })
    expect(refused).to.include({ kind: 'transcript', status: 'failed', url: null, mode: null, deadlineAt: null })
    expect(refused.credits).to.deep.equal({ held: 0, charged: 0 })
  })

  it('warn if word times were requested and there are none', () => {
    const asked: DomainEvent = { type: 'JobRequested', data: jobRequested({ options: { ...noOptions, words: true } }) }
    expect(described([asked, results.captions]).warnings).to.deep.equal([{ code: 'words_unavailable' }])
    expect(described([asked]).warnings).to.deep.equal([])
    expect(described([requested, results.captions]).warnings).to.deep.equal([])
  })
})

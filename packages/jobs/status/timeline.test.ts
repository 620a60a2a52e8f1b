import { expect } from 'chai'
import { jobEventTypes } from '#packages/domain/job/events.ts'
import { jobRequested, results } from '#packages/domain/job/job.fixture.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { readHistories } from '#test/histories/read-histories.ts'
import { completed, failed, iso, started, stepFailed, stored } from './job-events.fixture.ts'
import type { ShownEvents } from './job-history.ts'
import { Timeline } from './timeline.ts'

const requested: DomainEvent = { type: 'JobRequested', data: jobRequested({ prompt: null }) }

const tell = (events: StoredEvent[], end: ShownEvents['end']) => new Timeline().tell({ events, end })

describe('the timeline of a job', () => {
  it('shows what happened, step by step, and what it cost', () => {
    const events = stored(
      requested,
      started('fetch'),
      stepFailed('platform_blocked', 4),
      started('fetch', 2),
      { type: 'LeaseExtended', data: { step: 'fetch', attempt: 2, leaseSeconds: 30 } },
      results.fetched,
      started('caption'),
      results.captions,
      completed,
    )
    const { url } = jobRequested()
    expect(tell(events, 'settled')).to.deep.equal([
      {
        id: 1,
        type: 'accepted',
        at: iso(0),
        kind: 'transcript',
        url,
        mode: 'auto',
        credits: 5,
        deadlineAt: iso(180),
      },
      { id: 5, type: 'step_started', at: iso(1), step: 'fetch', attempt: 1 },
      {
        id: 9,
        type: 'step_retry',
        at: iso(2),
        step: 'fetch',
        attempt: 1,
        reason: 'platform_blocked',
        until: iso(6),
      },
      { id: 13, type: 'step_started', at: iso(3), step: 'fetch', attempt: 2 },
      { id: 21, type: 'video_found', at: iso(5), platform: 'direct', title: 'A talk', durationSeconds: 12.5 },
      { id: 22, type: 'step_completed', at: iso(5), step: 'fetch', attempt: 2 },
      { id: 25, type: 'step_started', at: iso(6), step: 'caption', attempt: 1 },
      { id: 29, type: 'captions_found', at: iso(7), language: 'en', source: 'captions', segments: 1 },
      { id: 30, type: 'step_completed', at: iso(7), step: 'caption', attempt: 1 },
      { id: 33, type: 'completed', at: iso(8) },
      { id: 34, type: 'credits_settled', at: iso(8), charged: 1, refunded: 4 },
    ])
  })

  it('shows missing captions, speech, an extraction, a failure and a cancellation', () => {
    const typesOf = (...events: DomainEvent[]) => tell(stored(requested, ...events), 'none').map(({ type }) => type)
    expect(typesOf(started('caption'), results.noCaptions)).to.deep.equal([
      'accepted',
      'step_started',
      'captions_unavailable',
      'step_completed',
    ])
    expect(typesOf(started('speech-to-text'), results.speech).slice(2)).to.deep.equal([
      'speech_transcribed',
      'step_completed',
    ])
    expect(typesOf(started('extract'), results.extraction).slice(2)).to.deep.equal(['step_completed'])
    expect(tell(stored(requested, failed('no_speech')), 'settled').slice(1)).to.deep.equal([
      { id: 5, type: 'failed', at: iso(1), code: 'no_speech', message: 'made up' },
      { id: 6, type: 'credits_settled', at: iso(1), charged: 0, refunded: 5 },
    ])
    expect(tell(stored(requested, failed('cancelled')), 'settled')[1]).to.deep.equal({
      id: 5,
      type: 'cancelled',
      at: iso(1),
    })
  })

  it('is the same in pieces as in one, and never shows a settlement before it', () => {
    const events = stored(requested, started('fetch'), results.fetched, started('caption'), results.captions, completed)
    const whole = tell(events, 'settled')
    const timeline = new Timeline()
    const pieces = events.flatMap((event, index) => {
      expect(timeline.revision).to.equal(index - 1)
      return timeline.tell({ events: [event], end: event.type === 'JobCompleted' ? 'settled' : 'none' })
    })
    expect(pieces).to.deep.equal(whole)
    expect(tell(events, 'unsettled')).to.deep.equal(whole.slice(0, -1))
  })

  it('shows every type of event except a lease extension, and nothing internal', () => {
    const seen = new Set<string>()
    for (const { kind, events } of readHistories()) {
      if (kind !== 'job') continue
      const timeline = new Timeline()
      for (const event of events) {
        seen.add(event.type)
        const shown = timeline.tell({ events: [event], end: 'none' })
        expect(shown.length > 0, event.type).to.equal(event.type !== 'LeaseExtended')
        expect(JSON.stringify(shown)).to.not.match(/worker-|leaseSeconds|requestHash|orgId|"used"/)
      }
    }
    expect([...seen].sort()).to.deep.equal([...jobEventTypes].sort())
  })
})

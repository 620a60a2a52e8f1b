import { expect } from 'chai'
import { spansOf, totalsOf } from './time-parts.ts'
import type { TimelineEntry } from './timeline-entry.ts'

/** Events, each with its seconds since the beginning. */
const eventsOf = (
  ...entries: [seconds: number, type: TimelineEntry['type'], step?: TimelineEntry['step']][]
): TimelineEntry[] =>
  entries.map(([seconds, type, step], id) => ({
    id,
    type,
    at: seconds * 1000,
    ...(step && { step }),
    title: type,
    detail: null,
  }))

describe('the time of a job', () => {
  const events = eventsOf(
    [0, 'accepted'],
    [1, 'step_started', 'fetch'],
    [3, 'step_retry', 'fetch'],
    [7, 'step_started', 'fetch'],
    [8, 'video_found'],
    [8, 'step_completed', 'fetch'],
    [8, 'step_started', 'caption'],
    [10, 'captions_found'],
    [10, 'step_completed', 'caption'],
    [10, 'completed'],
    [10, 'credits_settled'],
  )

  it('consists of each step’s work, the waits in between, and the settlement after the end', () => {
    expect(spansOf(events, 99_000, 10_500)).to.deep.equal([
      { part: 'waiting', seconds: 1 },
      { part: 'fetch', seconds: 2 },
      { part: 'waiting', seconds: 4 },
      { part: 'fetch', seconds: 1 },
      { part: 'caption', seconds: 2 },
      { part: 'settle', seconds: 0.5 },
    ])
    expect(totalsOf(spansOf(events, 99_000, undefined))).to.deep.equal([
      { part: 'waiting', seconds: 5 },
      { part: 'fetch', seconds: 3 },
      { part: 'caption', seconds: 2 },
    ])
  })

  it('grows with the clock while the job runs', () => {
    expect(spansOf(events.slice(0, 2), 5000, undefined)).to.deep.equal([
      { part: 'waiting', seconds: 1 },
      { part: 'fetch', seconds: 4 },
    ])
    expect(spansOf([], 5000, undefined)).to.deep.equal([])
  })
})

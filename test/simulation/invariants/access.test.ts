import { expect } from 'chai'
import { jobRequested } from '#packages/domain/job/job.fixture.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { Sighting } from '../record.ts'
import { World } from '../world.ts'
import { noStateIsOlder } from './access.ts'
import { historyOf } from './history.ts'

const [one, other] = [{}, {}]
const REQUESTED_AT = Date.UTC(2026, 0, 15, 12)
const ENDED_AT = REQUESTED_AT + 20_000

/** One job's events, at their times; `settledAt`: milliseconds after the end. */
function eventsOf(settledAt: number): StoredEvent[] {
  const purpose = { operation: 'transcript', mode: 'native', platform: null, keyId: null } as const
  const events = [
    { type: 'JobRequested', stream: 'job-job-1', recordedAt: REQUESTED_AT, data: jobRequested() },
    { type: 'JobCompleted', stream: 'job-job-1', recordedAt: ENDED_AT, data: {} },
    {
      type: 'CreditsSettled',
      stream: 'credits-org-1',
      recordedAt: ENDED_AT + settledAt,
      data: { jobId: 'job-1', charged: 1, refunded: 0, reason: 'completed', ...purpose },
    },
  ]
  return events as unknown as StoredEvent[]
}

/** The findings if `one` shows an end 35 seconds after it, and a later answer says that the job waits. */
function problemsOf(settledAt: number, later: { node: object; askedAt: number; nodeTime: number }) {
  const world = new World(1, { keepsTrace: false, mutation: {} })
  const answer = (node: object, askedAt: number, nodeTime: number, seen: object): void => {
    const times = { askedAt: ENDED_AT + askedAt, answeredAt: ENDED_AT + askedAt + 5, nodeTime: ENDED_AT + nodeTime }
    world.record.sightings.push({ jobId: 'job-1', orgId: 'org-1', own: true, node, ...times, seen } as Sighting)
  }
  answer(one, 35_000, 35_000, { status: 'completed', result: '{}' })
  answer(later.node, later.askedAt, later.nodeTime, { status: 'queued' })
  return noStateIsOlder(historyOf(world, [], eventsOf(settledAt)))
}

describe('an answer that a job waits, after its end was answered', () => {
  it('is excused if another ingress, by its own clock, must not show an unsettled end yet', () => {
    expect(problemsOf(60_000, { node: other, askedAt: 36_000, nodeTime: 29_999 })).to.deep.equal([])
    expect(problemsOf(60_000, { node: other, askedAt: 36_000, nodeTime: 30_000 })).to.have.length(1)
  })

  it('is not excused once the debit was settled, and never by the same ingress', () => {
    expect(problemsOf(35_500, { node: other, askedAt: 36_000, nodeTime: 29_999 })).to.have.length(1)
    expect(problemsOf(60_000, { node: one, askedAt: 36_000, nodeTime: 29_999 })).to.have.length(1)
  })

  it('is excused if the job is still young to another ingress, by its own clock', () => {
    expect(problemsOf(1000, { node: other, askedAt: 36_000, nodeTime: -10_001 })).to.deep.equal([])
    expect(problemsOf(1000, { node: other, askedAt: 36_000, nodeTime: -10_000 })).to.have.length(1)
  })
})

import { expect } from 'chai'
import { MemoryViews } from '#packages/adapters/memory/views.ts'
import { type Lane, perStep } from '#packages/domain/job/events.ts'
import { JobFixture } from '#packages/domain/job/job.fixture.ts'
import { type LaneNote, laneNoteId } from '#packages/views/lane-note.ts'
import { viewsDefinition as definition } from '#packages/views/views-definition.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { Backlog } from './backlog.ts'
import { writeLaneNotes } from './lane-notes.ts'
import type { TrackedJob } from './tracked-job.ts'

const LATE_AFTER_MS = 1000

/** A job of an organization whose next step has been due since an instant, in milliseconds, or is not due. */
const waiting = (orgId: string, dueSince: number | undefined, lane: Lane = 'standard'): TrackedJob => ({
  jobId: `job of ${orgId}`,
  orgId,
  kind: 'transcript',
  openedAfter: 0,
  debitedAt: 0,
  credits: 5,
  request: undefined,
  traceparent: '',
  debitRoot: undefined,
  job: new JobFixture({ orgId, lane }).job,
  revision: 0,
  dueSince,
  outstanding: undefined,
  busy: false,
  noted: false,
})

async function notesOf(now: number, jobs: TrackedJob[], backlog: Backlog) {
  const views = new MemoryViews({ clock: new ManualClock(), definition })
  await writeLaneNotes(views, jobs, backlog, now, LATE_AFTER_MS)
  const notes = await views.getNotes<LaneNote>([laneNoteId('standard'), laneNoteId('priority')])
  return { standard: notes.get(laneNoteId('standard')), priority: notes.get(laneNoteId('priority')) }
}

const backlogOf = (): Backlog => {
  const each = { outstanding: 1, perOrganization: 1 }
  return new Backlog(perStep(() => each))
}

describe('the notes about lanes', () => {
  it('name every organization once that has waited for longer than allowed, by lane', async () => {
    const jobs = [
      waiting('late', 3999),
      waiting('late', 2000),
      waiting('just in time', 4000),
      waiting('served', undefined),
      waiting('pays', 3000, 'priority'),
    ]
    const { standard, priority } = await notesOf(5000, jobs, backlogOf())
    expect(standard?.lateOrganizations).to.deep.equal(['late'])
    expect(priority?.lateOrganizations).to.deep.equal(['pays'])
  })

  it('do not name an organization whose job has ended or was never requested', async () => {
    const ended = { ...waiting('ended', 0), job: { status: 'completed', endedAt: 1, credits: 1 } } as const
    const early = { ...waiting('early', 0), job: { status: 'none' } } as const
    const { standard } = await notesOf(5000, [ended, early], backlogOf())
    expect(standard?.lateOrganizations).to.deep.equal([])
  })

  it('hold when they were written and since when the next organization in turn has waited, by lane', async () => {
    const backlog = backlogOf()
    backlog.offer('fetch', 'priority', 'pays', 'j1', 1234)
    const { standard, priority } = await notesOf(5000, [], backlog)
    expect(standard).to.deep.equal({ writtenAt: 5000, oldestTurn: null, lateOrganizations: [] })
    expect(priority).to.deep.equal({ writtenAt: 5000, oldestTurn: 1234, lateOrganizations: [] })
  })
})

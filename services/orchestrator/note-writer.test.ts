import { expect } from 'chai'
import { MemoryViews } from '#packages/adapters/memory/views.ts'
import { debited } from '#packages/domain/credits/credits.fixture.ts'
import { type Lane, perStep } from '#packages/domain/job/events.ts'
import { JobFixture } from '#packages/domain/job/job.fixture.ts'
import { ORCHESTRATOR_NOTE, type OrchestratorNote } from '#packages/events/views/orchestrator-note.ts'
import { viewsDefinition as definition } from '#packages/events/views/views-definition.ts'
import type { Document } from '#packages/ports/views.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { Backlog } from './backlog.ts'
import { MAX_NAMED, NoteWriter } from './note-writer.ts'
import { type TrackedJob, trackedFrom } from './tracked-job.ts'

type Debited = Parameters<typeof trackedFrom>[0]

const LATE_AFTER_MS = 1000

/** A job with its next step due since an instant, in milliseconds, or not due. */
const waiting = (orgId: string, dueSince: number | undefined, more: Partial<TrackedJob> & { lane?: Lane } = {}) => ({
  ...trackedFrom(
    { ...debited(`job of ${orgId}`, 5), recordedAt: 0, metadata: { orgId, traceparent: '' } } as Debited,
    0,
  ),
  job: new JobFixture({ orgId, lane: more.lane ?? 'standard' }).job,
  dueSince,
  ...more,
})

/** A job that waits for the pace of a platform. */
const paced = (orgId: string, platform: 'tiktok' | 'x', pacedUntil: number) =>
  waiting(orgId, undefined, { request: { requestedAt: 0, mode: 'auto', platform }, pacedUntil })

/** Views that count how often a note is written. */
class CountingViews extends MemoryViews {
  written = 0

  override async putNote(id: string, note: Document): Promise<void> {
    this.written++
    return super.putNote(id, note)
  }
}

const backlogOf = (): Backlog => new Backlog(perStep(() => ({ outstanding: 1, perOrganization: 1 })))

describe('the note of the owner', () => {
  let views: CountingViews
  let writer: NoteWriter

  beforeEach(() => {
    views = new CountingViews({ clock: new ManualClock(), definition })
    writer = new NoteWriter(views, { lateAfterMs: LATE_AFTER_MS })
  })

  async function noteOf(jobs: TrackedJob[], { now = 5000, read = 9, backlog = backlogOf() } = {}) {
    await writer.write({ jobs, backlog, read, now })
    const notes = await views.getNotes<OrchestratorNote>([ORCHESTRATOR_NOTE])
    return notes.get(ORCHESTRATOR_NOTE) ?? expect.fail('there is no note')
  }

  it('names every waiting organization once per lane, with its oldest due step, oldest first', async () => {
    const { lanes } = await noteOf([
      waiting('late', 3999),
      waiting('late', 2000),
      waiting('in time', 4000),
      waiting('served', undefined),
      waiting('pays', 3000, { lane: 'priority' }),
    ])
    expect(lanes.standard.waiting).to.deep.equal([
      { orgId: 'late', since: 2000 },
      { orgId: 'in time', since: 4000 },
    ])
    expect(lanes.priority.waiting).to.deep.equal([{ orgId: 'pays', since: 3000 }])
  })

  it('does not name an organization if its job has ended or was never requested', async () => {
    const ended = waiting('acme', 0, { job: { status: 'completed', endedAt: 1, credits: 1 } })
    const early = waiting('acme', 0, { job: { status: 'none' } })
    expect((await noteOf([ended, early])).lanes.standard.waiting).to.deep.equal([])
  })

  it('has the time of writing, and since when the next organization in turn has waited', async () => {
    const backlog = backlogOf()
    backlog.offer('fetch', 'priority', 'acme', 'j1', 1234)
    const lanes = {
      standard: { oldestTurn: null, waiting: [] },
      priority: { oldestTurn: 1234, waiting: [] },
      bulk: { oldestTurn: null, waiting: [] },
    }
    expect(await noteOf([], { backlog })).to.deep.equal({
      writtenAt: 5000,
      checkpoint: 9,
      noted: [],
      lanes,
      paceWaits: [],
      platforms: [],
      countedTo: 9,
    })
  })

  it('names each organization and platform that waits for a pace once, with its latest wait, in order', async () => {
    const { paceWaits } = await noteOf([
      paced('acme', 'tiktok', 30_000),
      paced('acme', 'tiktok', 70_000),
      paced('acme', 'tiktok', 50_000),
      paced('acme', 'x', 6000),
      paced('calm', 'tiktok', 80_000),
      paced('served', 'tiktok', 5000),
      waiting('never paced', 4000),
    ])
    expect(paceWaits).to.deep.equal([
      { platform: 'tiktok', orgId: 'calm', until: 80_000 },
      { platform: 'tiktok', orgId: 'acme', until: 70_000 },
      { platform: 'x', orgId: 'acme', until: 6000 },
    ])
    const many = Array.from({ length: MAX_NAMED + 1 }, (_, index) => paced(`org ${index}`, 'x', 6000 + index))
    const named = (await noteOf(many, { now: 5999 })).paceWaits.map(({ orgId }) => orgId)
    expect([named.length, named[0], named.at(-1)]).to.deep.equal([MAX_NAMED, `org ${MAX_NAMED}`, 'org 1'])
  })

  it('resumes before the oldest open debit, except for the jobs that it names', async () => {
    const stuck = { isStuck: true }
    const jobs = [
      waiting('acme', 0, { openedAfter: 3, ...stuck }),
      waiting('acme', 0, { openedAfter: undefined, jobId: 'loaded', ...stuck }),
      waiting('acme', 0, { openedAfter: 6 }),
      waiting('acme', 0, { openedAfter: 5 }),
    ]
    const { checkpoint, noted } = await noteOf(jobs)
    expect(checkpoint).to.equal(5)
    expect(noted.map(({ jobId }) => jobId)).to.deep.equal(['loaded', 'job of acme'])
    expect((await noteOf([], { now: 6000 })).checkpoint).to.equal(9)
  })

  it('names 500 stuck jobs: unknown positions first, then the oldest; others hold the checkpoint back', async () => {
    const stuck = Array.from({ length: MAX_NAMED + 2 }, (_, index) =>
      waiting('acme', 0, { openedAfter: 1000 - index, jobId: `j${index}`, isStuck: true }),
    )
    const loaded = waiting('acme', 0, { openedAfter: undefined, jobId: 'loaded', isStuck: true })
    const late = Array.from({ length: MAX_NAMED + 2 }, (_, index) => waiting(`org ${index}`, 0, { openedAfter: 2000 }))
    const { checkpoint, noted, lanes } = await noteOf([...late, ...stuck, loaded], { read: 3000 })
    expect(noted).to.have.length(MAX_NAMED)
    expect(noted[0]?.jobId).to.equal('loaded')
    expect(noted.at(-1)?.jobId).to.equal('j3')
    expect(checkpoint, 'of j2, the oldest that is not named').to.equal(998)
    expect(lanes.standard.waiting).to.have.length(MAX_NAMED)
  })

  it('is written at once if an organization is or will be late or a job is stuck, else every few seconds', async () => {
    const writes = async (now: number, jobs: TrackedJob[] = []): Promise<number> => {
      const before = views.written
      await noteOf(jobs, { now, read: now })
      return views.written - before
    }
    const counts: number[] = []
    for (const now of [5000, 6000, 7000, 8000, 9000, 10_000, 11_000]) counts.push(await writes(now))
    expect(counts, 'only the checkpoint moves').to.deep.equal([1, 0, 0, 1, 0, 0, 1])
    expect(await writes(12_000, [waiting('acme', 10_000)]), 'one is late').to.equal(1)
    expect(await writes(12_500, [waiting('acme', 10_000), paced('acme', 'x', 13_501)]), 'one will be late').to.equal(1)
    expect(await writes(13_000, [waiting('acme', undefined, { isStuck: true })]), 'a job is stuck').to.equal(1)
  })

  it('is written again if a write failed', async () => {
    const { putNote } = views
    views.putNote = async () => Promise.reject(new Error('the views are away'))
    expect(await noteOf([]).catch((error: Error) => error.message)).to.equal('the views are away')
    views.putNote = putNote
    expect((await noteOf([], { now: 6000 })).writtenAt).to.equal(6000)
  })
})

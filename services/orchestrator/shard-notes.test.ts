import { expect } from 'chai'
import { MemoryViews } from '#packages/adapters/memory/views.ts'
import { type Lane, perStep } from '#packages/domain/job/events.ts'
import { JobFixture } from '#packages/domain/job/job.fixture.ts'
import { shardOf } from '#packages/ports/shards.ts'
import type { Document } from '#packages/ports/views.ts'
import { type ShardNote, shardNoteId } from '#packages/views/shard-note.ts'
import { viewsDefinition as definition } from '#packages/views/views-definition.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { Backlog } from './backlog.ts'
import { ShardNotes } from './shard-notes.ts'
import type { TrackedJob } from './tracked-job.ts'

const LATE_AFTER_MS = 1000

/** A job of an organization whose next step has been due since an instant, in milliseconds, or is not due. */
const waiting = (orgId: string, dueSince: number | undefined, more: Partial<TrackedJob> & { lane?: Lane } = {}) => ({
  jobId: `job of ${orgId}`,
  orgId,
  kind: 'transcript' as const,
  openedAfter: 0,
  debitedAt: 0,
  credits: 5,
  request: undefined,
  traceparent: '',
  debitRoot: undefined,
  job: new JobFixture({ orgId, lane: more.lane ?? 'standard' }).job,
  revision: 0,
  dueSince,
  outstanding: undefined,
  busy: false,
  noted: false,
  ...more,
})

/** Views that count the notes that are written. */
class CountingViews extends MemoryViews {
  written: string[][] = []

  override async putNotes(notes: ReadonlyMap<string, Document>): Promise<void> {
    this.written.push([...notes.keys()])
    return super.putNotes(notes)
  }
}

/** Ids of organizations, by their shards. */
const [here, there] = ['01', 'f1']
const shards = new Set([here, there].map(shardOf))

const backlogOf = (): Backlog => {
  const each = { outstanding: 1, perOrganization: 1 }
  return new Backlog(perStep(() => each))
}

describe('the notes about shards', () => {
  let views: CountingViews
  let notes: ShardNotes
  beforeEach(() => {
    views = new CountingViews({ clock: new ManualClock(), definition })
    notes = new ShardNotes(views, { shards, lateAfterMs: LATE_AFTER_MS })
  })

  async function notesOf(jobs: TrackedJob[], { now = 5000, read = 9, backlog = backlogOf() } = {}) {
    await notes.write({ jobs, backlog, read, now })
    const found = await views.getNotes<ShardNote>([here, there].map((id) => shardNoteId(shardOf(id))))
    const noteOf = (id: string): ShardNote => found.get(shardNoteId(shardOf(id))) ?? expect.fail('no note')
    return { of: noteOf, late: (id: string, lane: Lane) => noteOf(id).lanes[lane].lateOrganizations }
  }

  it('name every organization once that has waited for longer than allowed, by lane and in its own shard', async () => {
    const jobs = [
      waiting(`${here}-late`, 3999),
      waiting(`${here}-late`, 2000),
      waiting(`${here}-in time`, 4000),
      waiting(`${there}-served`, undefined),
      waiting(`${there}-pays`, 3000, { lane: 'priority' }),
    ]
    const { late } = await notesOf(jobs)
    expect([late(here, 'standard'), late(here, 'priority')]).to.deep.equal([[`${here}-late`], []])
    expect([late(there, 'standard'), late(there, 'priority')]).to.deep.equal([[], [`${there}-pays`]])
  })

  it('do not name an organization whose job has ended or was never requested', async () => {
    const ended = waiting(here, 0, { job: { status: 'completed', endedAt: 1, credits: 1 } })
    const early = waiting(here, 0, { job: { status: 'none' } })
    const { late } = await notesOf([ended, early])
    expect(late(here, 'standard')).to.deep.equal([])
  })

  it('hold when they were written and since when the next organization in turn of the owner has waited', async () => {
    const backlog = backlogOf()
    backlog.offer('fetch', 'priority', there, 'j1', 1234)
    const { of } = await notesOf([], { backlog })
    const lanes = {
      standard: { oldestTurn: null, lateOrganizations: [] },
      priority: { oldestTurn: 1234, lateOrganizations: [] },
    }
    for (const id of [here, there]) expect(of(id)).to.deep.equal({ writtenAt: 5000, checkpoint: 9, noted: [], lanes })
  })

  it('say to go on before the oldest debit of the shard that is open, but for the jobs that they name', async () => {
    const jobs = [
      waiting(here, 0, { openedAfter: 3, noted: true }),
      waiting(here, 0, { openedAfter: undefined, noted: true, jobId: 'loaded' }),
      waiting(here, 0, { openedAfter: 6 }),
      waiting(here, 0, { openedAfter: 5 }),
      waiting(there, 0, { openedAfter: 7 }),
    ]
    const { of } = await notesOf(jobs)
    expect([of(here).checkpoint, of(there).checkpoint]).to.deep.equal([5, 7])
    expect(of(here).noted.map(({ jobId }) => jobId)).to.deep.equal([`job of ${here}`, 'loaded'])
    expect((await notesOf([], { now: 6000 })).of(here).checkpoint).to.equal(9)
  })

  it('are written together at once where an organization is late or a job noted, and else every few seconds', async () => {
    const each = (now: number, read: number, jobs: TrackedJob[] = []) => notesOf(jobs, { now, read })
    const ids = [here, there].map((id) => shardNoteId(shardOf(id)))
    await each(5000, 9)
    for (const now of [6000, 7000, 8000, 9000, 10_000, 11_000]) await each(now, now)
    expect(views.written.splice(0), 'only the checkpoint moves').to.deep.equal([ids, ids, ids])
    await each(12_000, 12, [waiting(here, 10_000)])
    expect(views.written.splice(0), 'one is late').to.deep.equal([[ids[0]]])
    await each(13_000, 13, [waiting(there, undefined, { noted: true })])
    expect(views.written, 'one is no longer, and a job of another is noted').to.deep.equal([ids])
  })

  it('are written again where that has failed', async () => {
    const { putNotes } = views
    views.putNotes = async () => Promise.reject(new Error('the views are away'))
    expect(await notesOf([]).catch((error: Error) => error.message)).to.equal('the views are away')
    views.putNotes = putNotes
    expect((await notesOf([], { now: 6000 })).of(there).writtenAt).to.equal(6000)
  })
})

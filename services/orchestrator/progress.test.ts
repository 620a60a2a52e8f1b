import { expect } from 'chai'
import { pino } from 'pino'
import { MemoryDocuments } from '#packages/adapters/memory/documents.ts'
import { MemoryEventStore, MemoryEvents } from '#packages/adapters/memory/event-store.ts'
import { MemoryViews } from '#packages/adapters/memory/views.ts'
import { MemoryWorkQueue } from '#packages/adapters/memory/work-queue.ts'
import { systemIds } from '#packages/adapters/system/ids.ts'
import { debit, debited } from '#packages/domain/credits/credits.fixture.ts'
import { perStep } from '#packages/domain/job/events.ts'
import { Ledgers } from '#packages/ledger/ledgers.ts'
import type { NewEvent } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { allShards, shardOf } from '#packages/ports/shards.ts'
import type { Document } from '#packages/ports/views.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { viewsDefinition as definition } from '#packages/views/views-definition.ts'
import { ManualClock, settle } from '#test/doubles/manual-clock.ts'
import { Backlog } from './backlog.ts'
import { Orchestrator } from './orchestrator.ts'
import { loadProgress, NOTE_BEFORE_SHARDS } from './progress.ts'
import { ShardNotes } from './shard-notes.ts'
import { type TrackedJob, trackedFrom } from './tracked-job.ts'

const clock = new ManualClock()
const log = pino({ level: 'silent' })
const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`
const metadata = { orgId: 'acme', correlationId: 'j1', causationId: 'test', traceparent }

class FailingViews extends MemoryViews {
  failures = 0

  override async putNotes(notes: ReadonlyMap<string, Document>): Promise<void> {
    if (this.failures-- > 0) throw new Error('the views are away')
    return super.putNotes(notes)
  }
}

class FailingStore extends MemoryEventStore {
  isAway = false

  override async append(...call: Parameters<MemoryEventStore['append']>) {
    if (this.isAway) throw new Error('the store is away')
    return super.append(...call)
  }
}

const tracked = (orgId: string, jobId: string, noted: boolean, openedAfter?: number): TrackedJob => {
  const place = { id: jobId, stream: `credits-${orgId}`, revision: 0, position: 1, recordedAt: 0 }
  return { ...trackedFrom({ ...debited(jobId, 1), metadata: { ...metadata, orgId }, ...place }, openedAfter), noted }
}

/** Writes the notes about the shards of these organizations. */
async function saved(views: MemoryViews, orgIds: string[], jobs: TrackedJob[], read: number): Promise<void> {
  const notes = new ShardNotes(views, { shards: new Set(orgIds.map(shardOf)), lateAfterMs: 1000 })
  const backlog = new Backlog(perStep(() => ({ outstanding: 1, perOrganization: 1 })))
  await notes.write({ jobs, backlog, read, now: clock.now() })
}

describe('jobs that are open long past their deadline', () => {
  it('are ended after a restart, also where the first write of their note failed', async () => {
    const events = new MemoryEvents()
    const documents = new MemoryDocuments()
    const store = new FailingStore({ clock, events })
    const views = new FailingViews({ clock, definition, documents })
    const ledgers = new Ledgers({ store, clock, ids: systemIds })
    await ledgers.execute('acme', { command: { type: 'register' }, metadata })
    await ledgers.execute('acme', { command: debit('j1', 1), metadata })

    const start = (): (() => Promise<void>) => {
      const end = new AbortController()
      const each = { outstanding: 1, perOrganization: 1 }
      const shares = perStep(() => each)
      const options = { shards: allShards, shares, windowSeconds: 180, releaseClaimsAtStart: true }
      const ports = {
        store,
        views,
        queue: new MemoryWorkQueue(),
        clock,
        ids: systemIds,
        ledgers,
        log,
        telemetry: noTelemetry,
      }
      const running = new Orchestrator(ports, options).run(end.signal)
      return async () => {
        end.abort()
        await running
      }
    }

    const crash = start()
    await settle()
    store.isAway = true
    views.failures = 1
    await clock.advance(250_000)
    expect((await loadProgress(views, allShards)).checkpoint, 'the stuck job holds nothing back').to.equal(
      events.feed.length,
    )
    await crash()
    store.isAway = false

    const stop = start()
    await clock.advance(2000)
    const [end] = await store.read(streams.job('j1'))
    expect(end).to.deep.include({ type: 'JobFailed' } satisfies Partial<NewEvent>)
    expect((await ledgers.current('acme')).openDebits.size).to.equal(0)
    await stop()
  })

  it('are found again where the views have lost their note: the feed is read from its start', async () => {
    const views = new MemoryViews({ clock, definition })
    await saved(views, ['acme'], [tracked('acme', 'j1', true), tracked('acme', 'j2', false, 5)], 7)
    const own = new Set([shardOf('acme')])
    expect(await loadProgress(views, own)).to.deep.equal({ checkpoint: 5, noted: [{ jobId: 'j1', orgId: 'acme' }] })
    const lost = await loadProgress(new MemoryViews({ clock, definition }), own)
    expect(lost).to.deep.equal({ checkpoint: 0, noted: [] })
  })
})

describe('where the owner of shards goes on', () => {
  const [here, there] = ['00', 'f0']
  const both = new Set([here, there].map(shardOf))

  it('is the smallest checkpoint of its shards, with what each notes', async () => {
    const views = new MemoryViews({ clock, definition })
    await saved(views, [here], [tracked(here, 'j1', true)], 7)
    await saved(views, [there], [tracked(there, 'j2', true), tracked(there, 'j3', false, 3)], 9)
    const noted = [
      { jobId: 'j1', orgId: here },
      { jobId: 'j2', orgId: there },
    ]
    expect(await loadProgress(views, both)).to.deep.equal({ checkpoint: 3, noted })
    expect(await loadProgress(views, new Set([shardOf(here)]))).to.deep.equal({ checkpoint: 7, noted: [noted[0]] })
  })

  it('is what a release before shards has noted, for shards that have no note of their own', async () => {
    const views = new MemoryViews({ clock, definition })
    const noted = [here, there].map((orgId) => ({ jobId: `job of ${orgId}`, orgId }))
    await views.putNote(NOTE_BEFORE_SHARDS, { checkpoint: 4, noted })
    expect(await loadProgress(views, both)).to.deep.equal({ checkpoint: 4, noted })
    await saved(views, [here], [], 7)
    expect(await loadProgress(views, both)).to.deep.equal({ checkpoint: 4, noted: [noted[1]] })
    expect(await loadProgress(views, new Set([shardOf(here)]))).to.deep.equal({ checkpoint: 7, noted: [] })
  })
})

import { expect } from 'chai'
import { pino } from 'pino'
import { MemoryDocuments } from '#packages/adapters/memory/documents.ts'
import { MemoryEventStore, MemoryEvents } from '#packages/adapters/memory/event-store.ts'
import { MemoryOwnership } from '#packages/adapters/memory/ownership.ts'
import { MemoryViews } from '#packages/adapters/memory/views.ts'
import { MemoryWorkQueue } from '#packages/adapters/memory/work-queue.ts'
import { systemIds } from '#packages/adapters/system/ids.ts'
import { debit } from '#packages/domain/credits/credits.fixture.ts'
import { perStep } from '#packages/domain/job/events.ts'
import { Ledgers } from '#packages/ledger/ledgers.ts'
import type { NewEvent } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import type { Document } from '#packages/ports/views.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { viewsDefinition as definition } from '#packages/views/views-definition.ts'
import { ManualClock, settle } from '#test/doubles/manual-clock.ts'
import { Orchestrator } from './orchestrator.ts'
import { loadProgress } from './progress.ts'

const clock = new ManualClock()
const log = pino({ level: 'silent' })
const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`
const metadata = { orgId: 'acme', correlationId: 'j1', causationId: 'test', traceparent }

class FailingViews extends MemoryViews {
  failures = 0

  override async putNote(id: string, note: Document): Promise<void> {
    if (this.failures-- > 0) throw new Error('the views are away')
    return super.putNote(id, note)
  }
}

class FailingStore extends MemoryEventStore {
  isAway = false

  override async append(...call: Parameters<MemoryEventStore['append']>) {
    if (this.isAway) throw new Error('the store is away')
    return super.append(...call)
  }
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
      const slots = { shares: perStep(() => each), run: async () => {} }
      const options = { slots, windowSeconds: 180, releaseClaimsAtStart: true }
      const ports = {
        store,
        views,
        queue: new MemoryWorkQueue(),
        clock,
        ids: systemIds,
        ledgers,
        log,
        telemetry: noTelemetry,
        ownership: new MemoryOwnership(),
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
    expect((await loadProgress(views)).checkpoint, 'the stuck job holds nothing back').to.equal(events.feed.length)
    await crash()
    store.isAway = false

    const stop = start()
    await clock.advance(2000)
    const [end] = await store.read(streams.job('j1'))
    expect(end).to.deep.include({ type: 'JobFailed' } satisfies Partial<NewEvent>)
    expect((await ledgers.current('acme')).openDebits.size).to.equal(0)
    await stop()
  })

  it('are found again where the views have lost the note: the feed is read from its start', async () => {
    const views = new MemoryViews({ clock, definition })
    expect(await loadProgress(views)).to.deep.equal({ checkpoint: 0, noted: [] })
  })
})

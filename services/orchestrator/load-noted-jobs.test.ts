import { expect } from 'chai'
import { systemIds } from '#packages/adapters/system/ids.ts'
import * as ledger from '#packages/domain/credits/credits.fixture.ts'
import { jobRequested, results } from '#packages/domain/job/job.fixture.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { streams } from '#packages/ports/ids.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { MemoryEventStore } from '#test/doubles/memory-event-store.ts'
import { traceparent } from './orchestrator.harness.ts'
import { loadNotedJobs } from './progress.ts'

const debited = (jobId: string): DomainEvent => ledger.debited(jobId, 5)
const settled = (jobId: string): DomainEvent => ledger.settled(jobId, 5, 0, 'completed')

describe('the jobs of the note', () => {
  let store: MemoryEventStore

  /** Appends to a new stream, one event after another. */
  const given = async (stream: string, jobId: string, ...events: DomainEvent[]): Promise<void> => {
    const metadata = { orgId: 'acme', correlationId: jobId, causationId: 'test', traceparent }
    const ids = events.map((event) => ({ ...event, id: systemIds.uuid(), metadata }))
    await store.append(stream, 'no-stream', ids)
  }
  const loaded = (...jobIds: string[]) =>
    loadNotedJobs(
      store,
      jobIds.map((jobId) => ({ jobId, orgId: 'acme' })),
    )

  beforeEach(() => {
    const clock = new ManualClock()
    store = new MemoryEventStore({ clock })
  })

  it('are folded from their own streams, and hold no checkpoint back', async () => {
    await given(streams.credits('acme'), 'j1', debited('j1'))
    const requested: DomainEvent = { type: 'JobRequested', data: jobRequested({ orgId: 'acme' }) }
    await given(streams.job('j1'), 'j1', requested, results.fetched)
    const [tracked, ...others] = await loaded('j1')
    expect(others).to.deep.equal([])
    expect(tracked).to.deep.include({ jobId: 'j1', orgId: 'acme', revision: 1, isStuck: true })
    expect(tracked).to.include({ openedAfter: undefined })
    expect(tracked?.job).to.deep.include({ status: 'open', fetched: true })
  })

  it('are those with an unsettled debit', async () => {
    const events = [debited('j1'), debited('j2'), debited('j3'), settled('j2'), settled('j3'), debited('j4')]
    await given(streams.credits('acme'), 'j1', ...events)
    expect((await loaded('j1', 'j2', 'j4')).map(({ jobId }) => jobId)).to.deep.equal(['j1', 'j4'])
  })

  it('leave out jobs without a debit', async () => {
    await given(streams.credits('acme'), 'j1', debited('j1'))
    expect(await loaded('unknown')).to.deep.equal([])
  })
})

import { expect } from 'chai'
import { MemoryEventStore } from '#packages/adapters/memory/event-store.ts'
import { granted, settled } from '#packages/domain/credits/credits.fixture.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { settledJobs } from './settled-jobs.ts'

describe('a reader of settled jobs', () => {
  it('says of each settlement that the job will have it in the views', async () => {
    const store = new MemoryEventStore({ clock: new ManualClock() })
    const metadata = {
      orgId: 'acme',
      correlationId: 'a test',
      causationId: 'a test',
      traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
    }
    const jobId = crypto.randomUUID()
    const events = [granted(50), settled(jobId, 1, 4, 'completed')].map((event) => {
      return { ...event, id: crypto.randomUUID(), metadata }
    })
    const { position } = await store.append('credits-acme', 'no-stream', events)
    const expected: unknown[] = []
    const reader = settledJobs({ expectChange: (...change) => void expected.push(change) })
    for await (const batch of store.follow({
      after: 0,
      prefixes: reader.prefixes,
      signal: AbortSignal.timeout(1000),
    })) {
      reader.take(batch)
      if (batch.caughtUp) break
    }
    expect(expected).to.deep.equal([['jobs', jobId, position]])
  })
})

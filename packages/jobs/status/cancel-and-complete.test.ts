import { expect } from 'chai'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { JobFixture, results } from '#packages/domain/job/job.fixture.ts'
import { job } from '#packages/domain/job/job.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import { handleAtRevision } from '#packages/events/store/handle-at-revision.ts'
import { toAppend } from '#packages/events/store/to-append.ts'
import { AttemptsUnderWay } from '#packages/jobs/processing/attempts-under-way.ts'
import { type EventStore, RevisionConflictError } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { MemoryEventStore } from '#test/doubles/memory-event-store.ts'
import { pausedAt } from '#test/doubles/paused-store.ts'
import { cancelJob } from './cancel-job.ts'

const metadata = { orgId: 'acme', correlationId: 'a job', causationId: 'a test', traceparent: newTraceparent(true) }

/** An extraction while its model is at work. */
async function atWork() {
  const clock = new ManualClock()
  const memory = new MemoryEventStore({ clock })
  const jobId = ids.uuid()
  const stream = streams.job(jobId)
  const { events } = new JobFixture({ orgId: 'acme', kind: 'extraction', mode: null, budget: 10 })
    .start()
    .record(results.fetched)
    .start()
    .record(results.captions)
    .start()
  await memory.append(
    stream,
    'no-stream',
    toAppend(stream, events, metadata, () => ids.uuid()),
  )
  const revision = events.length - 1
  const state = fold(job, await memory.read(stream))
  const complete = (store: EventStore) =>
    handleAtRevision({ store, clock, ids }, job, {
      stream,
      command: { type: 'record-result', result: results.extraction, now: clock.now() },
      state,
      revision,
      toAppend: (decided) => toAppend(stream, decided, metadata),
      giveUpAt: 0,
    }).catch((error: unknown) => {
      if (!(error instanceof RevisionConflictError)) throw error
    })
  const cancel = (store: EventStore) => {
    const ports = { store, clock, ids, attempts: new AttemptsUnderWay() }
    return cancelJob(ports, { jobId, orgId: 'acme', requestId: 'r1' }, { giveUpAfterMs: 5000 })
  }
  const ends = async () => (await memory.read(stream)).slice(revision + 1).map(({ type }) => type)
  return { memory, complete, cancel, ends }
}

describe('a job that completes and is cancelled', () => {
  for (const first of ['complete', 'cancel'] as const)
    it(`has one end, whenever the other arrives while it is to ${first}`, async () => {
      const second = first === 'complete' ? 'cancel' : 'complete'
      const seen = new Set<string>()
      let isMet = true
      for (let nth = 0; isMet; nth++) {
        const made = await atWork()
        const paused = pausedAt(made.memory, nth, () => made[second](made.memory))
        await made[first](paused.store)
        isMet = paused.wasMet()
        const ends = (await made.ends()).join()
        if (isMet) seen.add(ends)
        expect(ends, `met at moment ${nth}`).to.match(/^(ExtractionProduced,JobCompleted|JobFailed)$/)
      }
      expect([...seen], 'either has come first').to.have.length(2)
    })
})

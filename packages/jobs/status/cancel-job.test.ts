import { expect } from 'chai'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { jobRequested } from '#packages/domain/job/job.fixture.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { AttemptsUnderWay } from '#packages/jobs/processing/attempts-under-way.ts'
import { RevisionConflictError, type StoredEvent } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { newTraceparent, traceIdOf } from '#packages/telemetry/traceparent.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { MemoryEventStore } from '#test/doubles/memory-event-store.ts'
import { ScriptedStore } from '#test/doubles/scripted-store.ts'
import { cancelJob } from './cancel-job.ts'
import { completed, started } from './job-events.fixture.ts'

const jobId = crypto.randomUUID()
const stream = streams.job(jobId)
const traceparent = newTraceparent(true)

describe('cancelling a job', () => {
  let clock: ManualClock
  let memory: MemoryEventStore
  let store: ScriptedStore
  let attempts: AttemptsUnderWay

  const append = (after: number, ...events: DomainEvent[]) => {
    const metadata = { orgId: 'acme', correlationId: jobId, causationId: 'a test', traceparent }
    const news = events.map((event) => ({ ...event, id: ids.uuid(), metadata }))
    return memory.append(stream, after < 0 ? 'no-stream' : after, news)
  }
  const eventsOf = (): Promise<StoredEvent[]> => memory.read(stream)
  const cancel = (orgId = 'acme', id: string = jobId) =>
    cancelJob({ store, clock, ids, attempts }, { jobId: id, orgId, requestId: 'r1' }, { giveUpAfterMs: 5000 })

  beforeEach(async () => {
    clock = new ManualClock()
    memory = new MemoryEventStore({ clock })
    store = new ScriptedStore(memory)
    attempts = new AttemptsUnderWay()
    await append(-1, { type: 'JobRequested', data: jobRequested({ orgId: 'acme', kind: 'extraction', mode: null }) })
  })

  it('ends it as cancelled, in its own trace, and stops its work in this process', async () => {
    using attempt = attempts.begin(jobId)
    expect(await cancel()).to.include({ kind: 'extraction', traceparent })
    const [, end, ...more] = await eventsOf()
    expect(more).to.deep.equal([])
    expect(end).to.deep.include({ type: 'JobFailed' })
    expect(end?.data).to.include({ orgId: 'acme', kind: 'extraction', code: 'cancelled', used: null })
    expect(end?.metadata).to.include({ orgId: 'acme', correlationId: jobId, causationId: 'r1' })
    expect(traceIdOf(end?.metadata.traceparent ?? '')).to.equal(traceIdOf(traceparent))
    expect(attempt.signal.reason).to.include({ code: 'cancelled' })
  })

  /** Appends once between the read that cancelling decides on and its own append. */
  const meanwhile = (...events: DomainEvent[]): void => {
    let reads = 0
    store.afterRead = async () => {
      if (++reads === 2) await append(0, ...events)
    }
  }

  it('takes the step from a worker that has claimed it meanwhile', async () => {
    meanwhile(started('fetch'))
    expect(await cancel()).to.include({ kind: 'extraction', traceparent })
    expect((await eventsOf()).map(({ type }) => type)).to.deep.equal(['JobRequested', 'StepStarted', 'JobFailed'])
    expect(await failureOf(append(1, completed))).to.be.instanceOf(RevisionConflictError)
  })

  it('leaves a job that has ended meanwhile unchanged', async () => {
    meanwhile(completed)
    expect(await cancel()).to.include({ kind: 'extraction', traceparent })
    expect((await eventsOf()).map(({ type }) => type)).to.deep.equal(['JobRequested', 'JobCompleted'])
  })

  it('finds no job of another organization, no unknown or removed one, and writes nothing', async () => {
    using attempt = attempts.begin(jobId)
    expect(await cancel('other')).to.equal(undefined)
    expect(await cancel('acme', crypto.randomUUID())).to.equal(undefined)
    expect(await cancel('acme', 'x/../y')).to.equal(undefined)
    expect(await eventsOf()).to.have.length(1)
    expect(attempt.signal.aborted).to.equal(false)
    await memory.remove(stream)
    expect(await cancel()).to.equal(undefined)
  })

  it('reports an unknown outcome if the store does not answer in time', async () => {
    store.append = () => Promise.reject(new Error('no answer'))
    const cancelling = failureOf(cancel())
    await clock.advance(20_000)
    expect(await cancelling).to.include({ code: 'unavailable', retryAfterSeconds: 1 })
  })
})

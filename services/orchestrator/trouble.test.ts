import { expect } from 'chai'
import { pino } from 'pino'
import type { StepTask } from '#contracts/generated/messages.ts'
import { MemoryDocuments } from '#packages/adapters/memory/documents.ts'
import { MemoryEventStore, MemoryEvents } from '#packages/adapters/memory/event-store.ts'
import { MemoryOwnership } from '#packages/adapters/memory/ownership.ts'
import { MemoryViews } from '#packages/adapters/memory/views.ts'
import { MemoryWorkQueue } from '#packages/adapters/memory/work-queue.ts'
import { systemIds } from '#packages/adapters/system/ids.ts'
import { debit } from '#packages/domain/credits/credits.fixture.ts'
import { perStep } from '#packages/domain/job/events.ts'
import { jobRequested } from '#packages/domain/job/job.fixture.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { Ledgers } from '#packages/ledger/ledgers.ts'
import { streams } from '#packages/ports/ids.ts'
import { UnreachableError } from '#packages/ports/unreachable.ts'
import type { Document } from '#packages/ports/views.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { ORCHESTRATOR_NOTE as note } from '#packages/views/orchestrator-note.ts'
import { viewsDefinition as definition } from '#packages/views/views-definition.ts'
import { ManualClock, settle } from '#test/doubles/manual-clock.ts'
import { ScriptedStore } from '#test/doubles/scripted-store.ts'
import { Orchestrator } from './orchestrator.ts'
import { loadProgress } from './progress.ts'

const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`
const metadata = (jobId: string) => ({ orgId: 'acme', correlationId: jobId, causationId: 'test', traceparent })

/** Refuses every append. */
const unavailable: ScriptedStore['fault'] = () => Promise.reject(new Error('the store does not answer'))

/** Holds every append up until the promise is resolved. */
const heldUpUntil =
  (resolved: Promise<void>): ScriptedStore['fault'] =>
  async (_stream, _events, proceed) => {
    await resolved
    return proceed()
  }

/** The feed with one event in each batch; the reader waits for the promise after each. */
const oneByOne = (resolved: Promise<void>): ScriptedStore['feed'] =>
  async function* (batches) {
    for await (const batch of batches) {
      for (const event of batch.events) {
        yield { ...batch, events: [event], position: event.position, caughtUp: false }
        await resolved
      }
      yield { ...batch, events: [] }
    }
  }

class TroubledViews extends MemoryViews {
  isAway = false

  override async getNotes<D extends Document>(ids: readonly string[]): Promise<Map<string, D>> {
    if (this.isAway) throw new UnreachableError('the database', undefined)
    return super.getNotes<D>(ids)
  }

  override async putNote(id: string, note: Document): Promise<void> {
    if (this.isAway) throw new Error('the views are away')
    return super.putNote(id, note)
  }
}

class WatchedQueue extends MemoryWorkQueue {
  readonly published: StepTask[] = []

  override async publish(task: StepTask): Promise<void> {
    this.published.push(task)
    return super.publish(task)
  }
}

const started = (worker: string): DomainEvent => ({
  type: 'StepStarted',
  data: { step: 'fetch', attempt: 1, worker, leaseSeconds: 30 },
})

type Line = { level: number; alarm?: string; jobId?: string; traceId?: string; events?: string[]; aheadMs?: number }
const WARN = 40

describe('the orchestrator in trouble', () => {
  let clock: ManualClock
  let events: MemoryEvents
  let outside: MemoryEventStore
  let store: ScriptedStore
  let views: TroubledViews
  let queue: WatchedQueue
  let lines: Line[]
  let ends: (() => Promise<void>)[]

  const start = (options: { outstanding?: number; releaseClaimsAtStart?: boolean } = {}): (() => Promise<void>) => {
    const { outstanding = 4, releaseClaimsAtStart = true } = options
    const each = { outstanding, perOrganization: 100 }
    const shares = perStep(() => each)
    const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) })
    const ledgers = new Ledgers({ store, clock, ids: systemIds })
    const end = new AbortController()
    const orchestrator = new Orchestrator(
      {
        store,
        views,
        queue,
        clock,
        ids: systemIds,
        ledgers,
        log,
        telemetry: noTelemetry,
        ownership: new MemoryOwnership(),
      },
      { slots: { shares, run: async () => {} }, windowSeconds: 180, releaseClaimsAtStart },
    )
    const running = orchestrator.run(end.signal)
    const stop = async (): Promise<void> => {
      end.abort()
      await running
    }
    ends.push(stop)
    return stop
  }

  const debitOnce = async (jobId: string): Promise<void> => {
    const ledgers = new Ledgers({ store: outside, clock, ids: systemIds })
    await ledgers.execute('acme', { command: { type: 'register' }, metadata: metadata('sign-up') })
    await ledgers.execute('acme', { command: debit(jobId, 5), metadata: metadata(jobId) })
  }
  const append = async (jobId: string, after: number, event: DomainEvent): Promise<void> => {
    const expected = after < 0 ? 'no-stream' : after
    const id = systemIds.uuid()
    await outside.append(streams.job(jobId), expected, [{ ...event, id, metadata: metadata(jobId) }])
  }
  const job = async (jobId: string, windowSeconds = 180): Promise<void> => {
    await debitOnce(jobId)
    const data = jobRequested({ orgId: 'acme', mode: 'generate', windowSeconds })
    await append(jobId, -1, { type: 'JobRequested', data })
  }
  const typesOf = async (jobId: string): Promise<string[]> =>
    (await outside.read(streams.job(jobId))).map(({ type }) => type)
  const alarms = (name: string): Line[] => lines.filter(({ alarm }) => alarm === name)
  const warnings = (): Line[] => lines.filter(({ level }) => level >= WARN)

  beforeEach(() => {
    clock = new ManualClock()
    events = new MemoryEvents()
    outside = new MemoryEventStore({ clock, events })
    store = new ScriptedStore(new MemoryEventStore({ clock, events }))
    views = new TroubledViews({ clock, definition, documents: new MemoryDocuments() })
    queue = new WatchedQueue()
    lines = []
    ends = []
  })

  afterEach(async () => {
    for (const end of ends) await end()
  })

  it('warns of nothing while all is well, and logs each decision with its job and its trace', async () => {
    start()
    await job('j1', 60)
    await settle()
    await append('j1', 0, started('w'))
    await clock.advance(61_000)
    expect(await typesOf('j1')).to.include('JobFailed')
    expect(warnings()).to.deep.equal([])
    const told = lines.filter(({ events }) => events !== undefined)
    expect(told).to.have.length(1)
    expect(told[0]).to.deep.include({ jobId: 'j1', traceId: '1'.repeat(32), events: ['JobFailed'] })
  })

  it('raises an alarm for a recorded time more than a second ahead of its clock, and for no other', async () => {
    start()
    const ahead = (ms: number) => new MemoryEventStore({ clock: new ManualClock(clock.now() + ms), events })
    outside = ahead(1000)
    await debitOnce('j1')
    await settle()
    expect(alarms('clock_skew')).to.deep.equal([])
    outside = ahead(1001)
    await debitOnce('j2')
    await settle()
    expect(alarms('clock_skew').map(({ aheadMs }) => aheadMs)).to.deep.equal([1001])
  })

  it('raises one alarm for a job that is open a minute past its deadline, requested or not', async () => {
    start()
    await job('requested', 60)
    await debitOnce('never requested')
    await settle()
    store.fault = unavailable
    const stuck = (): (string | undefined)[] => alarms('job_stuck').map(({ jobId }) => jobId)
    await clock.advance(119_500)
    expect(stuck()).to.deep.equal([])
    await clock.advance(1500)
    expect(stuck()).to.deep.equal(['requested'])
    await clock.advance(118_500)
    expect(stuck()).to.deep.equal(['requested'])
    await clock.advance(3000)
    expect(stuck()).to.deep.equal(['requested', 'never requested'])
  })

  it('waits for views that do not answer when it starts, and then works', async () => {
    views.isAway = true
    start()
    await job('j1')
    await clock.advance(3000)
    expect(queue.published).to.deep.equal([])
    expect(warnings()).to.have.length.above(1)
    views.isAway = false
    await clock.advance(1000)
    expect(queue.published.map(({ jobId }) => jobId)).to.deep.equal(['j1'])
  })

  it('repeats a failed append every second, with a warning', async () => {
    start()
    await debitOnce('j1')
    store.fault = unavailable
    await clock.advance(17_500)
    expect(store.appends).to.have.length(3)
    expect(warnings().map(({ jobId }) => jobId)).to.deep.equal(['j1', 'j1', 'j1'])
    store.fault = undefined
    await clock.advance(1000)
    expect(await typesOf('j1')).to.deep.equal(['JobFailed'])
  })

  it('does not warn when another orchestrator appends first', async () => {
    start({ releaseClaimsAtStart: false })
    await job('j1', 5)
    await settle()
    const slow = Promise.withResolvers<void>()
    store.fault = heldUpUntil(slow.promise)
    await clock.advance(5000)
    const data = {
      orgId: 'acme',
      kind: 'transcript',
      code: 'timeout',
      message: 'The other was first.',
      used: null,
    } as const
    await append('j1', 0, { type: 'JobFailed', data })
    slow.resolve()
    await clock.advance(3000)
    expect(await typesOf('j1')).to.deep.equal(['JobRequested', 'JobFailed'])
    expect((await outside.read(streams.credits('acme'))).at(-1)?.type).to.equal('CreditsSettled')
    expect(warnings()).to.deep.equal([])
  })

  it('has one append under way for a job, and ends only after it', async () => {
    const stop = start()
    await job('j1', 20)
    await settle()
    const slow = Promise.withResolvers<void>()
    store.fault = heldUpUntil(slow.promise)
    await clock.advance(20_000)
    expect(store.appends).to.have.length(1)
    await append('j1', 0, started('w'))
    await clock.advance(5000)
    expect(store.appends, 'appends after an event that comes meanwhile').to.have.length(1)
    let closed = false
    const closing = stop().then(() => {
      closed = true
    })
    await settle()
    expect(closed, 'closed').to.equal(false)
    slow.resolve()
    await closing
  })

  it('leaves claims alone at its start where other processes may hold them', async () => {
    await job('j1')
    await append('j1', 0, started('of another process'))
    start({ releaseClaimsAtStart: false })
    await clock.advance(5000)
    expect(await typesOf('j1')).to.deep.equal(['JobRequested', 'StepStarted'])
    expect(queue.published).to.deep.equal([])
  })

  it('issues nothing, and writes no note, before it has read the feed to its end', async () => {
    await job('ended')
    await job('open')
    const data = {
      orgId: 'acme',
      kind: 'transcript',
      code: 'no_speech',
      message: 'Nothing is said.',
      used: null,
    } as const
    await append('ended', 0, { type: 'JobFailed', data })
    const reading = Promise.withResolvers<void>()
    store.feed = oneByOne(reading.promise)
    start()
    await clock.advance(3000)
    expect((await views.getNotes([note])).size).to.equal(0)
    reading.resolve()
    await clock.advance(1000)
    expect(queue.published.map(({ jobId }) => jobId)).to.deep.equal(['open'])
    expect((await views.getNotes([note])).size).to.equal(1)
  })

  it('ends a job at its deadline that was never issued', async () => {
    start({ outstanding: 0 })
    await job('j1', 20)
    await clock.advance(20_000)
    expect(await typesOf('j1')).to.deep.equal(['JobRequested', 'JobFailed'])
    expect(queue.published).to.deep.equal([])
  })

  it('does not issue a step whose turn comes too late before the deadline', async () => {
    start({ outstanding: 1 })
    await job('first')
    await job('second', 20)
    await clock.advance(19_900)
    const before = queue.published.length
    await append('first', 0, started('w'))
    await settle()
    expect(queue.published.slice(before)).to.deep.equal([])
    await clock.advance(100)
    expect(await typesOf('second')).to.deep.equal(['JobRequested', 'JobFailed'])
  })

  it('warns while the views cannot be written, and writes the note when they can be again', async () => {
    start()
    views.isAway = true
    await clock.advance(2500)
    expect(warnings()).to.have.length(2)
    views.isAway = false
    await clock.advance(1000)
    expect((await views.getNotes([note])).size).to.equal(1)
  })

  it('writes its checkpoint again where the views have lost it, though no event comes', async () => {
    start()
    await debitOnce('j1')
    await clock.advance(5000)
    const before = await loadProgress(views)
    expect(before.checkpoint).to.be.greaterThan(0)
    await views.putNote(note, { checkpoint: 0, noted: [] })
    expect((await loadProgress(views)).checkpoint).to.equal(0)
    await clock.advance(4000)
    expect(await loadProgress(views)).to.deep.equal(before)
  })
})

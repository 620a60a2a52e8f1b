import { expect } from 'chai'
import { pino } from 'pino'
import type { EventData } from '#contracts/generated/events.ts'
import { MemoryDocuments } from '#packages/adapters/memory/documents.ts'
import { MemoryEventStore, MemoryEvents } from '#packages/adapters/memory/event-store.ts'
import { MemoryViews } from '#packages/adapters/memory/views.ts'
import { MemoryWorkQueue } from '#packages/adapters/memory/work-queue.ts'
import { systemIds } from '#packages/adapters/system/ids.ts'
import type { DomainEvent } from '#packages/domain/event.ts'
import type { Step } from '#packages/domain/job/events.ts'
import { jobRequested, results } from '#packages/domain/job/job.fixture.ts'
import { Ledgers } from '#packages/ledger/ledgers.ts'
import type { NewEvent, StoredEvent } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import type { Delivery } from '#packages/ports/work-queue.ts'
import { type LaneNote, laneNoteId } from '#packages/views/lane-note.ts'
import { viewsDefinition as definition } from '#packages/views/views-definition.ts'
import { ManualClock, settle } from '#test/doubles/manual-clock.ts'
import { Orchestrator } from './orchestrator.ts'
import { loadProgress } from './progress.ts'

const HASH = 'a'.repeat(64)
const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`
const log = pino({ level: 'silent' })

/** What survives a crash of the process. */
class World {
  readonly clock = new ManualClock()
  readonly events = new MemoryEvents()
  readonly documents = new MemoryDocuments()
  readonly store = new MemoryEventStore({ clock: this.clock, events: this.events })
  readonly views = new MemoryViews({ clock: this.clock, definition, documents: this.documents })
  readonly ledgers = new Ledgers({ store: this.store, clock: this.clock, ids: systemIds })

  metadata(orgId: string, jobId: string) {
    return { orgId, correlationId: jobId, causationId: 'test', traceparent }
  }

  async organization(orgId: string): Promise<void> {
    const metadata = this.metadata(orgId, 'sign-up')
    await this.ledgers.execute(orgId, () => ({ command: { type: 'register' }, metadata }))
  }

  async debit(orgId: string, jobId: string): Promise<void> {
    const command = { type: 'debit', jobId, kind: 'transcript', full: 5, least: 5, requestHash: HASH } as const
    await this.ledgers.execute(orgId, () => ({ command, metadata: this.metadata(orgId, jobId) }))
  }

  async request(orgId: string, jobId: string, more: Partial<EventData['JobRequested']> = {}): Promise<void> {
    const data = jobRequested({ orgId, mode: 'generate', ...more })
    await this.append(orgId, jobId, -1, { type: 'JobRequested', data })
  }

  async job(orgId: string, jobId: string, more: Partial<EventData['JobRequested']> = {}): Promise<void> {
    await this.debit(orgId, jobId)
    await this.request(orgId, jobId, more)
  }

  async append(orgId: string, jobId: string, after: number, ...events: DomainEvent[]): Promise<number> {
    const metadata = this.metadata(orgId, jobId)
    const newEvents = events.map((event): NewEvent => ({ ...event, id: systemIds.uuid(), metadata }))
    const expected = after < 0 ? 'no-stream' : after
    return (await this.store.append(streams.job(jobId), expected, newEvents)).revision
  }

  async typesOf(jobId: string): Promise<string[]> {
    return (await this.store.read(streams.job(jobId))).map(({ type }) => type)
  }

  async settlementsOf(orgId: string): Promise<EventData['CreditsSettled'][]> {
    const events = await this.store.read(streams.credits(orgId))
    return events.filter((event) => event.type === 'CreditsSettled').map(({ data }) => data)
  }
}

/** One life of the orchestrator, with the queue that dies with it. */
class Life {
  readonly queue = new MemoryWorkQueue()
  readonly #end = new AbortController()
  readonly orchestrator: Orchestrator
  readonly #running: Promise<void>

  constructor(world: World, { outstanding = 4, perOrganization = 100, releaseClaimsAtStart = true } = {}) {
    const { store, views, clock, ledgers } = world
    const each = { outstanding, perOrganization }
    const shares = { fetch: each, caption: each, 'speech-to-text': each, extract: each }
    const options = { shares, windowSeconds: 180, releaseClaimsAtStart }
    this.orchestrator = new Orchestrator({ store, views, clock, ledgers, log, queue: this.queue }, options)
    this.#running = this.orchestrator.run(this.#end.signal)
  }

  /** Tasks of a step that are in the queue now. */
  async tasks(step: Step): Promise<Delivery[]> {
    await settle()
    const taken: Delivery[] = []
    await using consumer = this.queue.consume(step)
    for (;;) {
      const none = new AbortController()
      const next = consumer.take('priority', none.signal).catch(() => undefined)
      none.abort()
      const delivery = await next
      if (delivery === undefined) return taken
      taken.push(delivery)
    }
  }

  async crash(): Promise<void> {
    this.#end.abort()
    await this.#running
  }
}

const started = (step: Step, attempt = 1): DomainEvent<'StepStarted'> => ({
  type: 'StepStarted',
  data: { step, attempt, worker: 'w', leaseSeconds: 30 },
})

const completed = (orgId: string): DomainEvent<'JobCompleted'> => ({
  type: 'JobCompleted',
  data: { orgId, kind: 'transcript', credits: 5 },
})

describe('the orchestrator', () => {
  let world: World
  let life: Life
  const lives: Life[] = []
  const live = (options = {}) => {
    const one = new Life(world, options)
    lives.push(one)
    return one
  }

  beforeEach(async () => {
    world = new World()
    await world.organization('acme')
  })

  afterEach(async () => {
    for (const one of lives.splice(0)) await one.crash()
  })

  it('issues the first step of a job, and the next one after each result', async () => {
    life = live()
    await world.job('acme', 'j1')
    const [first] = await life.tasks('fetch')
    expect(first?.task).to.include({ jobId: 'j1', step: 'fetch', attempt: 1, revision: 0, lane: 'standard' })
    await world.append('acme', 'j1', 0, started('fetch'), results.fetched)
    const [second] = await life.tasks('speech-to-text')
    expect(second?.task).to.include({ step: 'speech-to-text', attempt: 1, revision: 2 })
  })

  it('settles a completed job with what it cost, and a failed one with nothing', async () => {
    life = live()
    await world.job('acme', 'j1')
    await world.job('acme', 'j2')
    await world.append('acme', 'j1', 0, completed('acme'))
    const failed = {
      orgId: 'acme',
      kind: 'transcript',
      code: 'no_speech',
      message: 'Nothing is said.',
      used: null,
    } as const
    await world.append('acme', 'j2', 0, { type: 'JobFailed', data: failed })
    await settle()
    expect(await world.settlementsOf('acme')).to.have.deep.members([
      { jobId: 'j1', charged: 5, refunded: 0, reason: 'completed' },
      { jobId: 'j2', charged: 0, refunded: 5, reason: 'no_speech' },
    ])
    expect((await world.ledgers.current('acme')).balance).to.equal(45)
  })

  it('ends a job at its deadline, whatever its worker does, and refunds it', async () => {
    life = live()
    await world.job('acme', 'j1', { windowSeconds: 20 })
    await world.append('acme', 'j1', 0, started('fetch'))
    await world.clock.advance(19_900)
    expect(await world.typesOf('j1')).to.not.include('JobFailed')
    await world.clock.advance(200)
    const events = await world.store.read(streams.job('j1'))
    expect(events.at(-1)).to.deep.include({ type: 'JobFailed' })
    expect((events.at(-1) as StoredEvent & DomainEvent<'JobFailed'>).data.code).to.equal('timeout')
    expect((await world.ledgers.current('acme')).balance).to.equal(50)
  })

  it('publishes a task again that nobody claims, after 5 and then 10 seconds, unchanged', async () => {
    life = live()
    await world.job('acme', 'j1')
    const [first] = await life.tasks('fetch')
    await world.clock.advance(4900)
    expect(await life.tasks('fetch')).to.have.length(0)
    await world.clock.advance(200)
    const [again] = await life.tasks('fetch')
    expect(again?.task).to.deep.equal(first?.task)
    await world.clock.advance(9800)
    expect(await life.tasks('fetch')).to.have.length(0)
    await world.clock.advance(200)
    expect(await life.tasks('fetch')).to.have.length(1)
  })

  it('publishes a task after a second where the queue has refused it, and waits from then on', async () => {
    life = live()
    const { queue } = life
    const publish = queue.publish.bind(queue)
    let refusals = 1
    queue.publish = async (task) => {
      if (refusals-- > 0) throw new Error('the queue is away')
      await publish(task)
    }
    await world.job('acme', 'j1')
    expect(await life.tasks('fetch')).to.have.length(0)
    await world.clock.advance(1000)
    expect(await life.tasks('fetch')).to.have.length(1)
    await world.clock.advance(4900)
    expect(await life.tasks('fetch')).to.have.length(0)
    await world.clock.advance(200)
    expect(await life.tasks('fetch')).to.have.length(1)
  })

  it('issues a step again when its lease is over, and gives the job up after the third time', async () => {
    life = live()
    await world.job('acme', 'j1')
    for (const attempt of [1, 2, 3]) {
      const [delivery] = await life.tasks('fetch')
      expect(delivery?.task).to.include({ attempt, revision: attempt - 1 })
      await world.append('acme', 'j1', attempt - 1, started('fetch', attempt))
      await world.clock.advance(30_001)
    }
    const events = await world.store.read(streams.job('j1'))
    expect(events.at(-1)?.data).to.include({ code: 'internal_error' })
    expect((await world.ledgers.current('acme')).balance).to.equal(50)
  })

  it('waits for the delay of a retry', async () => {
    life = live()
    await world.job('acme', 'j1')
    const failed = { step: 'fetch', attempt: 1, code: 'upstream_error', retryAfterSeconds: 3, used: null } as const
    await world.append('acme', 'j1', 0, started('fetch'), { type: 'StepFailed', data: failed })
    await life.tasks('fetch')
    await world.clock.advance(2900)
    expect(await life.tasks('fetch')).to.have.length(0)
    await world.clock.advance(200)
    const [again] = await life.tasks('fetch')
    expect(again?.task).to.include({ attempt: 2, revision: 2 })
  })

  it('gives a debit back that has had no job for 15 seconds, so that its request can be made again', async () => {
    life = live()
    await world.debit('acme', 'j1')
    await world.clock.advance(14_900)
    expect(await world.typesOf('j1')).to.deep.equal([])
    await world.clock.advance(200)
    expect(await world.typesOf('j1')).to.deep.equal(['JobFailed'])
    expect(await world.settlementsOf('acme')).to.deep.equal([
      { jobId: 'j1', charged: 0, refunded: 5, reason: 'not_accepted' },
    ])
  })

  it('lets organizations take turns: a flood of one does not hold up another', async () => {
    await world.organization('calm')
    life = live({ outstanding: 2 })
    for (let n = 0; n < 8; n += 1) await world.job('acme', `flood-${n}`)
    await settle()
    await world.job('calm', 'quiet')
    const first = await life.tasks('fetch')
    expect(first.map(({ task }) => task.jobId)).to.deep.equal(['flood-0', 'flood-1'])
    await world.append('acme', 'flood-0', 0, started('fetch'))
    await world.append('acme', 'flood-1', 0, started('fetch'))
    const next = await life.tasks('fetch')
    expect(next.map(({ task }) => task.jobId)).to.include('quiet')
  })

  it('leaves slots to others while one organization has its share of them in work', async () => {
    await world.organization('calm')
    life = live({ perOrganization: 2 })
    for (let n = 0; n < 4; n += 1) await world.job('acme', `slow-${n}`)
    expect((await life.tasks('fetch')).map(({ task }) => task.jobId)).to.deep.equal(['slow-0', 'slow-1'])
    for (const n of [0, 1]) await world.append('acme', `slow-${n}`, 0, started('fetch'))
    await world.job('calm', 'quiet')
    expect((await life.tasks('fetch')).map(({ task }) => task.jobId)).to.deep.equal(['quiet'])
    await world.append('acme', 'slow-0', 1, results.fetched)
    expect((await life.tasks('fetch')).map(({ task }) => task.jobId)).to.deep.equal(['slow-2'])
  })

  it('tells the ingress who has waited for more than a third of the window', async () => {
    await world.organization('calm')
    life = live({ outstanding: 1 })
    await world.job('acme', 'j1')
    await world.job('acme', 'j2')
    await world.clock.advance(61_500)
    await world.job('calm', 'j3')
    await world.clock.advance(1500)
    const note = (await world.views.getNotes<LaneNote>([laneNoteId('standard')])).get(laneNoteId('standard'))
    expect(note?.lateOrganizations).to.deep.equal(['acme'])
    expect(world.clock.now() - (note?.writtenAt ?? 0)).to.be.at.most(1500)
    expect(world.clock.now() - (note?.oldestTurn ?? 0)).to.be.greaterThan(60_000)
  })

  it('takes up every open job after a crash, and gives back what the dead process had claimed', async () => {
    life = live()
    await world.job('acme', 'j1')
    await world.job('acme', 'j2')
    await life.tasks('fetch')
    await world.append('acme', 'j1', 0, started('fetch'))
    await world.clock.advance(2000)
    await life.crash()
    life = live()
    await life.orchestrator.ready
    const tasks = (await life.tasks('fetch')).map(({ task }) => task)
    expect(tasks.map(({ jobId, attempt, revision }) => ({ jobId, attempt, revision }))).to.have.deep.members([
      { jobId: 'j1', attempt: 2, revision: 2 },
      { jobId: 'j2', attempt: 1, revision: 0 },
    ])
  })

  it('keeps a checkpoint before the oldest open job, and moves it on when that is settled', async () => {
    life = live()
    await world.job('acme', 'j1')
    await world.job('acme', 'j2')
    const [debit] = (await world.store.read(streams.credits('acme'))).filter(({ type }) => type === 'CreditsDebited')
    await world.clock.advance(1100)
    expect((await loadProgress(world.views)).checkpoint).to.equal((debit?.position ?? 0) - 1)
    await world.append('acme', 'j1', 0, completed('acme'))
    await world.append('acme', 'j2', 0, completed('acme'))
    await world.clock.advance(1100)
    expect((await loadProgress(world.views)).checkpoint).to.equal(world.events.feed.length)
  })

  it('changes nothing when two orchestrators decide the same', async () => {
    life = live()
    live({ releaseClaimsAtStart: false })
    await world.job('acme', 'j1', { windowSeconds: 5 })
    await world.debit('acme', 'j2')
    await world.clock.advance(20_000)
    expect((await world.typesOf('j1')).filter((type) => type === 'JobFailed')).to.have.length(1)
    expect(await world.settlementsOf('acme')).to.have.length(2)
    expect((await world.ledgers.current('acme')).balance).to.equal(50)
  })

  it('gives back what was debited for a job whose history was removed', async () => {
    life = live()
    await world.job('acme', 'j1', { windowSeconds: 5 })
    await settle()
    await world.store.remove(streams.job('j1'))
    await world.clock.advance(10_000)
    expect((await world.ledgers.current('acme')).balance).to.equal(50)
  })
})

import { pino } from 'pino'
import type { EventData } from '#contracts/generated/events.ts'
import type { StepTask } from '#contracts/generated/messages.ts'
import { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { MemoryDocuments } from '#packages/adapters/memory/documents.ts'
import { MemoryOwnership } from '#packages/adapters/memory/ownership.ts'
import { MemoryViews } from '#packages/adapters/memory/views.ts'
import { MemoryWorkQueue } from '#packages/adapters/memory/work-queue.ts'
import { systemIds } from '#packages/adapters/system/ids.ts'
import { debit } from '#packages/domain/credits/credits.fixture.ts'
import { perStep, type Step } from '#packages/domain/job/events.ts'
import { jobRequested } from '#packages/domain/job/job.fixture.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { viewsDefinition as definition } from '#packages/events/views/views-definition.ts'
import type { NewEvent } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import type { Ownership } from '#packages/ports/ownership.ts'
import { UnreachableError } from '#packages/ports/unreachable.ts'
import type { Document } from '#packages/ports/views.ts'
import type { Delivery } from '#packages/ports/work-queue.ts'
import { ManualClock, settle } from '#test/doubles/manual-clock.ts'
import { MemoryEventStore, MemoryEvents } from '#test/doubles/memory-event-store.ts'
import { ScriptedStore } from '#test/doubles/scripted-store.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import { Orchestrator } from './orchestrator.ts'

export const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`

/** A line of the log. */
export type Line = {
  level: number
  msg?: string
  alarm?: string
  jobId?: string
  traceId?: string
  events?: string[]
  aheadMs?: number
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

/** The stores, which survive a crash of the process. */
export class World {
  readonly clock = new ManualClock()
  readonly events = new MemoryEvents()
  readonly documents = new MemoryDocuments()
  /** The store as the orchestrators use it. */
  readonly store = new ScriptedStore(new MemoryEventStore({ clock: this.clock, events: this.events }))
  /** The same events as all other parts read and write them. */
  outside = new MemoryEventStore({ clock: this.clock, events: this.events })
  readonly views = new TroubledViews({ clock: this.clock, definition, documents: this.documents })
  readonly telemetry = new RecordingTelemetry()
  /** The ledgers of the orchestrators. */
  readonly shared = new Ledgers({ store: this.store, clock: this.clock, ids: systemIds })
  /** The log of the orchestrators. */
  readonly lines: Line[] = []

  readonly #lives: Life[] = []

  /** Starts an orchestrator, which ends with the test. */
  live(options?: LifeOptions): Life {
    const life = new Life(this, options)
    this.#lives.push(life)
    return life
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const life of this.#lives.splice(0)) await life.crash()
  }

  get ledgers(): Ledgers {
    return new Ledgers({ store: this.outside, clock: this.clock, ids: systemIds })
  }

  metadata(orgId: string, jobId: string) {
    return { orgId, correlationId: jobId, causationId: 'test', traceparent }
  }

  async organization(orgId: string): Promise<void> {
    const metadata = this.metadata(orgId, 'sign-up')
    await this.ledgers.execute(orgId, { command: { type: 'register', by: 'command' }, metadata })
  }

  async debit(orgId: string, jobId: string): Promise<void> {
    const command = debit(jobId, 5)
    await this.ledgers.execute(orgId, { command, metadata: this.metadata(orgId, jobId) })
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
    return (await this.outside.append(streams.job(jobId), expected, newEvents)).revision
  }

  async typesOf(jobId: string): Promise<string[]> {
    return (await this.outside.read(streams.job(jobId))).map(({ type }) => type)
  }

  async settlementsOf(orgId: string): Promise<EventData['CreditsSettled'][]> {
    const events = await this.outside.read(streams.credits(orgId))
    return events.filter((event) => event.type === 'CreditsSettled').map(({ data }) => data)
  }
}

type LifeOptions = {
  outstanding?: number
  perOrganization?: number
  releaseClaimsAtStart?: boolean
  tellsBusiest?: boolean
  ownership?: Ownership
  telemetry?: RecordingTelemetry
}

/** One orchestrator process and its queue, which ends with it. It is the owner unless the test says otherwise. */
export class Life {
  readonly queue = new WatchedQueue()
  readonly #end = new AbortController()
  readonly orchestrator: Orchestrator
  readonly #running: Promise<void>

  constructor(world: World, options: LifeOptions = {}) {
    const { store, views, clock, shared: ledgers } = world
    const log = pino(
      { base: null, level: 'debug' },
      { write: (line: string) => void world.lines.push(JSON.parse(line)) },
    )
    const { outstanding = 4, perOrganization = 100, releaseClaimsAtStart = true } = options
    const { tellsBusiest = false, ownership = new MemoryOwnership(), telemetry = world.telemetry } = options
    const each = { outstanding, perOrganization }
    const slots = { shares: perStep(() => each), run: async () => {} }
    const ports = { store, views, clock, ids: systemIds, ledgers, log, queue: this.queue, telemetry, ownership }
    this.orchestrator = new Orchestrator(ports, { slots, windowSeconds: 180, releaseClaimsAtStart, tellsBusiest })
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

export const started = (step: Step, attempt = 1): DomainEvent<'StepStarted'> => ({
  type: 'StepStarted',
  data: { step, attempt, worker: 'w', leaseSeconds: 30 },
})

export const completed: DomainEvent<'JobCompleted'> = {
  type: 'JobCompleted',
  data: { orgId: 'acme', kind: 'transcript', credits: 5 },
}

export const failed = (code: string, orgId = 'acme'): DomainEvent<'JobFailed'> => ({
  type: 'JobFailed',
  data: { orgId, kind: 'transcript', code, message: 'made up', used: null },
})

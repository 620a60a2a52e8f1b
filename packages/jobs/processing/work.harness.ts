import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { MemoryWorkQueue } from '#packages/adapters/memory/work-queue.ts'
import { systemIds } from '#packages/adapters/system/ids.ts'
import type { Lane, Step, StepResult } from '#packages/domain/job/events.ts'
import { jobRequested, results } from '#packages/domain/job/job.fixture.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import type { EventStore, NewEvent, StoredEvent } from '#packages/ports/event-store.ts'
import type { WorkQueue } from '#packages/ports/work-queue.ts'
import { jobSpanOf, newTraceparent } from '#packages/telemetry/traceparent.ts'
import { ManualClock, settle } from '#test/doubles/manual-clock.ts'
import { MemoryEventStore } from '#test/doubles/memory-event-store.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import { AttemptsUnderWay } from './attempts-under-way.ts'
import { Processor, type Processors } from './processor.ts'
import type { StepContext, StepWork } from './step.ts'

/** The trace that jobs are posted in. */
export const posted = newTraceparent(true)

/** A step that the test ends. */
export class Work {
  readonly begun: StepContext[] = []
  readonly #ends = new Set<(result: StepResult | Error) => void>()

  readonly step: StepWork = (context) => {
    this.begun.push(context)
    return new Promise((resolve, reject) => {
      const end = (result: StepResult | Error): void => (result instanceof Error ? reject(result) : resolve(result))
      this.#ends.add(end)
      context.signal.addEventListener('abort', () => {
        this.#ends.delete(end)
        reject(context.signal.reason)
      })
    })
  }

  /** Ends the attempt that has worked longest. */
  async end(result: StepResult | Error): Promise<void> {
    const [end] = this.#ends
    if (end !== undefined) this.#ends.delete(end)
    end?.(result)
    await settle()
  }
}

/** A result that no store accepts: random, so that compression does not help. */
export function tooLarge(): StepResult {
  const container = randomBytes(2_000_000).toString('base64')
  const format = { container, hasAudio: true, hasVideo: true, width: null, height: null, bytes: null }
  return { type: 'VideoFetched', data: { ...results.fetched.data, formats: [format] } }
}

export const started = (attempt: number, worker = 'w2'): DomainEvent<'StepStarted'> => ({
  type: 'StepStarted',
  data: { step: 'fetch', attempt, worker, leaseSeconds: 30 },
})

type Serving = { slots?: Partial<Record<Step, number>>; store?: EventStore; queue?: WorkQueue; work?: StepWork }

/** A process of workers, with its queue and its store. The store loses as many answers as the test says. */
export class Workers {
  readonly clock = new ManualClock()
  readonly memory = new MemoryEventStore({ clock: this.clock })
  readonly queue = new MemoryWorkQueue()
  readonly telemetry = new RecordingTelemetry()
  readonly attempts = new AttemptsUnderWay()
  readonly works = { fetch: new Work(), 'speech-to-text': new Work() }
  /** The types of the events of each append of a worker. */
  readonly appends: string[][] = []
  reads = 0
  answersToLose = 0
  readonly store: EventStore
  #end = new AbortController()
  #running: Promise<unknown> = Promise.resolve()

  constructor() {
    this.store = Object.assign(Object.create(this.memory), {
      append: async (...call: Parameters<EventStore['append']>) => {
        this.appends.push(call[2].map(({ type }) => type))
        const answer = await this.memory.append(...call)
        if (this.answersToLose-- > 0) throw new Error('connection lost')
        return answer
      },
      read: (...call: Parameters<EventStore['read']>) => {
        this.reads += 1
        return this.memory.read(...call)
      },
    })
  }

  /** Serves the steps that have slots: fetch with one slot if none are named. */
  start({ slots = { fetch: 1 }, store = this.store, queue = this.queue, work }: Serving = {}): void {
    const { clock, telemetry, attempts } = this
    const processors: Processors = new Map()
    const log = pino({ level: 'silent' })
    const ports = { store, clock, ids: systemIds, queue, log, telemetry, attempts, processors }
    const lease = { worker: 'w1', leaseSeconds: 30, extendEverySeconds: 10 }
    this.#end = new AbortController()
    const made = (['fetch', 'speech-to-text'] as const)
      .filter((step) => slots[step] !== undefined)
      .map((step) => new Processor(ports, { step, slots: slots[step] ?? 1, ...lease }, work ?? this.works[step].step))
    this.#running = Promise.all(made.map((processor) => processor.run(this.#end.signal)))
  }

  async stop(): Promise<void> {
    this.#end.abort()
    await this.#running
  }

  /** Appends as others do. */
  append(jobId: string, after: number, ...events: DomainEvent[]) {
    const metadata = { orgId: 'acme', correlationId: jobId, causationId: 'test', traceparent: posted }
    const all = events.map((event): NewEvent => ({ ...event, id: systemIds.uuid(), metadata }))
    return this.memory.append(`job-${jobId}`, after < 0 ? 'no-stream' : after, all)
  }

  async request(jobId = 'j1', { orgId = 'acme', lane = 'standard' }: { orgId?: string; lane?: Lane } = {}) {
    const data = jobRequested({ orgId, mode: 'generate', lane, windowSeconds: 100 })
    await this.append(jobId, -1, { type: 'JobRequested', data })
  }

  async publish(jobId = 'j1', more: Partial<Parameters<WorkQueue['publish']>[0]> = {}): Promise<void> {
    const task = { orgId: 'acme', lane: 'standard', step: 'fetch', attempt: 1, revision: 0 } as const
    const deadlineAt = this.clock.now() + 100_000
    await this.queue.publish({ ...task, jobId, traceparent: jobSpanOf(jobId, posted), deadlineAt, ...more })
    await settle()
  }

  readonly eventsOf = (jobId = 'j1'): Promise<StoredEvent[]> => this.memory.read(`job-${jobId}`)
  readonly typesOf = async (jobId = 'j1'): Promise<string[]> => (await this.eventsOf(jobId)).map(({ type }) => type)
}

import { MemoryDocuments } from '#packages/adapters/memory/documents.ts'
import { MemoryWorkQueue } from '#packages/adapters/memory/work-queue.ts'
import { EventCodec } from '#packages/events/format/codec.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { Random } from '#test/doubles/random.ts'
import { Faults } from './faults/faults.ts'
import { ORCHESTRATORS, OwnerGroup } from './faults/owner-group.ts'
import { KeptEvents } from './kept-events.ts'
import { MemoryArchive } from './memory-archive.ts'
import type { Mutation } from './mutations.ts'
import { Receivers } from './receivers.ts'
import { Record } from './record.ts'
import { type Settings, settingsOf } from './settings.ts'
import { Scheduler } from './time/scheduler.ts'
import { Trace } from './trace.ts'
import type { Video } from './videos.ts'

/** The parts of a run that outlive its processes: stores, queue, clock, faults and records. */
export class World {
  readonly random: Random
  readonly settings: Settings
  readonly scheduler: Scheduler
  readonly trace: Trace
  readonly faults: Faults
  readonly record: Record
  readonly mutation: Mutation
  readonly events = new KeptEvents()
  readonly documents = new MemoryDocuments()
  readonly broker = new MemoryWorkQueue()
  readonly archive = new MemoryArchive()
  /** No sweep examines a time later than this. */
  readonly sweeps = { until: Number.POSITIVE_INFINITY }
  readonly codec = new EventCodec()
  /** Elects the owner among the orchestrators. */
  readonly owners: OwnerGroup
  /** Elects the owner among the processes that keep the views. */
  readonly viewsOwners: OwnerGroup
  /** Elects the owner among the processes that deliver to webhooks. */
  readonly webhookOwners: OwnerGroup
  /** Elects the owner among the processes that move batches on. */
  readonly batchOwners: OwnerGroup
  readonly receivers: Receivers
  readonly videos = new Map<string, Video>()
  /** The URLs of the videos of sources, and how often any was read. */
  readonly sources = Object.assign(new Map<string, readonly string[]>(), { refused: 0 })
  /** How often a step of a job has been tried. */
  readonly stepCalls = new Map<string, number>()
  /** The store's own clock, which gives events their times. */
  readonly storeClock: Clock

  constructor(seed: number, options: { keepsTrace: boolean; mutation: Mutation }) {
    this.random = new Random(`simulation/${seed}`)
    this.settings = settingsOf(this.random.fork('settings'))
    const { start, flood } = this.settings
    const scheduler = new Scheduler(start)
    this.scheduler = scheduler
    this.trace = new Trace(() => scheduler.now - start, options.keepsTrace)
    this.faults = new Faults(this.random.fork('faults'), flood > 0)
    this.record = new Record(scheduler)
    this.mutation = options.mutation
    this.owners = new OwnerGroup(this, ORCHESTRATORS)
    this.viewsOwners = new OwnerGroup(this, 'owner of the views')
    this.webhookOwners = new OwnerGroup(this, 'owner of the webhooks')
    this.batchOwners = new OwnerGroup(this, 'owner of the batches')
    this.receivers = new Receivers(this)
    this.storeClock = { now: () => scheduler.now, sleep: (ms) => scheduler.sleep(ms) }
  }

  /** The position up to which callers see events in the views. */
  get viewed(): number {
    return this.documents.state?.applied ?? 0
  }
}

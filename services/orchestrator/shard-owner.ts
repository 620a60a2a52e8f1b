import type { Step } from '#packages/domain/job/events.ts'
import { FeedLag } from '#packages/event-store/feed-lag.ts'
import type { ShardOwnership } from '#packages/ports/shard-ownership.ts'
import { areSameShards, type Shard } from '#packages/ports/shards.ts'
import { JobTelemetry } from './job-telemetry.ts'
import { Orchestrator, type OrchestratorOptions, type OrchestratorPorts } from './orchestrator.ts'
import { SlotShares } from './slot-shares.ts'

export type ShardOwnerOptions = Omit<OrchestratorOptions, 'shards' | 'shares'> & {
  /** Those of all workers, by step, until they have told theirs. */
  slots: Record<Step, number>
}

export type ShardOwnerPorts = OrchestratorPorts & { ownership: ShardOwnership }

/** How often workers' slots are asked for, milliseconds. */
const ASKS_EVERY_MS = 2000

/** Whoever waits for `ready` goes on after this time, where nobody says which shards are owned, milliseconds. */
const SAID_WITHIN_MS = 5000

/** An orchestrator at work. */
type Work = { shards: ReadonlySet<Shard>; end: AbortController }

/**
 * Runs an orchestrator for the shards that this process owns: another one whenever they change, which takes over from the
 * events as after a crash.
 */
export class ShardOwner {
  /** How far the orchestrator is behind the feed. */
  readonly lag: FeedLag
  readonly #ports: ShardOwnerPorts
  readonly #options: ShardOwnerOptions
  readonly #slots: SlotShares
  readonly #telemetry: JobTelemetry
  readonly #ready = Promise.withResolvers<void>()
  readonly #ended: Promise<void>[] = []
  #work: Work | undefined

  /** Resolves when work is issued for the first shards. */
  readonly ready: Promise<void> = this.#ready.promise

  constructor(ports: ShardOwnerPorts, options: ShardOwnerOptions) {
    this.#ports = ports
    this.#options = options
    this.#slots = new SlotShares(options.slots)
    this.lag = new FeedLag(ports.clock)
    this.#telemetry = new JobTelemetry(ports)
  }

  /** Runs until the signal is aborted. @throws what an orchestrator throws */
  async run(signal: AbortSignal): Promise<void> {
    const failed = new AbortController()
    const own = AbortSignal.any([signal, failed.signal])
    const asking = this.#askForSlots(own)
    void this.#ports.clock.sleep(SAID_WITHIN_MS, own).then(
      () => this.#work === undefined && this.#ready.resolve(),
      () => {},
    )
    for await (const shards of this.#ports.ownership.owned(own)) {
      if (this.#work !== undefined && areSameShards(this.#work.shards, shards)) continue
      this.#work?.end.abort()
      this.#begin(shards, own, failed)
    }
    this.#work?.end.abort()
    await Promise.all([...this.#ended, asking])
    if (failed.signal.aborted) throw failed.signal.reason
  }

  #begin(shards: ReadonlySet<Shard>, own: AbortSignal, failed: AbortController): void {
    const end = new AbortController()
    this.#work = { shards, end }
    if (shards.size === 0) {
      this.lag.note(true)
      this.#ready.resolve()
      return
    }
    this.lag.note(false)
    this.#slots.own(shards.size)
    const options = { ...this.#options, shares: this.#slots.shares, shards }
    const orchestrator = new Orchestrator(this.#ports, options, { lag: this.lag, telemetry: this.#telemetry })
    void orchestrator.ready.then(this.#ready.resolve)
    const running = orchestrator.run(AbortSignal.any([own, end.signal])).catch((error: unknown) => failed.abort(error))
    this.#ended.push(running)
    void running.finally(() => this.#ended.splice(this.#ended.indexOf(running), 1))
  }

  /** Asks now and then how many slots there are. What they were stays, where nobody can say it. */
  async #askForSlots(signal: AbortSignal): Promise<void> {
    const { queue, clock, log } = this.#ports
    while (!signal.aborted) {
      await queue.slots().then(
        (told) => this.#slots.tell(told),
        (err: unknown) => log.debug({ err }, 'how many slots there are cannot be asked'),
      )
      await clock.sleep(ASKS_EVERY_MS, signal).catch(() => {})
    }
  }
}

import { FeedLag } from '#packages/event-store/feed-lag.ts'
import type { ShardOwnership } from '#packages/ports/shard-ownership.ts'
import { allShards, areSameShards, type Shard } from '#packages/ports/shards.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import type { Projection } from '#packages/views/projection.ts'
import { Projector, type ProjectorPorts } from './projector.ts'

export type ViewsOwnerPorts = ProjectorPorts & { ownership: ShardOwnership }

/** Where nobody has said for so long which shards are owned, it keeps all of them, milliseconds. */
const SAID_WITHIN_MS = 5000

/** A projector at work; `ended` resolves when it has written for the last time. */
type Work = { shards: ReadonlySet<Shard>; end: AbortController; ended: Promise<void>; projector?: Projector }

/**
 * Runs a projector for the shards that this process owns: another one whenever they change, which goes on at their
 * checkpoints as after a crash. Until it is told its shards it keeps all of them: that others do the same does no harm.
 */
export class ViewsOwner {
  /** How far the views of its shards are behind the feed. */
  readonly lag: FeedLag
  readonly #ports: ViewsOwnerPorts
  readonly #projections: readonly Projection[]
  readonly #ready = Promise.withResolvers<void>()
  #work: Work | undefined

  /** Resolves when the views of the first shards have been brought up to the end of the feed. */
  readonly ready: Promise<void> = this.#ready.promise

  constructor(ports: ViewsOwnerPorts, projections: readonly Projection[]) {
    this.#ports = ports
    this.#projections = projections
    this.lag = new FeedLag(ports.clock)
    ports.telemetry.observe(metrics.viewsShards, () => [{ value: this.#shardsShown }])
  }

  get #shardsShown(): number {
    const { projector, shards } = this.#work ?? {}
    return projector?.isLive && shards !== undefined ? shards.size : 0
  }

  /** Runs until the signal is aborted. @throws what a projector throws */
  async run(signal: AbortSignal): Promise<void> {
    const failed = new AbortController()
    const own = AbortSignal.any([signal, failed.signal])
    const said = new AbortController()
    void this.#ports.clock.sleep(SAID_WITHIN_MS, AbortSignal.any([own, said.signal])).then(
      () => this.#turnTo(allShards, own, failed),
      () => {},
    )
    for await (const shards of this.#ports.ownership.owned(own)) {
      said.abort()
      this.#turnTo(shards, own, failed)
    }
    said.abort()
    await this.#work?.ended
    if (failed.signal.aborted) throw failed.signal.reason
  }

  #turnTo(shards: ReadonlySet<Shard>, own: AbortSignal, failed: AbortController): void {
    const before = this.#work
    if (before !== undefined && areSameShards(before.shards, shards)) return
    before?.end.abort()
    const work: Work = { shards, end: new AbortController(), ended: Promise.resolve() }
    this.#work = work
    work.ended = this.#keep(work, before, own).catch((error: unknown) => failed.abort(error))
  }

  /** One after the other: what the views have begun is of one projector. */
  async #keep(work: Work, before: Work | undefined, own: AbortSignal): Promise<void> {
    await before?.ended
    const signal = AbortSignal.any([own, work.end.signal])
    if (signal.aborted) return
    this.lag.note(work.shards.size === 0)
    if (work.shards.size === 0) {
      this.#ready.resolve()
      return
    }
    const shards = work.shards.size === allShards.size ? allShards : work.shards
    work.projector = new Projector(this.#ports, this.#projections, { shards, lag: this.lag })
    void work.projector.ready.then(this.#ready.resolve)
    await work.projector.run(signal)
  }
}

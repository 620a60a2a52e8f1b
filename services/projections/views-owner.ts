import { FeedLag } from '#packages/events/store/feed-lag.ts'
import type { Projection } from '#packages/events/views/projection.ts'
import type { Ownership } from '#packages/ports/ownership.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { Projector, type ProjectorPorts } from './projector.ts'

export type ViewsOwnerPorts = ProjectorPorts & { ownership: Ownership }

/** A process without news of its ownership for this long takes on the views, milliseconds. */
const SAID_WITHIN_MS = 5000

/** A running projector; `ended` resolves after its last write. */
type Work = { end: AbortController; ended: Promise<void>; projector: Projector }

/**
 * Keeps the views while this process is the owner. A standby only waits, because a projector's whole state is in the
 * views: the checkpoint and the documents. Two owners do no harm.
 */
export class ViewsOwner {
  /** How far the views are behind the feed. A standby keeps no views and is never behind. */
  readonly lag: FeedLag
  readonly #ports: ViewsOwnerPorts
  readonly #projections: readonly Projection[]
  readonly #ready = Promise.withResolvers<void>()
  #work: Work | undefined

  /** Resolves when the views have reached the end of the feed, or this process is a standby. */
  readonly ready: Promise<void> = this.#ready.promise

  constructor(ports: ViewsOwnerPorts, projections: readonly Projection[]) {
    this.#ports = ports
    this.#projections = projections
    this.lag = new FeedLag(ports.clock)
    ports.telemetry.observe(metrics.viewsOwner, () => [{ value: Number(this.#work?.projector.isLive ?? false) }])
  }

  /** Runs until the signal is aborted. @throws the projector's error */
  async run(signal: AbortSignal): Promise<void> {
    const failed = new AbortController()
    const own = AbortSignal.any([signal, failed.signal])
    const said = new AbortController()
    const unheard = this.#ports.clock.sleep(SAID_WITHIN_MS, AbortSignal.any([own, said.signal])).then(
      () => this.#begin(own, failed),
      () => {},
    )
    for await (const isOwner of this.#ports.ownership.owned(own)) {
      said.abort()
      if (isOwner) this.#begin(own, failed)
      else await this.#standBy()
    }
    said.abort()
    await unheard
    await this.#work?.ended
    if (failed.signal.aborted) throw failed.signal.reason
  }

  #begin(own: AbortSignal, failed: AbortController): void {
    if (this.#work !== undefined) return
    this.lag.note(false)
    const projector = new Projector(this.#ports, this.#projections, this.lag)
    void projector.ready.then(this.#ready.resolve)
    const end = new AbortController()
    const running = projector.run(AbortSignal.any([own, end.signal]))
    const ended = running.catch((error: unknown) => failed.abort(error))
    this.#work = { end, ended, projector }
  }

  async #standBy(): Promise<void> {
    this.#work?.end.abort()
    await this.#work?.ended
    this.#work = undefined
    this.lag.note(true)
    this.#ready.resolve()
  }
}

import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import type { Ids } from '#packages/ports/ids.ts'
import type { Ownership } from '#packages/ports/ownership.ts'
import type { Views } from '#packages/ports/views.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import { FeedLag } from './feed-lag.ts'
import { type Follower, follow } from './follow.ts'

/** What a part that is elected works with. */
export type OwnerPorts = {
  store: EventStore
  views: Views
  ownership: Ownership
  clock: Clock
  ids: Ids
  log: Logger
  telemetry: Telemetry
}

type Ports = Pick<OwnerPorts, 'store' | 'clock' | 'ownership' | 'log'>

/**
 * Decides whether a process that follows the feed acts on it: it is the owner, and has read the feed to its end. A
 * standby follows the feed too, so that it can take over at once.
 */
export class OwnerRole {
  /** How far this process is behind the feed. */
  readonly lag: FeedLag
  readonly #ports: Ports
  readonly #takeOver: () => void
  readonly #underWay = new Set<Promise<void>>()
  readonly #ready = Promise.withResolvers<void>()
  #isOwner = false
  #isCaughtUp = false

  /** Resolves when the feed has been read to its end: the owner acts, and a standby could. */
  readonly ready: Promise<void> = this.#ready.promise

  /** @param takeOver called each time this process begins to act */
  constructor(ports: Ports, takeOver: () => void) {
    this.#ports = ports
    this.#takeOver = takeOver
    this.lag = new FeedLag(ports.clock)
  }

  get acts(): boolean {
    return this.#isOwner && this.#isCaughtUp
  }

  get isCaughtUp(): boolean {
    return this.#isCaughtUp
  }

  /** Follows the feed and takes part in the election until the signal is aborted. @throws the reader's first error */
  async run(reader: Pick<Follower, 'prefixes' | 'begin' | 'take'>, signal: AbortSignal): Promise<void> {
    await Promise.all([this.#takePart(signal), follow(this.#ports, { ...reader, lag: this.lag }, signal)])
  }

  /** Work that is waited for by `settled`. */
  own(work: Promise<void>): void {
    this.#underWay.add(work)
    void work.finally(() => this.#underWay.delete(work))
  }

  async settled(): Promise<void> {
    await Promise.allSettled(this.#underWay)
  }

  /** After the signal is aborted, it does not act any more. */
  async #takePart(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => {
      this.#isOwner = false
    })
    for await (const isOwner of this.#ports.ownership.owned(signal)) {
      const actedBefore = this.acts
      this.#isOwner = isOwner && !signal.aborted
      if (this.acts && !actedBefore) this.#takeOver()
    }
  }

  /** The feed has been read to its end for the first time. @param held what the process holds, for the log */
  caughtUp(held: Readonly<Record<string, number>>): void {
    this.#isCaughtUp = true
    this.#ports.log.info({ ...held, isOwner: this.#isOwner }, 'caught up')
    if (this.acts) this.#takeOver()
    this.#ready.resolve()
  }
}

import type { EventMetadata } from '#contracts/generated/messages.ts'
import type { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { plans } from '#packages/domain/credits/plans.ts'
import { dueAt } from '#packages/domain/watch/due.ts'
import { type PauseReason, pendingIn } from '#packages/domain/watch/state.ts'
import { isLongAgo, type WatchCommand, watch } from '#packages/domain/watch/watch.ts'
import type { FeedLag } from '#packages/events/store/feed-lag.ts'
import { handleAtRevision } from '#packages/events/store/handle-at-revision.ts'
import { type OwnerPorts, OwnerRole } from '#packages/events/store/owner-role.ts'
import { toAppend } from '#packages/events/store/to-append.ts'
import { unlessOutrun } from '#packages/events/store/unless-outrun.ts'
import { untilReached } from '#packages/events/store/until-reached.ts'
import type { Acceptance } from '#packages/jobs/acceptance/acceptance.ts'
import { type DateOf, isTurnedAway } from '#packages/platforms/sources/date-of.ts'
import type { ReadSource } from '#packages/platforms/sources/read-source.ts'
import { offsetOf, type Source } from '#packages/platforms/sources/source.ts'
import type { FeedBatch } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { spanIdFrom, toTraceparent, traceIdFrom } from '#packages/telemetry/traceparent.ts'
import { FoundJobs } from './found-jobs.ts'
import { dueOf, type HeldWatch, HeldWatches, loadWatches, lookDueOf } from './held-watches.ts'
import { look } from './look.ts'
import { Sightings } from './sightings.ts'

export type WatchOwnerPorts = OwnerPorts & { ledgers: Ledgers }

export type WatchOwnerParts = {
  acceptance: Pick<Acceptance, 'accept'>
  readSource: ReadSource
  dateOf: DateOf
  /** When a member of the organization was last seen, milliseconds since 1970; null: never. */
  seenAt(orgId: string): Promise<number | null>
}

/** The most watches that are processed at once. */
const AT_ONCE = 8

const LONGEST_SLEEP_MS = 30_000
const GIVE_UP_AFTER_MS = 5000

/** How long a watch is left alone after an unexpected failure, milliseconds. */
const REST_MS = 60_000

/**
 * Looks for new videos and requests their jobs while this process is the owner. A standby follows the feed too.
 *
 * All state is folded from events, so the process may stop at any instant while another acts as owner. An append
 * succeeds only at the revision that was read, and a job's id is derived from its video.
 */
export class WatchOwner {
  /** How far it is behind the feed. */
  readonly lag: FeedLag
  readonly #role: OwnerRole
  readonly #ports: WatchOwnerPorts
  readonly #parts: WatchOwnerParts
  readonly #sightings: Sightings
  readonly #jobs: FoundJobs
  readonly #underWay = new Set<Promise<void>>()
  #watches = new HeldWatches()
  /** Ends the sleep between two rounds early. */
  #sooner = new AbortController()

  /** Resolves when the feed has been read to its end. From then on the owner acts, and a standby can take over. */
  readonly ready: Promise<void>

  constructor(ports: WatchOwnerPorts, parts: WatchOwnerParts) {
    this.#ports = ports
    this.#parts = parts
    this.#role = new OwnerRole(ports, () => this.#sooner.abort())
    this.lag = this.#role.lag
    this.ready = this.#role.ready
    this.#sightings = new Sightings(ports.clock, parts.readSource)
    this.#jobs = new FoundJobs({ ...ports, ...parts })
    ports.telemetry.observe(metrics.watchesOwner, () => [{ value: Number(this.#role.acts) }])
    ports.telemetry.observe(metrics.openWatches, () => [{ value: this.#role.acts ? this.#watches.size : 0 }])
  }

  /** Runs until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#sooner.abort())
    await Promise.all([
      this.#role.run(
        {
          prefixes: ['watch-', 'key-', 'removal-'],
          begin: (own) => this.#begin(own),
          take: (batch) => this.#take(batch),
        },
        signal,
      ),
      this.#rounds(signal),
    ])
    await Promise.all(this.#underWay)
  }

  async #begin(signal: AbortSignal): Promise<number> {
    const start = await untilReached(this.#ports, 'watches', () => loadWatches(this.#ports), signal)
    if (start === undefined) return 0
    this.#watches = start.watches
    return start.after
  }

  #take({ events, caughtUp }: FeedBatch): void {
    for (const event of events) this.#watches.apply(event)
    if (!this.#role.isCaughtUp && caughtUp) this.#role.caughtUp({ watches: this.#watches.size })
    this.#sooner.abort()
  }

  async #rounds(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#sooner = new AbortController()
      const next = this.#role.acts ? this.#beginDue(signal) : Number.POSITIVE_INFINITY
      const sleepMs = Math.min(Math.max(next - this.#ports.clock.now(), 0), LONGEST_SLEEP_MS)
      await this.#ports.clock.sleep(sleepMs, this.#sooner.signal).catch(() => {})
    }
  }

  /** Processes the watches that are due. @returns when the next one is due */
  #beginDue(signal: AbortSignal): number {
    const now = this.#ports.clock.now()
    let next = Number.POSITIVE_INFINITY
    for (const held of this.#watches) {
      if (held.isBusy || held.revision < held.awaits) continue
      const due = dueOf(held)
      if (due > now) next = Math.min(next, due)
      else if (this.#underWay.size < AT_ONCE) this.#lookAfter(held, signal)
    }
    return next
  }

  #lookAfter(held: HeldWatch, signal: AbortSignal): void {
    held.isBusy = true
    const work = this.#move(held)
      .catch((error: unknown) => {
        const waitMs = isTurnedAway(error) ? (error.retryAfterSeconds ?? 5) * 1000 : REST_MS
        held.restsUntil = this.#ports.clock.now() + waitMs
        if (!isTurnedAway(error) && !signal.aborted)
          this.#ports.log.warn({ err: error, watchId: held.watchId }, 'a watch could not be looked after; trying again')
      })
      .finally(() => {
        held.isBusy = false
        this.#underWay.delete(work)
        this.#sooner.abort()
      })
    this.#underWay.add(work)
  }

  /** One step of a watch: it pauses, begins jobs, or looks. */
  async #move(held: HeldWatch): Promise<void> {
    const { state, watchId } = held
    if (held.isKeyRevoked) return this.#pause(held, 'key')
    if (pendingIn(state).length > 0) return this.#beginJobs(held)
    const slowest = await this.#slowerByPlan(held)
    if (slowest > this.#ports.clock.now()) {
      held.restsUntil = slowest
      return
    }
    if (await this.#isUnseen(held)) return this.#pause(held, 'unseen')
    const result = await look({ ...this.#ports, ...this.#parts, sightings: this.#sightings }, state, {
      orgId: state.orgId,
      requestId: watchId,
      isOptional: true,
    })
    const now = this.#ports.clock.now()
    held.lookedAt = now
    await this.#append(held, { type: 'look', now, ...result })
  }

  /** When the current plan allows the look that is due. */
  async #slowerByPlan({ state, lookedAt }: HeldWatch): Promise<number> {
    const { ledger } = await this.#ports.ledgers.known(state.orgId)
    const everySeconds = Math.max(state.everySeconds, plans[ledger.plan].watchEverySeconds)
    if (everySeconds === state.everySeconds) return lookDueOf({ state, lookedAt })
    const newest = Math.max(lookedAt ?? 0, state.lookedAt ?? 0)
    const slower = { ...state, everySeconds, failure: null }
    return dueAt(slower, offsetOf(state.source as Source), newest === 0 ? null : newest)
  }

  async #isUnseen({ state: { orgId, onSince } }: HeldWatch): Promise<boolean> {
    const now = this.#ports.clock.now()
    return isLongAgo(onSince, now) && isLongAgo((await this.#parts.seenAt(orgId)) ?? 0, now)
  }

  async #beginJobs(held: HeldWatch): Promise<void> {
    const { jobs, pause, waitSeconds } = await this.#jobs.begin(held.watchId, held.state, this.#metadataOf(held))
    if (waitSeconds !== null) held.restsUntil = this.#ports.clock.now() + waitSeconds * 1000
    if (jobs.length > 0) await this.#append(held, { type: 'begin', jobs })
    // If jobs have begun, the pause waits for the next step, because the state will include them by then.
    else if (pause !== null) await this.#pause(held, pause)
  }

  /** Each step has its own trace, because a watch may run for years. */
  #metadataOf({ watchId, state: { orgId } }: HeldWatch): EventMetadata {
    const { ids } = this.#ports
    const traceparent = toTraceparent(traceIdFrom(ids.uuid()), spanIdFrom(ids.uuid()), false)
    return { orgId, correlationId: watchId, causationId: watchId, traceparent }
  }

  #pause(held: HeldWatch, reason: PauseReason): Promise<void> {
    return this.#append(held, { type: 'pause', orgId: held.state.orgId, reason })
  }

  async #append(held: HeldWatch, command: WatchCommand): Promise<void> {
    const { state, revision, watchId } = held
    const stream = streams.watch(watchId)
    const done = await handleAtRevision(this.#ports, watch, {
      stream,
      command,
      state,
      revision,
      toAppend: (events) => toAppend(stream, events, this.#metadataOf(held), () => `${command.type} ${revision + 1}`),
      giveUpAt: this.#ports.clock.now() + GIVE_UP_AFTER_MS,
    }).catch(unlessOutrun)
    if (done === undefined) held.lookedAt = null
    else held.awaits = Math.max(held.awaits, done.revision)
  }
}

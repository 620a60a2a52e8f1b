import type { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import type { FeedLag } from '#packages/events/store/feed-lag.ts'
import { type OwnerPorts, OwnerRole } from '#packages/events/store/owner-role.ts'
import { untilReached } from '#packages/events/store/until-reached.ts'
import { WEBHOOKS_NOTE, type WebhooksNote } from '#packages/events/views/webhooks-note.ts'
import { inParallel } from '#packages/foundation/concurrency/in-parallel.ts'
import { Timers } from '#packages/foundation/concurrency/timers.ts'
import type { FeedBatch, StoredEvent } from '#packages/ports/event-store.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { traceIdOf } from '#packages/telemetry/traceparent.ts'
import { Attempts, type AttemptsOptions } from './attempts.ts'
import { KnownWebhooks } from './known-webhooks.ts'
import { deliveryIdIn, OpenDeliveries, type OpenDelivery } from './open-deliveries.ts'
import { DeliveryRequests, type NotifyLowCredits } from './request-deliveries.ts'
import { loadCheckpoint, loadStart, webhooksInUse } from './start.ts'
import { type Wanted, WantedDeliveries } from './wanted.ts'

export type DelivererOptions = AttemptsOptions & {
  /** Missing: only webhooks are notified. If it rejects, it is called again. */
  notifyLowCredits?: NotifyLowCredits | undefined
}

export type DelivererPorts = OwnerPorts & { ledgers: Ledgers }

const TRY_AGAIN_AFTER_MS = 1000

const TICK_MS = 1000

/** Interval of writing the note while events come. */
const NOTED_EVERY_SECONDS = 5

/** The most deliveries that are requested at once. */
const REQUESTED_AT_ONCE = 8

/**
 * How long the webhook of a URL lasts after it was last named, milliseconds. Jobs renew it daily. By then the last job
 * has ended and its deliveries are requested.
 */
const EXPIRES_AFTER_MS = 3 * 24 * 60 * 60 * 1000

const EXPIRED_EVERY_SECONDS = 600

/** The webhooks and deliveries that were read, and the deliveries that the feed asks for. */
type Held = { known: KnownWebhooks; open: OpenDeliveries; wanted: WantedDeliveries; requests: DeliveryRequests }

/**
 * Delivers to webhooks while this process is the owner: requests a delivery for each relevant event of the feed, and
 * attempts it until it ends. A standby follows the feed too, so that it can take over at once.
 *
 * All state is folded from events, so the process may stop at any instant while another acts as owner. The only harm is
 * that a message may be delivered twice.
 */
export class Deliverer {
  /** How far it is behind the feed. */
  readonly lag: FeedLag
  readonly #role: OwnerRole
  readonly #ports: DelivererPorts
  readonly #attempts: Attempts
  readonly #notifyLowCredits: NotifyLowCredits | undefined
  readonly #timers: Timers
  #held: Held
  #position = 0
  #noted: number | undefined
  #isRequesting = false
  /** True if more may be waiting than is being requested. */
  #isRequestedAgain = false
  /** True if a request failed, and the next tick repeats it. */
  #isTryingAgain = false
  #signal = new AbortController().signal

  /** Resolves when the feed has been read to its end. From then on the owner delivers, and a standby can take over. */
  readonly ready: Promise<void>

  constructor(ports: DelivererPorts, { notifyLowCredits, ...options }: DelivererOptions) {
    this.#ports = ports
    this.#notifyLowCredits = notifyLowCredits
    this.#role = new OwnerRole(ports, () => this.#takeOver())
    this.lag = this.#role.lag
    this.ready = this.#role.ready
    this.#attempts = new Attempts(ports, options)
    this.#timers = new Timers(ports.clock)
    this.#held = this.#hold(new KnownWebhooks(), new OpenDeliveries())
    ports.telemetry.observe(metrics.webhooksOwner, () => [{ value: Number(this.#role.acts) }])
    ports.telemetry.observe(metrics.openDeliveries, () => [{ value: this.#role.acts ? this.#held.open.size : 0 }])
  }

  /** Runs until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal
    await Promise.all([
      this.#role.run(
        {
          prefixes: ['credits-', 'webhook-', 'delivery-', 'batch-', 'watch-', 'removal-'],
          begin: (own) => this.#begin(own),
          take: (batch, own) => this.#take(batch, own),
        },
        signal,
      ),
      this.#timers.run((id) => this.#wake(id), signal),
      this.#everySecond(signal),
    ])
    await this.#role.settled()
  }

  get #checksBalances(): boolean {
    return this.#notifyLowCredits !== undefined
  }

  async #begin(signal: AbortSignal): Promise<number> {
    const start = await this.#untilReached(() => loadStart(this.#ports.views, this.#checksBalances), signal)
    if (start === undefined) return 0
    this.#held = this.#hold(new KnownWebhooks(start.webhooks), new OpenDeliveries(start.deliveries))
    this.#position = start.after
    return start.after
  }

  #hold(known: KnownWebhooks, open: OpenDeliveries): Held {
    const requests = new DeliveryRequests(this.#ports, known, open, this.#notifyLowCredits)
    return { known, open, wanted: new WantedDeliveries(this.#checksBalances), requests }
  }

  async #take(batch: FeedBatch, signal: AbortSignal): Promise<void> {
    const touched = await this.#apply(batch, signal)
    if (!this.#role.isCaughtUp && batch.caughtUp) {
      const { known, open } = this.#held
      this.#role.caughtUp({ webhooks: known.size, open: open.size })
    } else if (this.#role.acts) {
      for (const open of touched) this.#advance(open)
      this.#request()
    }
  }

  async #apply(batch: FeedBatch, signal: AbortSignal): Promise<Set<OpenDelivery>> {
    const touched = new Set<OpenDelivery>()
    const { known, wanted } = this.#held
    this.#ports.ledgers.take(batch)
    for (const event of batch.events) {
      if (event.stream.startsWith('webhook-')) known.apply(event)
      if (event.type === 'DeliveryEnded') known.noteSuccess(event)
      if (event.type === 'StreamsRemoved') this.#remove(event.data.streams)
      const open = event.stream.startsWith('delivery-') ? await this.#applyDelivery(event, signal) : undefined
      if (open) touched.add(open)
      wanted.read(event, known, this.#position)
    }
    this.#position = batch.position
    return touched
  }

  async #applyDelivery(event: StoredEvent, signal: AbortSignal): Promise<OpenDelivery | undefined> {
    const applied = this.#held.open.apply(event)
    if (applied !== 'unknown') return applied
    const events = await this.#untilReached(() => this.#ports.store.read(event.stream), signal)
    return events && this.#held.open.load(events)
  }

  #remove(streams: readonly string[]): void {
    const { known, open, wanted } = this.#held
    for (const stream of streams) {
      if (stream.startsWith('webhook-')) known.remove(stream.slice('webhook-'.length))
      if (!stream.startsWith('delivery-')) continue
      open.remove(deliveryIdIn(stream))
      wanted.remove(deliveryIdIn(stream))
    }
  }

  /** Makes this process the owner. */
  #takeOver(): void {
    this.#ports.log.info({ open: this.#held.open.size }, 'delivering to webhooks')
    for (const open of this.#held.open) this.#advance(open)
    this.#request()
  }

  #wake(id: string): void {
    const open = this.#held.open.get(id)
    if (open !== undefined && this.#role.acts) this.#advance(open)
  }

  /** Begins the next attempt if it is due, or sets a timer for when it will be. */
  #advance(open: OpenDelivery): void {
    if (open.isBusy || this.#held.open.get(open.id) !== open || open.revision < (open.awaited ?? 0)) return
    if (open.state.dueAt > this.#ports.clock.now()) {
      this.#timers.set(open.id, open.state.dueAt)
      return
    }
    const { revision } = open
    open.isBusy = true
    this.#role.own(
      this.#attempt(open)
        .then((appended) => {
          open.awaited = appended
        })
        .catch((error: unknown) => {
          if (this.#signal.aborted) return
          const { traceparent, id: deliveryId } = open
          const fields = { err: error, deliveryId, traceId: traceIdOf(traceparent) }
          this.#ports.log.warn(fields, 'an attempt at a delivery could not be made; trying again')
        })
        .finally(() => {
          open.isBusy = false
          if (open.revision !== revision) this.#wake(open.id)
          else if (open.awaited === undefined || open.awaited === revision)
            this.#timers.set(open.id, this.#ports.clock.now() + TRY_AGAIN_AFTER_MS)
        }),
    )
  }

  #attempt(open: OpenDelivery): Promise<number | undefined> {
    const held = this.#held.known.get(open.state.webhookId)
    if (held?.state.status !== 'on') return this.#attempts.drop(open)
    const { revision } = open
    const isDue = (): boolean =>
      this.#role.acts &&
      held.state.status === 'on' &&
      open.revision === revision &&
      this.#held.open.get(open.id) === open
    return this.#attempts.make(open, held, isDue, this.#signal)
  }

  /** Requests the wanted deliveries. A replay may take long, so the others do not wait for it. */
  #request(): void {
    for (const replay of this.#idle(isReplay)) this.#role.own(this.#carryOut(replay))
    this.#isRequestedAgain = true
    if (!this.#isRequesting) this.#role.own(this.#requestAll().catch(unlessAborted(this.#signal)))
  }

  /** Carries out a few replays at once, regardless of how many are requested. */
  async #requestAll(): Promise<void> {
    this.#isRequesting = true
    try {
      while (this.#isRequestedAgain && this.#role.acts) {
        this.#isRequestedAgain = false
        const others = this.#idle((wanted) => !isReplay(wanted))
        await inParallel(others, REQUESTED_AT_ONCE, this.#signal, (each) => this.#carryOut(each))
      }
    } finally {
      this.#isRequesting = false
    }
  }

  /** Claims the wanted deliveries that are not being requested yet, for the caller. */
  #idle(isAsked: (wanted: Wanted) => boolean): [string, Wanted][] {
    const idle = this.#held.wanted.idle().filter(([, wanted]) => isAsked(wanted))
    for (const [, wanted] of idle) wanted.isBusy = true
    return idle
  }

  async #carryOut([name, wanted]: [string, Wanted]): Promise<void> {
    try {
      await this.#held.requests.carryOut(wanted.want, this.#signal)
      this.#held.wanted.remove(name, wanted)
    } catch (err) {
      if (this.#signal.aborted) return
      this.#ports.log.warn({ err }, 'a delivery could not be requested; trying again')
      wanted.isBusy = false
      this.#isTryingAgain = true
    }
  }

  #untilReached<T>(read: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
    return untilReached(this.#ports, 'webhooks and deliveries', read, signal)
  }

  async #everySecond(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#ports
    for (let seconds = 1; !signal.aborted; seconds++) {
      await clock.sleep(TICK_MS, signal).catch(() => {})
      if (this.#role.acts && this.#isTryingAgain) {
        this.#isTryingAgain = false
        this.#request()
      }
      if (this.#role.acts && seconds % EXPIRED_EVERY_SECONDS === 0) this.#role.own(this.#expire())
      const wantsNothing = this.#held.known.size === 0 && !this.#checksBalances
      if (seconds % NOTED_EVERY_SECONDS !== 0 || signal.aborted || wantsNothing) continue
      const noting = this.#role.acts ? this.#noteProgress() : this.#forgetRequested()
      await noting.catch((err: unknown) => log.warn({ err }, 'the note of the webhooks is out of reach; trying again'))
    }
  }

  /** Ends the webhooks of URLs that have no open delivery and that no job, batch or watch names any more. */
  async #expire(): Promise<void> {
    const { known, open } = this.#held
    const unnamed = known.unnamedSince(this.#ports.clock.now() - EXPIRES_AFTER_MS)
    const idle = unnamed.filter(({ id }) => open.countOf(id) === 0)
    if (idle.length === 0) return
    const used = await webhooksInUse(this.#ports).catch(() => undefined)
    // If the views or the store do not answer, the next turn repeats this.
    if (used === undefined) return
    const over = idle.filter(({ id }) => !used.has(id))
    await inParallel(over, REQUESTED_AT_ONCE, this.#signal, (held) => this.#attempts.expire(held)).catch(
      (err: unknown) => {
        if (!this.#signal.aborted) this.#ports.log.warn({ err }, 'a webhook could not be ended; trying again')
      },
    )
  }

  /**
   * Records the position at which to resume after a restart. If nothing can be wanted, a restart resumes at the views'
   * position.
   */
  async #noteProgress(): Promise<void> {
    const checkpoint = this.#held.wanted.checkpoint(this.#position)
    if (checkpoint === this.#noted) return
    const note: WebhooksNote = { checkpoint }
    await this.#ports.views.putNote(WEBHOOKS_NOTE, note)
    this.#noted = checkpoint
  }

  /** A standby need not remember what the owner has requested. */
  async #forgetRequested(): Promise<void> {
    const checkpoint = await loadCheckpoint(this.#ports.views)
    if (!this.#role.acts && checkpoint !== undefined) this.#held.wanted.dropUpTo(checkpoint)
  }
}

const isReplay = ({ want }: Wanted): boolean => want.type === 'replay'

const unlessAborted =
  (signal: AbortSignal) =>
  (error: unknown): void => {
    if (!signal.aborted) throw error
  }

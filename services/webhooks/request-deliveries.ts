import { endOf } from '#packages/accounts/ledger/known-ledger.ts'
import type { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import type { LowCredits } from '#packages/accounts/people/owner-mails.ts'
import { asIfRecorded } from '#packages/domain/credits/credits.ts'
import type { Ledger } from '#packages/domain/credits/ledger.ts'
import { aboutNothing, delivery } from '#packages/domain/webhook/delivery.ts'
import { lowBelow } from '#packages/domain/webhook/low-credits.ts'
import { handleAtRevision } from '#packages/events/store/handle-at-revision.ts'
import { handleCommand } from '#packages/events/store/handle-command.ts'
import type { OwnerPorts } from '#packages/events/store/owner-role.ts'
import { toAppend } from '#packages/events/store/to-append.ts'
import { unlessOutrun } from '#packages/events/store/unless-outrun.ts'
import { isForgotten } from '#packages/jobs/status/is-forgotten.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { deliveryIdOf, streams } from '#packages/ports/ids.ts'
import type { KnownWebhooks } from './known-webhooks.ts'
import type { OpenDeliveries } from './open-deliveries.ts'
import { replayed } from './replayed.ts'
import { jobEnd, type Subject, type Want } from './wanted.ts'

/** Notifies the owners of an organization, once until credits are added. */
export type NotifyLowCredits = (low: LowCredits) => Promise<void>

type Ports = Pick<OwnerPorts, 'store' | 'views' | 'clock' | 'ids'> & { ledgers: Ledgers }

/**
 * The most open deliveries of one webhook. Later ones are dropped at once, and its organization can request a replay.
 */
export const MAX_OPEN = 10_000

/** How long to retry repeating a delivery while it is being attempted, milliseconds. */
const GIVE_UP_AFTER_MS = 5000

/** How long a replay waits for the views to show the events before it, milliseconds. */
const SHOWN_WITHIN_MS = 10_000

/**
 * Appends DeliveryRequested for events of the feed. A repeat changes nothing, because the ids are derived from the
 * subject.
 */
export class DeliveryRequests {
  readonly #ports: Ports
  readonly #known: KnownWebhooks
  readonly #open: OpenDeliveries
  readonly #notifyLowCredits: NotifyLowCredits | undefined

  constructor(ports: Ports, known: KnownWebhooks, open: OpenDeliveries, notifyLowCredits?: NotifyLowCredits) {
    this.#ports = ports
    this.#notifyLowCredits = notifyLowCredits
    this.#known = known
    this.#open = open
  }

  /** @throws if the caller has to try again */
  async carryOut(want: Want, signal: AbortSignal): Promise<void> {
    switch (want.type) {
      case 'delivery':
        return this.#request(want.webhookId, want.subject, want.event)
      case 'own-end':
        return this.#tellOwn(want.event)
      case 'low-credits':
        return this.#tellOfLowCredits(want.event)
      case 'replay':
        return this.#replay(want.webhookId, want.event, signal)
    }
  }

  async #tellOwn(event: StoredEvent & { type: 'CreditsSettled' }): Promise<void> {
    const { jobId, reason } = event.data
    const [first] = await this.#ports.store.read(streams.job(jobId), { from: 0, to: 0 })
    const webhookId = first?.type === 'JobRequested' ? first.data.webhookId : null
    if (webhookId !== null) await this.#request(webhookId, jobEnd(jobId, reason === 'completed'), event)
  }

  async #tellOfLowCredits(event: StoredEvent): Promise<void> {
    const { orgId } = event.metadata
    const { ledgers, clock } = this.#ports
    // A new month changes the balance, and a later start may read old events again.
    const isLow = (ledger: Ledger): boolean =>
      [event.recordedAt, clock.now()].every((instant) => isLowIn(asIfRecorded(ledger, instant)))
    // The feed brings its events to the ledger in memory, so most balances need no read. A ledger that was being read
    // meanwhile may lack this event.
    const { ledger, revision } = await ledgers.known(orgId)
    if (endOf(revision) >= event.revision && !isLow(ledger)) return
    const current = await ledgers.current(orgId, event.recordedAt)
    if (!isLow(current)) return
    const { balance, fillings } = current
    // An organization is notified once for each grant of credits.
    const about = `low credits ${orgId} ${fillings}`
    const subject: Subject = { about, request: { type: 'credits.low', ...aboutNothing, balance } }
    for (const { id } of this.#known.wanting(event, 'credits.low')) await this.#request(id, subject, event)
    await this.#notifyLowCredits?.({ orgId, balance, fillings })
  }

  async #replay(
    webhookId: string,
    event: StoredEvent & { type: 'WebhookReplayAsked' },
    signal: AbortSignal,
  ): Promise<void> {
    const held = this.#known.get(webhookId)
    if (held === undefined) return
    const since = event.recordedAt - event.data.sinceSeconds * 1000
    await this.#ports.views.waitForApplied(event.position, SHOWN_WITHIN_MS)
    for await (const subject of replayed(this.#ports, held, since)) {
      await this.#roomFor(webhookId, signal)
      if (!this.#isOn(webhookId)) return
      const { jobId } = subject.request
      const deliveryId = deliveryIdOf(webhookId, subject.about)
      const [known] = await this.#ports.store.read(streams.delivery(deliveryId), { from: 0, to: 0 })
      if (known !== undefined) await this.#repeat(deliveryId, event)
      else if (jobId === null || (await this.#isTold(jobId))) await this.#request(webhookId, subject, event)
    }
  }

  /** True if webhooks are notified of a single job. For the jobs of a batch, only if the batch asks for it. */
  async #isTold(jobId: string): Promise<boolean> {
    const { store } = this.#ports
    const [first] = await store.read(streams.job(jobId), { from: 0, to: 0 })
    if (first?.type !== 'JobRequested' || first.data.batchId === null) return true
    const [asked] = await store.read(streams.batch(first.data.batchId), { from: 0, to: 0 })
    return asked?.type === 'BatchRequested' && asked.data.tellsItems
  }

  /** Waits while the maximum number is open, because replayed deliveries must not be dropped. */
  async #roomFor(webhookId: string, signal: AbortSignal): Promise<void> {
    while (this.#isOn(webhookId) && this.#open.countOf(webhookId) >= MAX_OPEN)
      await this.#ports.clock.sleep(1000, signal)
  }

  #isOn(webhookId: string): boolean {
    return this.#known.get(webhookId)?.state.status === 'on'
  }

  async #repeat(deliveryId: string, event: StoredEvent): Promise<void> {
    const giveUpAt = this.#ports.clock.now() + GIVE_UP_AFTER_MS
    const command = { type: 'repeat', request: event.id } as const
    const stream = streams.delivery(deliveryId)
    const repeat = handleCommand(this.#ports, delivery, { stream, command, metadata: causedBy(event), giveUpAt })
    await repeat.catch(unlessOutrun)
  }

  async #request(webhookId: string, { about, request }: Subject, event: StoredEvent): Promise<void> {
    if (request.jobId !== null && (await isForgotten(this.#ports.store, request.jobId))) return
    const { orgId } = event.metadata
    const deliveryId = deliveryIdOf(webhookId, about)
    const stream = streams.delivery(deliveryId)
    const metadata = { ...causedBy(event), correlationId: request.jobId ?? deliveryId }
    const isDropped = this.#open.countOf(webhookId) >= MAX_OPEN
    await handleAtRevision(this.#ports, delivery, {
      stream,
      command: { type: 'request', delivery: { orgId, webhookId, ...request }, isDropped },
      state: delivery.initialState,
      revision: 'no-stream',
      toAppend: (events) => toAppend(stream, events, metadata),
      giveUpAt: 0,
      // The delivery was requested before, or was deleted.
    }).catch(unlessOutrun)
  }
}

const isLowIn = ({ balance, plan }: Ledger): boolean => balance < lowBelow(plan)

const causedBy = ({ id, metadata }: StoredEvent) => ({ ...metadata, causationId: id })

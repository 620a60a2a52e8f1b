import { aboutNothing, type DeliveryRequest } from '#packages/domain/webhook/delivery.ts'
import type { WebhookEventName } from '#packages/domain/webhook/webhook.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { deliveryIdOf } from '#packages/ports/ids.ts'
import type { KnownWebhooks } from './known-webhooks.ts'

type EventOf<T extends StoredEvent['type']> = StoredEvent & { type: T }

/** What a delivery reports. `about`: its id is derived from that, so that a repeat finds it again. */
export type Subject = { about: string; request: DeliveryRequest & { type: WebhookEventName } }

/** Deliveries that an event asks for. `event`: the event that asks. */
export type Want =
  | { type: 'delivery'; webhookId: string; subject: Subject; event: StoredEvent }
  /** The end of a job that may name its own webhook. */
  | { type: 'own-end'; event: EventOf<'CreditsSettled'> }
  /** A change of the balance, which has to be checked. */
  | { type: 'low-credits'; event: StoredEvent }
  | { type: 'replay'; webhookId: string; event: EventOf<'WebhookReplayAsked'> }

/**
 * A wanted delivery. `after`: a position before its event, from which the feed can be read. `isBusy`: it is being
 * requested.
 */
export type Wanted = { want: Want; after: number; isBusy: boolean }

export const jobEnd = (jobId: string, isCompleted: boolean): Subject => ({
  about: jobId,
  request: { type: isCompleted ? 'job.completed' : 'job.failed', ...aboutNothing, jobId },
})

export const batchEnd = (batchId: string): Subject => ({
  about: batchId,
  request: { type: 'batch.ended', ...aboutNothing, batchId },
})

/** The new videos that a watch has found. */
export const foundBy = ({ id, stream, revision }: EventOf<'WatchLooked'>): Subject => ({
  about: id,
  request: { type: 'watch.found', ...aboutNothing, watch: { watchId: stream.slice('watch-'.length), revision } },
})

/**
 * The deliveries that the feed asks for and that are not requested yet, by name. Organizations without webhooks have
 * none, except checks of their balance.
 */
export class WantedDeliveries {
  readonly #byName = new Map<string, Wanted>()
  readonly #checksBalances: boolean

  /** @param checksBalances whether the balances of organizations without webhooks are checked too */
  constructor(checksBalances: boolean) {
    this.#checksBalances = checksBalances
  }

  /** The deliveries that are not being requested yet, by name. */
  idle(): [string, Wanted][] {
    return [...this.#byName].filter(([, { isBusy }]) => !isBusy)
  }

  /** Drops everything up to this position, because the owner has requested it. */
  dropUpTo(position: number): void {
    for (const [name, { want }] of this.#byName) if (want.event.position <= position) this.#byName.delete(name)
  }

  /**
   * The position from which the feed has everything that is wanted.
   * @param read the position up to which it was read
   */
  checkpoint(read: number): number {
    let checkpoint = read
    for (const { after } of this.#byName.values()) checkpoint = Math.min(checkpoint, after)
    return checkpoint
  }

  /** @param wanted is removed only if nothing newer has taken its name */
  remove(name: string, wanted = this.#byName.get(name)): void {
    if (this.#byName.get(name) === wanted) this.#byName.delete(name)
  }

  /** Reads one event of the feed. @param after the position of the previous batch */
  read(event: StoredEvent, known: KnownWebhooks, after: number): void {
    switch (event.type) {
      case 'CreditsSettled':
        this.#readEnd(event, known, after)
        this.#readBalance(event, known, after)
        return
      case 'CreditsDebited':
      // Too few may have been added. Without this, a later start that reads the last debit again would say so.
      case 'CreditsGranted':
        this.#readBalance(event, known, after)
        return
      case 'WatchLooked':
        this.#readFound(event, known, after)
        return
      case 'BatchEnded':
        this.#readBatch(event, known, after)
        return
      case 'WebhookReplayAsked': {
        const webhookId = event.stream.slice('webhook-'.length)
        this.#want(`replay ${event.id}`, { type: 'replay', webhookId, event }, after)
        return
      }
      case 'DeliveryRequested':
        this.#byName.delete(event.stream.slice('delivery-'.length))
        if (known.get(event.data.webhookId)?.state.kind === 'url') this.#byName.delete(`own ${event.data.jobId}`)
        return
    }
  }

  #readEnd(event: EventOf<'CreditsSettled'>, known: KnownWebhooks, after: number): void {
    const { jobId, batch, reason } = event.data
    if (batch?.isTold === false) return
    this.#wantFor(jobEnd(jobId, reason === 'completed'), { event, own: null }, known, after)
    if (known.on(event.metadata.orgId).some(({ state }) => state.kind === 'url'))
      this.#want(`own ${jobId}`, { type: 'own-end', event }, after)
  }

  #readFound(event: EventOf<'WatchLooked'>, known: KnownWebhooks, after: number): void {
    const { found, webhookId: own } = event.data
    if (found.length > 0) this.#wantFor(foundBy(event), { event, own }, known, after)
  }

  #readBatch(event: EventOf<'BatchEnded'>, known: KnownWebhooks, after: number): void {
    const { reason, webhookId: own } = event.data
    // The caller already got the refusal as the answer.
    if (reason === 'not_accepted') return
    this.#wantFor(batchEnd(event.stream.slice('batch-'.length)), { event, own }, known, after)
  }

  #readBalance(event: StoredEvent, known: KnownWebhooks, after: number): void {
    const name = `low ${event.metadata.orgId}`
    if (!this.#checksBalances && known.wanting(event, 'credits.low').length === 0) return
    this.#want(name, { type: 'low-credits', event }, this.#byName.get(name)?.after ?? after)
  }

  /** For the webhooks that want to be notified of the subject, and for the event's own webhook. */
  #wantFor(
    subject: Subject,
    { event, own }: { event: StoredEvent; own: string | null },
    known: KnownWebhooks,
    after: number,
  ): void {
    const webhookIds = new Set(known.wanting(event, subject.request.type).map(({ id }) => id))
    if (own !== null && known.get(own)?.state.status === 'on') webhookIds.add(own)
    for (const webhookId of webhookIds)
      this.#want(deliveryIdOf(webhookId, subject.about), { type: 'delivery', webhookId, subject, event }, after)
  }

  #want(name: string, want: Want, after: number): void {
    this.#byName.set(name, { want, after, isBusy: false })
  }
}

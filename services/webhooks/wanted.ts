import { type WebhookEventName, webhookEvents } from '#packages/domain/webhook/webhook.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { deliveryIdOf } from '#packages/ports/ids.ts'
import type { KnownWebhooks } from './known-webhooks.ts'

type EventOf<T extends StoredEvent['type']> = StoredEvent & { type: T }

/** Deliveries that an event asks for. `event`: the event that asks. */
export type Want =
  /** The end of a job, for one endpoint. */
  | { type: 'end'; deliveryId: string; webhookId: string; event: EventOf<'CreditsSettled'> }
  /** The end of a job that may name its own webhook. */
  | { type: 'own-end'; event: EventOf<'CreditsSettled'> }
  /** A change of the balance, which has to be checked. */
  | { type: 'low-credits'; event: StoredEvent }
  /** New videos that a watch has found. */
  | { type: 'found'; webhookId: string; event: EventOf<'WatchLooked'> }
  | { type: 'batch-end'; webhookId: string; event: EventOf<'BatchEnded'> }
  | { type: 'replay'; webhookId: string; event: EventOf<'WebhookReplayAsked'> }

/**
 * A wanted delivery. `after`: a position before its event, from which the feed can be read. `isBusy`: it is being
 * requested.
 */
export type Wanted = { want: Want; after: number; isBusy: boolean }

const [COMPLETED, FAILED, LOW, FOUND, BATCH] = webhookEvents

export const endTypeOf = ({ data }: EventOf<'CreditsSettled'>): typeof COMPLETED | typeof FAILED =>
  data.reason === 'completed' ? COMPLETED : FAILED

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

  get size(): number {
    return this.#byName.size
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
        this.#byName.set(`replay ${event.id}`, { want: { type: 'replay', webhookId, event }, after, isBusy: false })
        return
      }
      case 'DeliveryRequested':
        this.#byName.delete(event.stream.slice('delivery-'.length))
        if (known.get(event.data.webhookId)?.state.kind === 'url') this.#byName.delete(`own ${event.data.jobId}`)
        return
    }
  }

  #readEnd(event: EventOf<'CreditsSettled'>, known: KnownWebhooks, after: number): void {
    const { jobId, batch } = event.data
    if (batch?.isTold === false) return
    const { orgId } = event.metadata
    for (const { id: webhookId } of known.wanting(event, endTypeOf(event))) {
      const deliveryId = deliveryIdOf(webhookId, jobId)
      this.#byName.set(deliveryId, { want: { type: 'end', deliveryId, webhookId, event }, after, isBusy: false })
    }
    if (known.on(orgId).some(({ state }) => state.kind === 'url'))
      this.#byName.set(`own ${jobId}`, { want: { type: 'own-end', event }, after, isBusy: false })
  }

  #readFound(event: EventOf<'WatchLooked'>, known: KnownWebhooks, after: number): void {
    const { found, webhookId: own } = event.data
    if (found.length === 0) return
    for (const webhookId of toldOf(event, FOUND, own, known))
      this.#byName.set(deliveryIdOf(webhookId, event.id), {
        want: { type: 'found', webhookId, event },
        after,
        isBusy: false,
      })
  }

  #readBatch(event: EventOf<'BatchEnded'>, known: KnownWebhooks, after: number): void {
    // The caller already got the refusal as the answer.
    if (event.data.reason === 'not_accepted') return
    const batchId = event.stream.slice('batch-'.length)
    for (const webhookId of toldOf(event, BATCH, event.data.webhookId, known))
      this.#byName.set(deliveryIdOf(webhookId, batchId), {
        want: { type: 'batch-end', webhookId, event },
        after,
        isBusy: false,
      })
  }

  #readBalance(event: StoredEvent, known: KnownWebhooks, after: number): void {
    const { orgId } = event.metadata
    const name = `low ${orgId}`
    if (!this.#checksBalances && known.wanting(event, LOW).length === 0) return
    const before = this.#byName.get(name)?.after ?? after
    this.#byName.set(name, { want: { type: 'low-credits', event }, after: before, isBusy: false })
  }
}

/** The webhooks to notify of an event: those that want it, and the event's own webhook. */
function toldOf(event: StoredEvent, name: WebhookEventName, own: string | null, known: KnownWebhooks): Set<string> {
  const told = new Set(known.wanting(event, name).map(({ id }) => id))
  if (own !== null && known.get(own)?.state.status === 'on') told.add(own)
  return told
}

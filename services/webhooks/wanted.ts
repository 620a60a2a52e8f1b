import { webhookEvents } from '#packages/domain/webhook/webhook.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { deliveryIdOf } from '#packages/ports/ids.ts'
import type { KnownWebhooks } from './known-webhooks.ts'

type EventOf<T extends StoredEvent['type']> = StoredEvent & { type: T }

/** What an event asks for. `event`: the one that asks. */
export type Want =
  /** Endpoints are told of the end of a job. */
  | { type: 'end'; deliveryId: string; webhookId: string; event: EventOf<'CreditsSettled'> }
  /** The job may name a webhook of its own. */
  | { type: 'own-end'; event: EventOf<'CreditsSettled'> }
  /** The balance has to be looked at. */
  | { type: 'low-credits'; event: StoredEvent }
  | { type: 'replay'; webhookId: string; event: EventOf<'WebhookReplayAsked'> }

/** `after`: a position before its event, from which the feed can be read. `isBusy`: it is being requested. */
export type Wanted = { want: Want; after: number; isBusy: boolean }

const [COMPLETED, FAILED, LOW] = webhookEvents

export const endTypeOf = ({ data }: EventOf<'CreditsSettled'>): typeof COMPLETED | typeof FAILED =>
  data.reason === 'completed' ? COMPLETED : FAILED

/** What the feed asks to be requested and is not yet, by what it is. Organizations without webhooks have nothing here. */
export class WantedDeliveries {
  readonly #byName = new Map<string, Wanted>()

  get size(): number {
    return this.#byName.size
  }

  /** Those that are not being requested yet, by their names. */
  idle(): [string, Wanted][] {
    return [...this.#byName].filter(([, { isBusy }]) => !isBusy)
  }

  /** Everything up to this position was requested by the owner. */
  dropUpTo(position: number): void {
    for (const [name, { want }] of this.#byName) if (want.event.position <= position) this.#byName.delete(name)
  }

  /** The position from which the feed has everything that is wanted. @param read up to where it was read */
  checkpoint(read: number): number {
    let checkpoint = read
    for (const { after } of this.#byName.values()) checkpoint = Math.min(checkpoint, after)
    return checkpoint
  }

  /** @param wanted stays where something newer of that name has taken its place */
  remove(name: string, wanted = this.#byName.get(name)): void {
    if (this.#byName.get(name) === wanted) this.#byName.delete(name)
  }

  /** Reads one event of the feed. @param after the position of the batch before */
  read(event: StoredEvent, known: KnownWebhooks, after: number): void {
    switch (event.type) {
      case 'CreditsSettled':
        this.#readEnd(event, known, after)
        this.#readBalance(event, known, after)
        return
      case 'CreditsDebited':
        this.#readBalance(event, known, after)
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
    const { jobId } = event.data
    const { orgId } = event.metadata
    for (const { id: webhookId, createdPosition } of known.wanting(orgId, endTypeOf(event))) {
      if (createdPosition > event.position) continue
      const deliveryId = deliveryIdOf(webhookId, jobId)
      this.#byName.set(deliveryId, { want: { type: 'end', deliveryId, webhookId, event }, after, isBusy: false })
    }
    if (known.on(orgId).some(({ state }) => state.kind === 'url'))
      this.#byName.set(`own ${jobId}`, { want: { type: 'own-end', event }, after, isBusy: false })
  }

  #readBalance(event: StoredEvent, known: KnownWebhooks, after: number): void {
    const { orgId } = event.metadata
    const name = `low ${orgId}`
    if (known.wanting(orgId, LOW).length === 0) return
    const before = this.#byName.get(name)?.after ?? after
    this.#byName.set(name, { want: { type: 'low-credits', event }, after: before, isBusy: false })
  }
}

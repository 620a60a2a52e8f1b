import type { DeliveryEvent } from '#packages/domain/webhook/delivery.ts'
import { isKnown, type KnownWebhook, type WebhookEventName, webhook } from '#packages/domain/webhook/webhook.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import type { WebhookDocument } from '#packages/events/views/webhooks.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { Stored } from '#packages/ports/views.ts'

const PREFIX = 'webhook-'

/** A webhook that was not removed. Instants are milliseconds since 1970. */
export type HeldWebhook = {
  id: string
  state: KnownWebhook
  revision: number
  /** Position of its first event. It receives nothing from before. */
  createdPosition: number
  /** When it last accepted a delivery, else when it was created or switched on. */
  goodAt: number
}

/** The webhooks of all organizations, in memory: first from the view, then from the feed. */
export class KnownWebhooks {
  readonly #byId = new Map<string, HeldWebhook>()
  readonly #byOrganization = new Map<string, Set<HeldWebhook>>()

  constructor(documents: readonly Stored<WebhookDocument>[] = []) {
    for (const { id, revision, createdPosition, lastSuccessAt, ...fields } of documents) {
      const state = fields as KnownWebhook
      this.#put({ id, state, revision, createdPosition, goodAt: Math.max(state.onSince, lastSuccessAt ?? 0) })
    }
  }

  get size(): number {
    return this.#byId.size
  }

  get(id: string): HeldWebhook | undefined {
    return this.#byId.get(id)
  }

  /** @returns the webhooks that are switched on */
  on(orgId: string): HeldWebhook[] {
    return [...(this.#byOrganization.get(orgId) ?? [])].filter(({ state }) => state.status === 'on')
  }

  /**
   * @returns the organization's endpoints that want to be notified of this event, and existed before it: a later start
   *   knows newer ones too
   */
  wanting({ metadata: { orgId }, position }: StoredEvent, type: WebhookEventName): HeldWebhook[] {
    if (!this.#byOrganization.has(orgId)) return []
    return this.on(orgId).filter(
      ({ state, createdPosition }) =>
        state.kind === 'endpoint' && state.events.includes(type) && createdPosition < position,
    )
  }

  /** Applies an event of a webhook's own stream, unless it was applied before. */
  apply(event: StoredEvent): void {
    const id = event.stream.slice(PREFIX.length)
    const held = this.#byId.get(id)
    if (held !== undefined && event.revision <= held.revision) return
    const state = fold(webhook, [event], held?.state ?? webhook.initialState)
    if (!isKnown(state)) this.remove(id)
    else if (held === undefined)
      this.#put({ id, state, revision: event.revision, createdPosition: event.position, goodAt: state.onSince })
    else {
      Object.assign(held, { state, revision: event.revision })
      held.goodAt = Math.max(held.goodAt, state.onSince)
    }
  }

  /** @returns the webhooks of URLs that no job has named since an instant */
  unnamedSince(instant: number): HeldWebhook[] {
    return [...this.#byId.values()].filter(({ state }) => state.kind === 'url' && state.onSince < instant)
  }

  noteSuccess(event: StoredEvent & Extract<DeliveryEvent, { type: 'DeliveryEnded' }>): void {
    const held = this.#byId.get(event.data.webhookId)
    if (held !== undefined && event.data.outcome === 'delivered') held.goodAt = Math.max(held.goodAt, event.recordedAt)
  }

  remove(id: string): void {
    const held = this.#byId.get(id)
    if (held === undefined) return
    this.#byId.delete(id)
    const others = this.#byOrganization.get(held.state.orgId)
    others?.delete(held)
    if (others?.size === 0) this.#byOrganization.delete(held.state.orgId)
  }

  #put(held: HeldWebhook): void {
    const { orgId } = held.state
    this.#byId.set(held.id, held)
    this.#byOrganization.set(orgId, (this.#byOrganization.get(orgId) ?? new Set()).add(held))
  }
}

import { type Delivery, delivery, type KnownDelivery } from '#packages/domain/webhook/delivery.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import type { DeliveryDocument } from '#packages/events/views/deliveries.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { Stored } from '#packages/ports/views.ts'

const PREFIX = 'delivery-'

export const deliveryIdIn = (stream: string): string => stream.slice(PREFIX.length)

/** A delivery that has not ended. */
export type OpenDelivery = {
  id: string
  state: KnownDelivery
  revision: number
  /** Metadata for its events: the trace begins with the event that the message reports. */
  traceparent: string
  /** True while this process attempts it. */
  isBusy: boolean
  /** Our newest append that the feed has not brought yet. Until then nothing is attempted. */
  awaited?: number | undefined
}

/** The deliveries that have not ended, in memory: first from the view, then from the feed. */
export class OpenDeliveries {
  readonly #byId = new Map<string, OpenDelivery>()
  readonly #counts = new Map<string, number>()

  constructor(documents: readonly Stored<DeliveryDocument>[] = []) {
    for (const { id, revision, traceparent, isOpen: _, shownAttempts: __, ...state } of documents)
      this.#put({ id, state, revision, traceparent, isBusy: false })
  }

  get size(): number {
    return this.#byId.size
  }

  [Symbol.iterator](): IterableIterator<OpenDelivery> {
    return this.#byId.values()
  }

  get(id: string): OpenDelivery | undefined {
    return this.#byId.get(id)
  }

  /** The number of open deliveries of a webhook. */
  countOf(webhookId: string): number {
    return this.#counts.get(webhookId) ?? 0
  }

  /**
   * Applies an event of a delivery's own stream, unless it was applied before.
   * @returns the delivery if it is open; `unknown` if it was opened again and has to be read
   */
  apply(event: StoredEvent): OpenDelivery | 'unknown' | undefined {
    const id = deliveryIdIn(event.stream)
    const held = this.#byId.get(id)
    if (held === undefined && event.type === 'DeliveryRepeated') return 'unknown'
    if (held === undefined && event.type !== 'DeliveryRequested') return undefined
    if (held !== undefined && event.revision <= held.revision) return held
    return this.#take(id, fold(delivery, [event], held?.state ?? delivery.initialState), event)
  }

  /** Applies all events of a delivery, oldest first. @returns the delivery if it is open */
  load(events: readonly StoredEvent[]): OpenDelivery | undefined {
    const last = events.at(-1)
    if (last === undefined) return undefined
    const id = deliveryIdIn(last.stream)
    const held = this.#byId.get(id)
    if (held !== undefined && last.revision <= held.revision) return held
    return this.#take(id, fold(delivery, events), last)
  }

  remove(id: string): void {
    const held = this.#byId.get(id)
    if (held === undefined) return
    this.#byId.delete(id)
    const { webhookId } = held.state
    const count = this.countOf(webhookId) - 1
    if (count > 0) this.#counts.set(webhookId, count)
    else this.#counts.delete(webhookId)
  }

  #take(id: string, state: Delivery, { revision, metadata }: StoredEvent): OpenDelivery | undefined {
    if (state.status !== 'open') {
      this.remove(id)
      return undefined
    }
    const held = this.#byId.get(id)
    if (held === undefined) return this.#put({ id, state, revision, traceparent: metadata.traceparent, isBusy: false })
    return Object.assign(held, { state, revision })
  }

  #put(open: OpenDelivery): OpenDelivery {
    this.#byId.set(open.id, open)
    this.#counts.set(open.state.webhookId, this.countOf(open.state.webhookId) + 1)
    return open
  }
}

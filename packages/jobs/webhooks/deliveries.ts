import type { WebhookAttempt, WebhookDelivery } from '#contracts/generated/http.ts'
import type { EventMetadata } from '#contracts/generated/messages.ts'
import { aboutNothing, type DeliveryCommand, delivery } from '#packages/domain/webhook/delivery.ts'
import { webhook } from '#packages/domain/webhook/webhook.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import { handleAndShow } from '#packages/events/store/handle-and-show.ts'
import type { DeliveryDocument } from '#packages/events/views/deliveries.ts'
import { isJobId as isId } from '#packages/jobs/status/job-id.ts'
import { cursorOf, placeOf } from '#packages/jobs/status/page-cursor.ts'
import { type Clock, isoOf } from '#packages/ports/clock.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { type Ids, streams } from '#packages/ports/ids.ts'
import type { Stored, Views } from '#packages/ports/views.ts'
import { isOff, noSuchDelivery, noSuchWebhook } from './refusals.ts'

export type DeliveriesPorts = { store: EventStore; views: Views; clock: Clock; ids: Ids }

export const deliveryStatuses = ['open', 'delivered', 'failed', 'dropped'] as const

/** One delivery, for the organization of its webhook. Its id is the `webhook-id` of each attempt. */
export type OwnDelivery = WebhookDelivery

export type OwnAttempt = WebhookAttempt

export type DeliveriesQuestion = {
  /** Undefined: all. */
  status: OwnDelivery['status'] | undefined
  /** The `nextCursor` of the previous page. */
  cursor: string | undefined
  limit: number
}

/** Past, present and future deliveries to the webhooks of an organization. `metadata` names it, and the request. */
export class Deliveries {
  readonly #ports: DeliveriesPorts

  constructor(ports: DeliveriesPorts) {
    this.#ports = ports
  }

  /** One page, newest first. @throws ServiceError not_found, invalid_request (the cursor) */
  async list(
    orgId: string,
    webhookId: string,
    { status, cursor, limit }: DeliveriesQuestion,
  ): Promise<{ deliveries: OwnDelivery[]; nextCursor: string | null }> {
    await this.#webhook(orgId, webhookId)
    const where = { webhookId: [webhookId], status: status === undefined ? deliveryStatuses : [status] }
    const after = cursor === undefined ? undefined : placeOf(cursor)
    const question = { where, by: 'requestedAt', ...(after && { after }), limit: limit + 1 }
    const found = await this.#ports.views.page<DeliveryDocument>('deliveries', question)
    const page = found.slice(0, limit)
    const last = found.length > limit ? page.at(-1) : undefined
    const nextCursor = last === undefined ? null : cursorOf({ by: last.requestedAt, id: last.id })
    return { deliveries: page.map(ownDelivery), nextCursor }
  }

  /** Delivers a `ping` to a webhook. @returns the id of the delivery @throws ServiceError not_found, forbidden (it is off) */
  async ping(webhookId: string, metadata: EventMetadata): Promise<string> {
    const { orgId } = metadata
    if ((await this.#webhook(orgId, webhookId)) === 'off') throw isOff()
    const id = this.#ports.ids.uuid()
    const asked = { orgId, webhookId, type: 'ping' as const, ...aboutNothing }
    await this.#handle(id, { type: 'request', delivery: asked }, metadata)
    return id
  }

  /** Delivers again, under the same id. @throws ServiceError not_found, forbidden (the webhook is off) */
  async redeliver(webhookId: string, deliveryId: string, metadata: EventMetadata): Promise<void> {
    const { orgId, causationId } = metadata
    if ((await this.#webhook(orgId, webhookId)) === 'off') throw isOff()
    if (!isId(deliveryId)) throw noSuchDelivery()
    const known = fold(delivery, await this.#ports.store.read(streams.delivery(deliveryId)))
    if (known.status === 'none' || known.webhookId !== webhookId) throw noSuchDelivery()
    await this.#handle(deliveryId, { type: 'repeat', request: causationId }, metadata)
  }

  async #webhook(orgId: string, webhookId: string): Promise<'on' | 'off'> {
    if (!isId(webhookId)) throw noSuchWebhook()
    const known = fold(webhook, await this.#ports.store.read(streams.webhook(webhookId)))
    if (known.status === 'none' || known.status === 'removed' || known.orgId !== orgId) throw noSuchWebhook()
    return known.status
  }

  #handle(id: string, command: DeliveryCommand, metadata: EventMetadata): Promise<void> {
    return handleAndShow(this.#ports, delivery, { stream: streams.delivery(id), command, metadata }, 'the webhook')
  }
}

function ownDelivery({
  id,
  type,
  jobId,
  status,
  requestedAt,
  dueAt,
  shownAttempts,
}: Stored<DeliveryDocument>): OwnDelivery {
  return {
    id,
    type,
    jobId,
    status,
    createdAt: isoOf(requestedAt),
    nextAttemptAt: status === 'open' ? isoOf(dueAt) : null,
    attempts: shownAttempts.map(({ at, status, failure, milliseconds, answer }) => {
      return { at: isoOf(at), status, failure, milliseconds, answer }
    }),
  }
}

import { isKnown, type KnownWebhook, type Webhook, webhook } from '#packages/domain/webhook/webhook.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { goneWith, type Projection } from './projection.ts'

/** One webhook, without its URL and its secrets. Instants are milliseconds since 1970. */
export type WebhookDocument = Omit<KnownWebhook, 'status'> & {
  status: Exclude<Webhook['status'], 'none'>
  /** The organization with this webhook in its list; null once it is removed. */
  listedFor: string | null
  /** `yes` until the webhook is removed: only such webhooks receive deliveries. */
  isThere: 'yes' | 'no'
  /** The revision of its newest event, and the position of its first. */
  revision: number
  createdPosition: number
  /** When something was last delivered to it; null: never. */
  lastSuccessAt: number | null
  /** When a job last named it, or else when it was created. */
  usedAt: number
}

const isOfWebhook = ({ stream }: StoredEvent): boolean => stream.startsWith('webhook-')

/** The document after one more event of the webhook's own stream. */
function after(event: StoredEvent, current: WebhookDocument | undefined): WebhookDocument | undefined {
  const state = fold(webhook, [event], (current as Webhook | undefined) ?? webhook.initialState)
  if (state.status === 'none') return undefined
  const { revision } = event
  if (!isKnown(state)) return current && { ...current, status: 'removed', listedFor: null, isThere: 'no', revision }
  const { createdPosition = event.position, lastSuccessAt = null, usedAt = event.recordedAt } = current ?? {}
  return { ...state, listedFor: state.orgId, isThere: 'yes', revision, createdPosition, lastSuccessAt, usedAt }
}

export const webhooks: Projection<WebhookDocument> = {
  name: 'webhooks',
  prefixes: ['webhook-', 'delivery-', 'job-'],
  collection: {
    findBy: ['listedFor', 'orgId', 'isThere'],
    pages: [
      { where: ['listedFor', 'kind'], by: 'usedAt' },
      { where: ['listedFor', 'kind', 'host'], by: 'usedAt' },
    ],
  },
  changeOf(event) {
    if (isOfWebhook(event))
      return { id: event.stream.slice('webhook-'.length), next: (current) => after(event, current) }
    const noted = noteOf(event)
    if (noted === undefined) return undefined
    const { id, ...fields } = noted
    return { id, written: 'later', next: (current) => current && { ...current, ...fields } }
  },
  removedWith: goneWith('webhook-', (id) => ({ id })),
}

/** The change that an event of a job or a delivery makes to a webhook. Undefined if it makes none. */
function noteOf(event: StoredEvent): ({ id: string } & Partial<WebhookDocument>) | undefined {
  if (event.type === 'DeliveryEnded' && event.data.outcome === 'delivered')
    return { id: event.data.webhookId, lastSuccessAt: event.recordedAt }
  if (event.type === 'JobRequested' && event.data.webhookId !== null)
    return { id: event.data.webhookId, usedAt: event.recordedAt }
  return undefined
}

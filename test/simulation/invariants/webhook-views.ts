import type { StoredEvent } from '#packages/ports/event-store.ts'
import { type Fields, type Fold, set } from './folds.ts'

/** The expected view of webhooks, made without the service's projection. */
export function applyToWebhooks(fold: Fold, event: StoredEvent): void {
  const { type, data, stream, recordedAt, revision, position } = event
  if (type === 'DeliveryEnded' && data.outcome === 'delivered' && fold.has(data.webhookId))
    set(fold, data.webhookId, { lastSuccessAt: recordedAt })
  if (type === 'JobRequested' && data.webhookId !== null && fold.has(data.webhookId))
    set(fold, data.webhookId, { usedAt: recordedAt })
  if (!stream.startsWith('webhook-')) return
  const id = stream.slice('webhook-'.length)
  if (type === 'WebhookCreated')
    fold.set(id, {
      ...data,
      status: 'on',
      reason: null,
      createdAt: recordedAt,
      onSince: recordedAt,
      listedFor: data.orgId,
      isThere: 'yes',
      createdPosition: position,
      lastSuccessAt: null,
      usedAt: recordedAt,
    })
  const changes: Fields = {
    ...(type === 'WebhookSwitchedOff' && { status: 'off', reason: data.reason }),
    ...(type === 'WebhookRemoved' && { status: 'removed', listedFor: null, isThere: 'no' }),
  }
  fold.set(id, { ...fold.get(id), ...changes, revision })
}

/** The same for deliveries. */
export function applyToDeliveries(
  fold: Fold,
  { type, data, stream, recordedAt, revision, metadata }: StoredEvent,
): void {
  if (!stream.startsWith('delivery-')) return
  const id = stream.slice('delivery-'.length)
  const before = fold.get(id) ?? {}
  const changes: Fields = { revision }
  if (type === 'DeliveryRequested') {
    const nothingYet = { status: 'open', isOpen: 'yes', attempts: 0, shownAttempts: [], requests: [] }
    const { traceparent } = metadata
    Object.assign(changes, { ...data, ...nothingYet, traceparent, requestedAt: recordedAt, dueAt: recordedAt })
  }
  if (type === 'DeliveryAttempted') {
    const { nextInSeconds, ...attempt } = data
    const shownAttempts = [...(before.shownAttempts as Fields[]), { ...attempt, at: recordedAt }].slice(-10)
    const dueAt = recordedAt + (nextInSeconds ?? 0) * 1000
    Object.assign(changes, { attempts: attempt.attempt, shownAttempts, dueAt })
  }
  if (type === 'DeliveryEnded') Object.assign(changes, { status: data.outcome, isOpen: 'no' })
  fold.set(id, { ...before, ...changes })
}

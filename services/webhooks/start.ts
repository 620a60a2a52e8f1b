import type { Stored, Views } from '#packages/ports/views.ts'
import type { DeliveryDocument } from '#packages/views/deliveries.ts'
import type { WebhookDocument } from '#packages/views/webhooks.ts'
import { WEBHOOKS_NOTE, type WebhooksNote } from '#packages/views/webhooks-note.ts'

/** What is known at the start, and the position after which the feed is to be read. */
export type Start = {
  webhooks: Stored<WebhookDocument>[]
  deliveries: Stored<DeliveryDocument>[]
  after: number
}

/** Up to where an owner has requested everything; undefined where no note says so. */
export async function loadCheckpoint(views: Views): Promise<number | undefined> {
  return (await views.getNotes<WebhooksNote>([WEBHOOKS_NOTE])).get(WEBHOOKS_NOTE)?.checkpoint
}

/**
 * Reads webhooks and open deliveries from the views, which have every event up to their checkpoint, and maybe later ones:
 * from there on the feed has the rest. What is wanted and not requested yet is in the feed after the note's checkpoint;
 * where the note is lost, after the oldest webhook.
 */
export async function loadStart(views: Views): Promise<Start> {
  const seen = await views.checkpoint()
  const noted = await loadCheckpoint(views)
  const webhooks = await views.find<WebhookDocument>('webhooks', 'isThere', 'yes')
  const deliveries = await views.find<DeliveryDocument>('deliveries', 'isOpen', 'yes')
  // Nobody waits for anything.
  if (webhooks.length === 0) return { webhooks, deliveries, after: seen }
  let after = Math.min(seen, noted ?? seen)
  if (noted === undefined) for (const { createdPosition } of webhooks) after = Math.min(after, createdPosition)
  return { webhooks, deliveries, after }
}

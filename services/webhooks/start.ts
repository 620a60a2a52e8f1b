import type { BalanceDocument } from '#packages/events/views/balances.ts'
import type { DeliveryDocument } from '#packages/events/views/deliveries.ts'
import type { WatchDocument } from '#packages/events/views/watches.ts'
import type { WebhookDocument } from '#packages/events/views/webhooks.ts'
import { WEBHOOKS_NOTE, type WebhooksNote } from '#packages/events/views/webhooks-note.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import type { Stored, Views } from '#packages/ports/views.ts'

/** The webhooks and deliveries known at the start, and the position after which to read the feed. */
export type Start = {
  webhooks: Stored<WebhookDocument>[]
  deliveries: Stored<DeliveryDocument>[]
  after: number
}

/** The position up to which an owner has requested everything; undefined if there is no note. */
export async function loadCheckpoint(views: Views): Promise<number | undefined> {
  return (await views.getNotes<WebhooksNote>([WEBHOOKS_NOTE])).get(WEBHOOKS_NOTE)?.checkpoint
}

/**
 * Reads webhooks and open deliveries from the views. The views have every event up to their checkpoint, and maybe later
 * ones; the feed has the rest. The feed after the note's checkpoint has everything wanted that is not requested yet. If
 * the note is lost, reading starts after the oldest webhook.
 * @param checksBalances whether something is wanted without webhooks too
 */
export async function loadStart(views: Views, checksBalances: boolean): Promise<Start> {
  const seen = await views.checkpoint()
  const noted = await loadCheckpoint(views)
  const webhooks = await views.find<WebhookDocument>('webhooks', 'isThere', 'yes')
  const deliveries = await views.find<DeliveryDocument>('deliveries', 'isOpen', 'yes')
  // There are no webhooks, so nothing is wanted.
  if (webhooks.length === 0 && !checksBalances) return { webhooks, deliveries, after: seen }
  let after = Math.min(seen, noted ?? seen)
  if (noted === undefined) for (const { createdPosition } of webhooks) after = Math.min(after, createdPosition)
  return { webhooks, deliveries, after }
}

/** The webhooks that watches and running batches name. */
export async function webhooksInUse({ store, views }: { store: EventStore; views: Views }): Promise<Set<string>> {
  const watches = await views.find<WatchDocument>('watches', 'isThere', 'yes')
  const balances = await views.find<BalanceDocument>('balances', 'hasHolds', 'yes')
  const used = new Set(watches.flatMap(({ webhookId }) => webhookId ?? []))
  for (const batchId of balances.flatMap(({ holds }) => holds)) {
    const [first] = await store.read(streams.batch(batchId), { from: 0, to: 0 })
    if (first?.type === 'BatchRequested' && first.data.webhookId !== null) used.add(first.data.webhookId)
  }
  return used
}

import type { EventData } from '#contracts/generated/events.ts'
import { noOptions } from '../job/events.ts'
import type { AddedItem, BatchEvent } from './state.ts'

/** A request for a batch with made-up data: 10 credits for each of 3 items. */
export const batchRequested = (data: Partial<EventData['BatchRequested']> = {}): EventData['BatchRequested'] => ({
  orgId: 'org-1',
  request: { kind: 'extraction', mode: null, lang: null, prompt: 'What is said?', schema: null, options: noOptions },
  source: null,
  since: null,
  limit: 3,
  held: 30,
  price: 10,
  keyId: 'k1',
  surface: 'api',
  webhookId: null,
  tellsItems: false,
  skippedLines: 0,
  requestHash: 'a'.repeat(64),
  idempotencyKeyHash: null,
  ...data,
})

export const itemsOf = (count: number, platform: AddedItem['platform'] = 'direct'): AddedItem[] =>
  Array.from({ length: count }, (_, n) => ({ url: `https://videos.example.com/${n}.mp4`, platform, lines: [n + 1] }))

export const added = (items: readonly AddedItem[], { from = 0, isLast = true } = {}): BatchEvent => ({
  type: 'BatchItemsAdded',
  data: { from, items: [...items], isLast, next: null },
})

/** A complete batch of 3 items. */
export const accepted: readonly BatchEvent[] = [{ type: 'BatchRequested', data: batchRequested() }, added(itemsOf(3))]

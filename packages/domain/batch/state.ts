import type { EventData } from '#contracts/generated/events.ts'
import type { Recorded } from '#packages/event-sourcing/decider.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import { type Pauses, pauseAfter } from './again.ts'

export type BatchEvent = DomainEvent<
  'BatchRequested' | 'BatchItemsAdded' | 'BatchItemsBegun' | 'BatchItemsEnded' | 'BatchCancelled' | 'BatchEnded'
>

/** A video of a batch, and the lines of the request that name it. */
export type AddedItem = EventData['BatchItemsAdded']['items'][number]

/** `queued`: the item has not begun, or begins again. `cancelled`: it never will. */
export const itemStates = ['queued', 'working', 'completed', 'failed', 'cancelled'] as const

export type ItemState = (typeof itemStates)[number]

/** One item. Instants are milliseconds since 1970. */
export type BatchItem = AddedItem & {
  state: ItemState
  /** The number of its newest job, from 1 on; 0: it has had none. */
  attempt: number
  /** When it first began; null: it has not. */
  begunAt: number | null
  /** While it is queued: it does not begin before this instant. */
  dueAt: number
  /** Why its last job failed, or why it ended without a job; null: neither. */
  code: string | null
  /** Credits. */
  charged: number
}

export type CancelReason = EventData['BatchCancelled']['reason']

/** A requested batch, folded from its stream. Instants are milliseconds since 1970. */
export type KnownBatch = EventData['BatchRequested'] & {
  status: 'running' | 'ended'
  requestedAt: number
  endedAt: number | null
  items: readonly BatchItem[]
  /** Whether all its items are known. */
  isComplete: boolean
  /** The place at which to continue reading its source. Null: at the beginning, or there is no source. */
  next: string | null
  /** Why no more items begin. Null: the batch is not cancelled. */
  cancelled: CancelReason | null
  /** How it ended; null: it has not ended. */
  reason: EventData['BatchEnded']['reason'] | null
  /** Credits charged for its ended items. */
  charged: number
  /** Platforms that refuse to answer. */
  pauses: Pauses
}

/** `refused`: its credits were held, but it was not requested in time. */
export type Batch = { status: 'none' } | { status: 'refused' } | KnownBatch

export const isKnown = (batch: Batch): batch is KnownBatch => batch.status === 'running' || batch.status === 'ended'

/** The batch after one more event. A late or repeated event changes nothing. */
export function evolve(batch: Batch, event: Recorded<BatchEvent>): Batch {
  if (batch.status === 'none') return begun(event)
  if (batch.status !== 'running') return batch
  switch (event.type) {
    case 'BatchRequested':
      return batch
    case 'BatchItemsAdded':
      return added(batch, event.data)
    case 'BatchItemsBegun':
      return changed(batch, event.data.items, (item, { attempt }) => ({
        ...item,
        state: 'working',
        attempt,
        begunAt: item.begunAt ?? event.recordedAt,
      }))
    case 'BatchItemsEnded':
      return ended(batch, event)
    case 'BatchCancelled':
      return { ...batch, cancelled: event.data.reason, items: batch.items.map(cancelledIfQueued) }
    case 'BatchEnded':
      return { ...batch, status: 'ended', reason: event.data.reason, endedAt: event.recordedAt }
  }
}

function begun(event: Recorded<BatchEvent>): Batch {
  if (event.type === 'BatchEnded') return { status: 'refused' }
  if (event.type !== 'BatchRequested') return { status: 'none' }
  return {
    ...event.data,
    status: 'running',
    requestedAt: event.recordedAt,
    endedAt: null,
    items: [],
    isComplete: false,
    next: null,
    cancelled: null,
    reason: null,
    charged: 0,
    pauses: new Map(),
  }
}

function added(batch: KnownBatch, { from, items, isLast, next }: EventData['BatchItemsAdded']): KnownBatch {
  if (from !== batch.items.length) return batch
  const state = batch.cancelled === null ? 'queued' : 'cancelled'
  const more = items.map(
    (item): BatchItem => ({ ...item, state, attempt: 0, begunAt: null, dueAt: 0, code: null, charged: 0 }),
  )
  return { ...batch, items: [...batch.items, ...more], isComplete: isLast, next }
}

/** The batch with some of its items changed. */
function changed<Change extends { item: number }>(
  batch: KnownBatch,
  changes: readonly Change[],
  change: (item: BatchItem, change: Change) => BatchItem,
): KnownBatch {
  const items = [...batch.items]
  for (const each of changes) {
    const item = items[each.item]
    if (item !== undefined) items[each.item] = change(item, each)
  }
  return { ...batch, items }
}

function ended(batch: KnownBatch, { data, recordedAt }: Recorded<DomainEvent<'BatchItemsEnded'>>): KnownBatch {
  let { charged, pauses } = batch
  for (const end of data.items) {
    charged += end.charged
    pauses = pauseAfter(pauses, { platform: batch.items[end.item]?.platform, code: end.code, at: recordedAt })
  }
  const after = changed(batch, data.items, (item, { code, charged, again }) => {
    if (again !== null) return { ...item, state: 'queued', dueAt: recordedAt + again * 1000, code }
    return { ...item, state: stateAt(code), code, charged }
  })
  return { ...after, charged, pauses }
}

const stateAt = (code: string | null): ItemState => {
  if (code === null) return 'completed'
  return code === 'cancelled' ? 'cancelled' : 'failed'
}

const cancelledIfQueued = (item: BatchItem): BatchItem =>
  item.state === 'queued' ? { ...item, state: 'cancelled' } : item

/** How many items of a batch are in each state. */
export function countsOf({ items }: Pick<KnownBatch, 'items'>): Record<ItemState, number> {
  const counts = { queued: 0, working: 0, completed: 0, failed: 0, cancelled: 0 }
  for (const { state } of items) counts[state] += 1
  return counts
}

import type { EventData } from '#contracts/generated/events.ts'
import { AGAIN_FOR_MS, againInSeconds, type Platform } from './again.ts'
import { type BatchEvent, type BatchItem, countsOf, evolve, type KnownBatch } from './state.ts'

/** The end of an item's job. `code`: why it failed; null: it completed. `charged`: credits. */
export type ItemEnd = { item: number; attempt: number; code: string | null; charged: number }

/** The owner's knowledge when it lets a batch proceed. */
export type Proceeding = {
  /** Milliseconds since 1970. */
  now: number
  /** Jobs that have ended. */
  ends: readonly ItemEnd[]
  /** How many items may begin now. */
  room: number
  /** Platforms at their pace limit. */
  waits: ReadonlySet<Platform>
}

type Ended = EventData['BatchItemsEnded']['items'][number]

/** A request that is still incomplete after this time was cut off, milliseconds. */
const INCOMPLETE_FOR_MS = 60_000

/** Collects events, and the batch after them. */
class Draft {
  batch: KnownBatch
  readonly events: BatchEvent[] = []
  readonly #now: number

  constructor(batch: KnownBatch, now: number) {
    this.batch = batch
    this.#now = now
  }

  add(event: BatchEvent): void {
    this.events.push(event)
    this.batch = evolve(this.batch, { ...event, recordedAt: this.#now }) as KnownBatch
  }

  end(items: Ended[]): void {
    if (items.length > 0) this.add({ type: 'BatchItemsEnded', data: { items } })
  }
}

/** The next events: items that end, items that begin, or the end of the whole batch. */
export function proceed(before: KnownBatch, proceeding: Proceeding): BatchEvent[] {
  const { now, ends } = proceeding
  const draft = new Draft(before, now)
  draft.end(ends.flatMap((end) => endedBy(before, end, now)))
  draft.end(expired(draft.batch, now))
  const items = dueIn(draft.batch, proceeding)
  if (items.length > 0) draft.add({ type: 'BatchItemsBegun', data: { items } })
  draft.end(uncovered(draft.batch))
  const reason = endOf(draft.batch, now)
  if (reason !== undefined) draft.add({ type: 'BatchEnded', data: sumOf(draft.batch, reason) })
  return draft.events
}

/** An end counts once: only if the item is at work, and waits for this job. */
function endedBy({ items, cancelled }: KnownBatch, { item, attempt, code, charged }: ItemEnd, now: number): Ended[] {
  const known = items[item]
  if (known?.state !== 'working' || known.attempt !== attempt) return []
  const again = cancelled === null ? againInSeconds({ code, attempt }, now - (known.begunAt ?? now)) : null
  return [{ item, attempt, code, charged, again }]
}

/** Items that wait to begin again, but have run out of time. */
function expired({ items }: KnownBatch, now: number): Ended[] {
  return items.flatMap(({ state, attempt, begunAt, code }, item) => {
    const isLate = state === 'queued' && begunAt !== null && now - begunAt >= AGAIN_FOR_MS
    return isLate ? [{ item, attempt, code, charged: 0, again: null }] : []
  })
}

const atWork = ({ items }: KnownBatch): number => items.reduce((sum, { state }) => sum + Number(state === 'working'), 0)

/** Credits of the hold that remain after ended items and items at work. */
const leftOf = (batch: KnownBatch): number => batch.held - batch.charged - atWork(batch) * batch.price

/** Whether items may begin. The items that a request lists begin once all of them are stored. */
const mayBegin = ({ isComplete, source, cancelled }: KnownBatch): boolean =>
  cancelled === null && (isComplete || source !== null)

/** The items that begin now, in order. */
function dueIn(batch: KnownBatch, { now, room, waits }: Proceeding): { item: number; attempt: number }[] {
  const due: { item: number; attempt: number }[] = []
  const most = Math.min(room, Math.floor(leftOf(batch) / batch.price))
  if (most <= 0 || !mayBegin(batch)) return due
  const isPaused = ({ platform }: BatchItem): boolean =>
    waits.has(platform) || now < (batch.pauses.get(platform)?.until ?? 0)
  for (const [item, each] of batch.items.entries()) {
    if (due.length >= most) break
    if (each.state === 'queued' && each.dueAt <= now && !isPaused(each)) due.push({ item, attempt: each.attempt + 1 })
  }
  return due
}

/** Items that the remaining hold cannot pay for, once no job at work can refund any of it. */
function uncovered(batch: KnownBatch): Ended[] {
  if (!mayBegin(batch) || atWork(batch) > 0 || leftOf(batch) >= batch.price) return []
  return batch.items.flatMap(({ state, attempt }, item) =>
    state === 'queued' ? [{ item, attempt, code: 'insufficient_credits', charged: 0, again: null }] : [],
  )
}

function endOf(batch: KnownBatch, now: number): EventData['BatchEnded']['reason'] | undefined {
  const { queued, working } = countsOf(batch)
  if (working > 0) return undefined
  if (batch.cancelled !== null) return batch.cancelled === 'asked' ? 'cancelled' : batch.cancelled
  if (batch.isComplete) return queued === 0 ? 'completed' : undefined
  const wasCutOff = batch.source === null && now - batch.requestedAt >= INCOMPLETE_FOR_MS
  return wasCutOff ? 'not_accepted' : undefined
}

function sumOf(batch: KnownBatch, reason: EventData['BatchEnded']['reason']): EventData['BatchEnded'] {
  const { completed, failed, cancelled, queued } = countsOf(batch)
  const { charged, held, webhookId } = batch
  const credits = { charged, returned: held - charged }
  return { reason, completed, failed, cancelled: cancelled + queued, ...credits, webhookId }
}

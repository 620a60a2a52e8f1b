import { type BatchItem, countsOf, type ItemState, type KnownBatch } from '#packages/domain/batch/state.ts'
import type { BatchDocument } from '#packages/events/views/batches.ts'
import { sharedRequestOf } from '#packages/jobs/acceptance/request-without-url.ts'
import type { Source } from '#packages/platforms/sources/source.ts'
import { isoOf } from '#packages/ports/clock.ts'
import { itemJobIdOf } from '#packages/ports/ids.ts'
import type { Stored } from '#packages/ports/views.ts'

/** One batch in a list, for its organization. Times are ISO 8601. */
export type ListedBatch = {
  batchId: string
  operation: BatchDocument['kind']
  status: BatchDocument['status']
  /** How it ended. Null: it has not ended. */
  reason: BatchDocument['reason']
  /** How many items there are, and how many have completed and failed. */
  items: number
  completed: number
  failed: number
  credits: { held: number; charged: number }
  createdAt: string
  endedAt: string | null
}

/** One batch with everything except its items. */
export type OwnBatch = Omit<ListedBatch, 'completed' | 'failed' | 'credits'> & {
  /** The options for each item. */
  options: Record<string, unknown>
  /** The source that lists its items. Null: the request named them. */
  source: Source | null
  /** Older videos are left out. Null: none are. */
  since: string | null
  /** The most items that it may have. */
  limit: number
  /** Whether all its items are known. Those of a source are read while it runs. */
  complete: boolean
  /** Whether it was cancelled, so that no more items begin. */
  cancelled: boolean
  /** Invalid lines that were left out. */
  skippedLines: number
  /** Whether webhooks are notified of the end of each of its jobs. */
  itemWebhooks: boolean
  counts: Record<ItemState, number>
  credits: { held: number; charged: number; returned: number }
  createdBy: string | null
  /** When it will probably end. Null: it has ended, or that is unknown. */
  expectedEndAt: string | null
}

/** One item, for its organization. */
export type OwnItem = {
  /** Its number, from 0 on. */
  item: number
  url: string
  /** Lines of the request that name it. */
  lines: number[]
  state: ItemState
  /** Its newest job. Null: it has none, or another job will begin. */
  jobId: string | null
  /** Why its last job failed, or why it ended without one. Null: neither happened. */
  code: string | null
  charged: number
}

const isoOrNull = (instant: number | null): string | null => (instant === null ? null : isoOf(instant))

export function listedBatch({
  id,
  kind,
  held,
  charged,
  requestedAt,
  endedAt,
  ...rest
}: Stored<BatchDocument>): ListedBatch {
  const { status, reason, items, completed, failed } = rest
  const shown = { batchId: id, operation: kind, status, reason, items, completed, failed }
  return { ...shown, credits: { held, charged }, createdAt: isoOf(requestedAt), endedAt: isoOrNull(endedAt) }
}

/** @param expectedEndAt milliseconds since 1970 */
export function ownBatch(batchId: string, batch: KnownBatch, expectedEndAt: number | null): OwnBatch {
  const { status, reason, held, charged } = batch
  return {
    batchId,
    ...sharedRequestOf(batch.request),
    source: batch.source as Source | null,
    since: isoOrNull(batch.since),
    limit: batch.limit,
    status,
    reason,
    complete: batch.isComplete,
    cancelled: batch.cancelled !== null,
    items: batch.items.length,
    skippedLines: batch.skippedLines,
    itemWebhooks: batch.tellsItems,
    counts: countsOf(batch),
    credits: { held, charged, returned: status === 'ended' ? held - charged : 0 },
    createdAt: isoOf(batch.requestedAt),
    createdBy: batch.keyId,
    endedAt: isoOrNull(batch.endedAt),
    expectedEndAt: isoOrNull(expectedEndAt),
  }
}

export function ownItem(batchId: string, each: BatchItem, item: number): OwnItem {
  const { url, lines, state, attempt, code, charged } = each
  const hasJob = attempt > 0 && state !== 'queued'
  return { item, url, lines, state, jobId: hasJob ? itemJobIdOf(batchId, { item, attempt }) : null, code, charged }
}

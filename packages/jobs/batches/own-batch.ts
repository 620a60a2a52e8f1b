import type { Batch, BatchDetails, BatchItem } from '#contracts/generated/http.ts'
import { countsOf, type BatchItem as Item, type KnownBatch } from '#packages/domain/batch/state.ts'
import type { BatchDocument } from '#packages/events/views/batches.ts'
import { sharedRequestOf } from '#packages/jobs/acceptance/request-without-url.ts'
import type { Source } from '#packages/platforms/sources/source.ts'
import { isoOf } from '#packages/ports/clock.ts'
import { itemJobIdOf } from '#packages/ports/ids.ts'
import type { Stored } from '#packages/ports/views.ts'

/** One batch in a list, for its organization. */
export type ListedBatch = Batch

/** One batch with everything except its items. `source`: null if the request named its items. */
export type OwnBatch = Omit<BatchDetails, 'source'> & { source: Source | null }

/** One item, for its organization. `jobId`: of its newest job; null also if another job will begin. */
export type OwnItem = BatchItem

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

export function ownItem(batchId: string, each: Item, item: number): OwnItem {
  const { url, lines, state, attempt, code, charged } = each
  const hasJob = attempt > 0 && state !== 'queued'
  return { item, url, lines, state, jobId: hasJob ? itemJobIdOf(batchId, { item, attempt }) : null, code, charged }
}

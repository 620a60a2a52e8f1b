import type { WebhookEventName } from '#packages/domain/webhook/webhook.ts'
import type { OwnerPorts } from '#packages/events/store/owner-role.ts'
import type { BatchDocument } from '#packages/events/views/batches.ts'
import type { WatchDocument } from '#packages/events/views/watches.ts'
import { anyJob, listJobs } from '#packages/jobs/status/list-jobs.ts'
import { streams } from '#packages/ports/ids.ts'
import type { PageQuestion, Stored, Views } from '#packages/ports/views.ts'
import type { HeldWebhook } from './known-webhooks.ts'
import { batchEnd, foundBy, jobEnd, type Subject } from './wanted.ts'

type Ports = Pick<OwnerPorts, 'store' | 'views'>

/** A replay includes jobs accepted up to this long before its start: all have ended by then, milliseconds. */
const LONGEST_JOB_MS = 60 * 60 * 1000

/**
 * A replay includes batches that were accepted up to this long before its start, milliseconds. The items that a
 * platform refuses are retried for a day.
 */
const LONGEST_BATCH_MS = 7 * 24 * 60 * 60 * 1000

const BATCHES_PER_PAGE = 100

/** The events for an endpoint since an instant, milliseconds since 1970: ends of jobs and batches, new videos. */
export async function* replayed(
  { store, views }: Ports,
  { state: { orgId, events } }: HeldWebhook,
  since: number,
): AsyncIterable<Subject> {
  const wants = (type: WebhookEventName): boolean => events.includes(type)
  for await (const each of endsOfJobs(views, orgId, since)) if (wants(each.request.type)) yield each
  if (wants('batch.ended')) yield* endsOfBatches(views, orgId, since)
  if (wants('watch.found')) yield* foundByWatches({ store, views }, orgId, since)
}

async function* endsOfJobs(views: Views, orgId: string, since: number): AsyncIterable<Subject> {
  let cursor: string | undefined
  do {
    const page = await listJobs(views, orgId, { ...anyJob, createdAfter: since - LONGEST_JOB_MS, cursor })
    for (const { jobId, status, endedAt } of page.jobs) {
      if (status === 'queued' || Date.parse(endedAt ?? '') < since) continue
      yield jobEnd(jobId, status === 'completed')
    }
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
}

async function* endsOfBatches(views: Views, orgId: string, since: number): AsyncIterable<Subject> {
  const where = { orgId: [orgId] }
  let question: PageQuestion | undefined = { where, by: 'requestedAt', limit: BATCHES_PER_PAGE }
  while (question !== undefined) {
    const page: Stored<BatchDocument>[] = await views.page<BatchDocument>('batches', question)
    for (const { id, endedAt } of page) if (endedAt !== null && endedAt >= since) yield batchEnd(id)
    const last: Stored<BatchDocument> | undefined = page.length === BATCHES_PER_PAGE ? page.at(-1) : undefined
    const goesOn: boolean = last !== undefined && last.requestedAt >= since - LONGEST_BATCH_MS
    question = last && goesOn ? { ...question, after: { by: last.requestedAt, id: last.id } } : undefined
  }
}

async function* foundByWatches({ store, views }: Ports, orgId: string, since: number): AsyncIterable<Subject> {
  for (const { id } of await views.find<WatchDocument>('watches', 'listedFor', orgId)) {
    for await (const event of store.readBackwards(streams.watch(id))) {
      if (event.recordedAt < since) break
      if (event.type === 'WatchLooked' && event.data.found.length > 0) yield foundBy(event)
    }
  }
}

import { batch } from '#packages/domain/batch/batch.ts'
import { isKnown as isKnownBatch } from '#packages/domain/batch/state.ts'
import { isKnown } from '#packages/domain/watch/state.ts'
import { watch } from '#packages/domain/watch/watch.ts'
import type { KnownDelivery } from '#packages/domain/webhook/delivery.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import { foldJobDocument, type JobDocument } from '#packages/events/views/jobs.ts'
import { isoOf } from '#packages/ports/clock.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'

export type MessageOptions = {
  /** Whether a small result is in the body itself. */
  withResult: boolean
  /** The service's address, before the paths of links. Empty if unknown. */
  linkBase: string
}

/** The most bytes of a result in a body. A body has fewer than 20,000 bytes (Standard Webhooks). */
const MAX_RESULT_BYTES = 16_000

const paths = { transcript: '/v1/transcript', extraction: '/v1/extract' } as const

/** The body of a delivery, the same on every attempt. @returns undefined if its subject was deleted */
export async function messageOf(
  store: EventStore,
  delivery: KnownDelivery,
  options: MessageOptions,
): Promise<string | undefined> {
  const { type, webhookId, jobId, batchId, balance, watch: looked, requestedAt } = delivery
  if (type === 'ping') return bodyOf(type, requestedAt, { webhookId })
  if (looked !== null) return foundIn(store, looked, options)
  if (batchId !== null) return endOfBatch(store, batchId, options)
  if (jobId === null) return bodyOf(type, requestedAt, { creditsLeft: balance })
  const job = foldJobDocument(await store.read(streams.job(jobId)))
  return job && bodyOf(type, job.endedAt ?? requestedAt, dataOf(jobId, job, options))
}

const bodyOf = (type: KnownDelivery['type'], at: number, data: object): string =>
  JSON.stringify({ type, timestamp: isoOf(at), data })

/** Most videos in a message. The rest is read from the watch. */
const MOST_FOUND = 20

async function foundIn(
  store: EventStore,
  { watchId, revision }: NonNullable<KnownDelivery['watch']>,
  { linkBase }: MessageOptions,
): Promise<string | undefined> {
  const state = fold(watch, await store.read(streams.watch(watchId), { from: 0, to: revision }))
  if (!isKnown(state) || state.lookedAt === null) return undefined
  const { newest, found, lookedAt } = state
  const last = found.filter(({ foundAt }) => foundAt === lookedAt)
  const before = newest - last.length
  const videos = last.slice(0, MOST_FOUND).map(({ number, id, url, title, publishedAt }) => ({
    number,
    id,
    url,
    title: title?.slice(0, 200) ?? null,
    publishedAt: publishedAt === null ? null : isoOf(publishedAt),
  }))
  const links = { found: `${linkBase}/v1/watches/${watchId}/found?after=${before}` }
  return bodyOf('watch.found', lookedAt, { watchId, count: last.length, found: videos, links })
}

async function endOfBatch(
  store: EventStore,
  batchId: string,
  { linkBase }: MessageOptions,
): Promise<string | undefined> {
  const events = await store.read(streams.batch(batchId))
  const state = fold(batch, events)
  const end = events.at(-1)
  if (!isKnownBatch(state) || end?.type !== 'BatchEnded') return undefined
  const { reason, completed, failed, cancelled, charged, returned } = end.data
  const path = `${linkBase}/v1/batches/${batchId}`
  return bodyOf('batch.ended', end.recordedAt, {
    batchId,
    operation: state.request.kind,
    ...{ reason, completed, failed, cancelled },
    creditsCharged: charged,
    creditsReturned: returned,
    links: { batch: path, results: `${path}/results` },
  })
}

function dataOf(jobId: string, job: JobDocument, { withResult, linkBase }: MessageOptions) {
  const { kind, status, url = null, error, result, charged } = job
  const ended = { jobId, kind, status, url, error, creditsCharged: charged }
  const links = { result: `${linkBase}${paths[kind]}/${jobId}`, job: `${linkBase}/v1/jobs/${jobId}` }
  const isShown = withResult && status === 'completed' && result !== null && isSmall(result)
  return { ...ended, links, ...(isShown && { result: JSON.parse(result) }) }
}

const isSmall = (result: string): boolean => Buffer.byteLength(result) <= MAX_RESULT_BYTES

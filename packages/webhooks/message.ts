import type { KnownDelivery } from '#packages/domain/webhook/delivery.ts'
import { isoOf } from '#packages/ports/clock.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { foldJobDocument, type JobDocument } from '#packages/views/jobs.ts'

export type MessageOptions = {
  /** Whether a small result is in the body itself. */
  withResult: boolean
  /** Before the paths of links: where the service is reached; empty where nobody knows. */
  linkBase: string
}

/** A body has fewer than 20,000 bytes (Standard Webhooks): a result has room up to here. */
const MAX_RESULT_BYTES = 16_000

const paths = { transcript: '/v1/transcript', extraction: '/v1/extract' } as const

/**
 * The body of a delivery: what happened, ids and links. The same on every attempt.
 * @returns undefined where what it is about was deleted
 */
export async function messageOf(
  store: EventStore,
  delivery: KnownDelivery,
  options: MessageOptions,
): Promise<string | undefined> {
  const { type, webhookId, jobId, balance, requestedAt } = delivery
  if (type === 'ping') return bodyOf(type, requestedAt, { webhookId })
  if (jobId === null) return bodyOf(type, requestedAt, { creditsLeft: balance })
  const job = foldJobDocument(await store.read(streams.job(jobId)))
  return job && bodyOf(type, job.endedAt ?? requestedAt, dataOf(jobId, job, options))
}

const bodyOf = (type: KnownDelivery['type'], at: number, data: object): string =>
  JSON.stringify({ type, timestamp: isoOf(at), data })

function dataOf(jobId: string, job: JobDocument, { withResult, linkBase }: MessageOptions) {
  const { kind, status, url = null, error, result, charged } = job
  const ended = { jobId, kind, status, url, error, creditsCharged: charged }
  const links = { result: `${linkBase}${paths[kind]}/${jobId}`, job: `${linkBase}/v1/jobs/${jobId}` }
  const isShown = withResult && status === 'completed' && result !== null && isSmall(result)
  return { ...ended, links, ...(isShown && { result: JSON.parse(result) }) }
}

const isSmall = (result: string): boolean => Buffer.byteLength(result) <= MAX_RESULT_BYTES

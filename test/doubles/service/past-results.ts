import { randomUUID } from 'node:crypto'
import { debit } from '#packages/domain/credits/credits.fixture.ts'
import { type JobKind, noOptions } from '#packages/domain/job/events.ts'
import { pricesOf } from '#packages/domain/job/price.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import type { NewEvent } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'
import type { BackDoor } from './back-door.ts'

const HASH = '0'.repeat(64)

/** Captions that give a transcript result of about `resultBytes` bytes of JSON. */
export function captionsOf(resultBytes: number): DomainEvent<'CaptionsRead'> {
  const text = 'and then she said that it was late, <b> & he "laughed"'
  // The result has the text twice: in the segments, and as a whole.
  const each = 2 * text.length + 45
  const segments = Array.from({ length: Math.floor(resultBytes / each) }, (_, n) => ({ start: n, end: n + 1, text }))
  const spoken = { language: 'en', source: 'human', engine: 'subtitles', model: null, audioSeconds: null } as const
  return { type: 'CaptionsRead', data: { ...spoken, segments } }
}

type PastJob = { orgId: string; kind: JobKind; results: readonly DomainEvent[]; ends: boolean; prompt?: string }

/** Writes a job of the past into a store, as the service would have left it. @returns its id */
export async function writePastJob(
  backDoor: BackDoor,
  { orgId, kind, results, ends, prompt = 'What is said?' }: PastJob,
): Promise<string> {
  const jobId = randomUUID()
  const metadata = { orgId, correlationId: jobId, causationId: jobId, traceparent: newTraceparent(true) }
  const requested: DomainEvent<'JobRequested'> = {
    type: 'JobRequested',
    data: {
      orgId,
      kind,
      url: 'https://cdn.example.com/film.mp4',
      mode: kind === 'transcript' ? 'native' : null,
      lang: null,
      prompt: kind === 'transcript' ? null : prompt,
      schema: null,
      keyId: null,
      surface: 'api',
      webhookId: null,
      reuse: false,
      reused: null,
      batchId: null,
      options: noOptions,
      budget: 1,
      prices: pricesOf(kind),
      lane: 'standard',
      requestHash: HASH,
      idempotencyKeyHash: null,
      windowSeconds: 3600,
    },
  }
  const completed: DomainEvent<'JobCompleted'> = { type: 'JobCompleted', data: { orgId, kind, credits: 1 } }
  const events = [requested, ...results, ...(ends ? [completed] : [])]
  await backDoor.ledgers.execute(orgId, { command: debit(jobId, 1), metadata })
  const stored = events.map((event): NewEvent => ({ ...event, id: randomUUID(), metadata }))
  await backDoor.store.append(streams.job(jobId), 'no-stream', stored)
  const settle = { type: 'settle', jobId, charged: 1, reason: 'completed' } as const
  if (ends) await backDoor.ledgers.execute(orgId, { command: settle, metadata })
  return jobId
}

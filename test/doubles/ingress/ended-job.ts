import type { JobKind } from '#packages/domain/job/events.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { untold } from '#test/doubles/untold.ts'
import type { StartedIngress } from './started-ingress.ts'

type Segment = { start: number; end: number; text: string }

/** The end that a test gives to a job without a worker. */
export type JobEnd =
  | {
      segments: Segment[] /** Length of the video. */
      seconds?: number
      title?: string
      author?: string
      thumbnail?: string
    }
  | { extracted: Record<string, unknown> }
  | { code: string; message?: string }

/** The last events of a job that ends so, without its settlement. */
export function eventsOf(end: JobEnd, orgId: string, kind: JobKind): DomainEvent[] {
  if ('code' in end) {
    return [
      { type: 'JobFailed', data: { orgId, kind, code: end.code, message: end.message ?? 'It failed.', used: null } },
    ]
  }
  const completed = { type: 'JobCompleted', data: { orgId, kind, credits: 1 } } as const
  if ('extracted' in end) {
    const provenance = { model: 'stand-in', promptHash: '0'.repeat(64), schemaHash: null, framesUsed: 0, rounds: 1 }
    const data = { result: end.extracted, ...provenance, tokens: { input: 1, output: 1 } }
    return [{ type: 'ExtractionProduced', data }, completed]
  }
  const spoken = { language: 'en', source: 'human', engine: 'subtitles', model: null, audioSeconds: null } as const
  const captions = { type: 'CaptionsRead', data: { ...spoken, segments: end.segments } } as const
  return [...(end.seconds === undefined ? [] : [fetched(end, end.seconds)]), captions, completed]
}

type Named = { title?: string | null; author?: string | null; thumbnail?: string | null }

function fetched(
  { title = null, author = null, thumbnail = null }: Named,
  durationSeconds: number,
): DomainEvent<'VideoFetched'> {
  const metadata = { ...untold, title, author, thumbnail }
  const known = { canonicalUrl: 'https://cdn.example.com/film.mp4', platform: 'direct', metadata } as const
  const data = { ...known, durationSeconds, liveState: 'none' as const, captionTracks: [], formats: [] }
  return { type: 'VideoFetched', data }
}

/** Appends to the stream of a job, as a worker would. @returns the job's request */
export async function appendToJob(
  { memory }: StartedIngress,
  jobId: string,
  ...events: DomainEvent[]
): Promise<StoredEvent<DomainEvent<'JobRequested'>>> {
  const stream = streams.job(jobId)
  const stored = await memory.read(stream)
  const [first] = stored
  if (first?.type !== 'JobRequested') throw new Error(`${jobId} was never requested`)
  const { metadata } = first
  const all = events.map((event) => ({ ...event, id: crypto.randomUUID(), metadata }))
  if (all.length > 0) await memory.append(stream, stored.length - 1, all)
  return first
}

/** Settles the debit of a job, as the orchestrator would. */
export async function settleJob(ingress: StartedIngress, jobId: string, charged: number): Promise<void> {
  const { metadata } = await appendToJob(ingress, jobId)
  const command = { type: 'settle', jobId, charged, reason: 'test' } as const
  await ingress.ledgers.execute(metadata.orgId, { command, metadata })
}

/** Ends a job as workers and the orchestrator would, and settles its credits. */
export async function endJob(ingress: StartedIngress, jobId: string, end: JobEnd): Promise<void> {
  const { orgId, kind } = (await appendToJob(ingress, jobId)).data
  await appendToJob(ingress, jobId, ...eventsOf(end, orgId, kind))
  await settleJob(ingress, jobId, 'code' in end ? 0 : 1)
}

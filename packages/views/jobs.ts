import { transcriptText } from '#packages/captions/transcript-text.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { Stored } from '#packages/ports/views.ts'
import type { Projection } from './projection.ts'

/** One job, as the poll needs it. Instants are milliseconds since 1970. */
export type JobDocument = {
  orgId: string
  kind: 'transcript' | 'extraction'
  /** Missing where the job was never accepted. */
  requestedAt?: number
  /** The last result so far; shown only once the job is completed. */
  result: Record<string, unknown> | null
  status: 'queued' | 'completed' | 'failed'
  /** Why it failed; null unless it did. */
  error: { code: string; message: string } | null
  endedAt: number | null
  /** True once the job's credits are settled: only then its end is shown. */
  settled: boolean
  /** As the caller gave it, in its canonical spelling. Missing, as is what follows, where the job was never accepted. */
  url?: string
  /** Under what status the list of jobs has it: the end only once it is settled. */
  listedAs?: 'queued' | 'completed' | 'failed'
  /** Null where the request came without an idempotency key. */
  idempotencyKeyHash?: string | null
}

const jobIdOf = (event: StoredEvent): string =>
  event.type === 'CreditsSettled' ? event.data.jobId : event.stream.slice('job-'.length)

const places: Partial<Record<StoredEvent['type'], 'first' | 'last'>> = {
  JobRequested: 'first',
  CreditsSettled: 'last',
}

function fieldsOf(event: StoredEvent): Partial<JobDocument> | undefined {
  switch (event.type) {
    case 'JobRequested': {
      const { orgId, kind, url, idempotencyKeyHash } = event.data
      const open = { result: null, status: 'queued', error: null, endedAt: null, settled: false } as const
      return { orgId, kind, url, idempotencyKeyHash, requestedAt: event.recordedAt, listedAs: 'queued', ...open }
    }
    case 'CaptionsRead': {
      const { segments, language, source } = event.data
      return { result: transcript(segments, language, source === 'human' ? 'captions' : 'automatic_captions') }
    }
    case 'SpeechTranscribed':
      return { result: transcript(event.data.segments, event.data.language, 'speech') }
    case 'ExtractionProduced':
      return { result: event.data.result }
    case 'JobCompleted':
      return { status: 'completed', endedAt: event.recordedAt }
    case 'JobFailed': {
      const { orgId, kind, code, message } = event.data
      return { orgId, kind, status: 'failed', result: null, error: { code, message }, endedAt: event.recordedAt }
    }
    case 'CreditsSettled':
      return { settled: true }
    default:
      return undefined
  }
}

type Segment = { start: number; end: number; text: string }

/** The transcript result of the specification, with what DECISIONS adds to it. */
const transcript = (segments: readonly Segment[], language: string | null, source: string) => ({
  text: transcriptText(segments),
  segments: segments.map(({ start, end, text }) => ({ start, end, text })),
  language,
  source,
})

export const jobs: Projection<JobDocument> = {
  name: 'jobs',
  prefixes: ['job-', 'credits-'],
  changeOf(event) {
    const fields = fieldsOf(event)
    if (fields === undefined) return undefined
    const next = (current: JobDocument | undefined) => listed({ ...current, ...fields } as JobDocument)
    const place = places[event.type]
    return { id: jobIdOf(event), next, ...(place && { place }) }
  },
}

/** Brings `listedAs` in step: no list names a job that was never accepted. */
const listed = (document: JobDocument): JobDocument =>
  document.settled && document.listedAs !== undefined ? { ...document, listedAs: document.status } : document

/** The document of one job from its own events and its settlement: what the view will be once it has read them. */
export function foldJobDocument(events: readonly StoredEvent[]): Stored<JobDocument> | undefined {
  const first = events[0]
  if (first === undefined) return undefined
  const id = jobIdOf(first)
  const fields = events.map((event) => fieldsOf(event) ?? {})
  return Object.assign({ id, position: 0 }, ...fields, { position: events.at(-1)?.position ?? 0 })
}

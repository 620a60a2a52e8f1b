import type { EventData } from '#contracts/generated/events.ts'
import type { TranscriptResult } from '#contracts/generated/http.ts'
import { captionSources } from '#packages/content/captions/caption-sources.ts'
import { transcriptText } from '#packages/content/captions/transcript-text.ts'
import type { JobKind } from '#packages/domain/job/events.ts'
import { unreadFor } from '#packages/domain/job/unread-captions.ts'
import { platformOf } from '#packages/platforms/urls/platform-of.ts'
import { registrableDomain } from '#packages/platforms/urls/registrable-domain.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { Stored } from '#packages/ports/views.ts'
import { traceIdOf } from '#packages/telemetry/traceparent.ts'
import { goneWith, type Projection } from './projection.ts'

/** One job, as the poll needs it. Instants are milliseconds since 1970. */
export type JobDocument = {
  orgId: string
  kind: JobKind
  /** The trace of its request. If the job was never accepted, that of its end. */
  traceId: string
  /** Missing if the job was never accepted. */
  requestedAt?: number
  /** The hash of its request. Null if it reuses a result, because such a job is not reused again. */
  requestHash?: string | null
  /** The job that its result is copied from. Null: it makes its own. */
  reused?: string | null
  /** The extras that the request asked to add to the result; null: none. */
  extras?: Extras | null
  /** JSON of the result, as the poll returns it; shown only once the job is completed. */
  result: string | null
  /** The revision of the newest event of the job's stream in this document; missing if there is none. */
  revision?: number
  status: 'queued' | 'completed' | 'failed'
  /** Why it failed; null unless it did. */
  error: { code: string; message: string } | null
  endedAt: number | null
  /** True once the job's credits are settled. Its end is shown only then. */
  settled: boolean
  /**
   * The URL of the request, in canonical spelling. This field and those below are missing if the job was never
   * accepted.
   */
  url?: string
  /** The status in the list of jobs, which shows the end only once it is settled. */
  listedAs?: 'queued' | 'completed' | 'failed'
  /** Null if the request came without an idempotency key. */
  idempotencyKeyHash?: string | null
  mode?: EventData['JobRequested']['mode']
  platform?: EventData['VideoFetched']['platform']
  /** The registrable domain of its URL. */
  domain?: string
  /** The API key that requested it; null: none, such as on the dashboard. */
  keyId?: string | null
  /** BCP 47 tags of the languages of the video's captions; null: unknown. */
  captionLanguages?: string[] | null
  /** The surface that requested it. */
  surface?: EventData['JobRequested']['surface']
  /** The batch that it belongs to; null: none. */
  batchId?: string | null
  /** The platform's title of the video and name of its author; null: unknown. */
  title?: string | null
  author?: string | null
  /** The platform's URL of a picture of the video; null: unknown. */
  thumbnail?: string | null
  /** Length of the video, seconds; null: unknown. */
  durationSeconds?: number | null
  /** BCP 47 tag of the language of the text that was read; null: unknown, or there is none. */
  language?: string | null
  /** Why captions that may exist could not be read, a failure code. Missing if they were read, or there are none. */
  captionsUnread?: string
  /** Credits charged for the ended job; null while it is queued. */
  charged: number | null
}

const jobIdOf = (event: StoredEvent): string =>
  event.type === 'CreditsSettled' ? event.data.jobId : event.stream.slice('job-'.length)

/** Types of events that change a document. */
const changing: ReadonlySet<StoredEvent['type']> = new Set([
  'JobRequested',
  'VideoFetched',
  'CaptionsRead',
  'CaptionsUnavailable',
  'SpeechTranscribed',
  'ExtractionProduced',
  'JobCompleted',
  'JobFailed',
  'CreditsSettled',
])

/**
 * Types that callers wait for: the job exists, and its end is shown. The other types come just before a settlement, or
 * are read from the events.
 */
const waitedFor: ReadonlySet<StoredEvent['type']> = new Set(['JobRequested', 'CreditsSettled'])

const places: Partial<Record<StoredEvent['type'], 'first' | 'last'>> = {
  JobRequested: 'first',
  CreditsSettled: 'last',
}

/** The fields that an event sets in the document before it. */
function fieldsOf(event: StoredEvent, current: JobDocument | undefined): Partial<JobDocument> {
  switch (event.type) {
    case 'JobRequested':
      return requested(event)
    case 'VideoFetched':
      return found(event.data)
    case 'CaptionsRead':
      return read(event.data, captionSources[event.data.source], current)
    case 'CaptionsUnavailable': {
      const captionsUnread = unreadFor(event.data)
      return captionsUnread === undefined ? {} : { captionsUnread }
    }
    case 'SpeechTranscribed':
      return read(event.data, 'speech', current)
    case 'ExtractionProduced':
      return { result: JSON.stringify(event.data.result) }
    case 'JobCompleted':
      return { status: 'completed', endedAt: event.recordedAt, charged: event.data.credits }
    case 'JobFailed': {
      const { orgId, kind, code, message } = event.data
      const traceId = current?.traceId ?? traceIdOf(event.metadata.traceparent)
      const ended = { result: null, error: { code, message }, endedAt: event.recordedAt, charged: 0 }
      return { orgId, kind, traceId, status: 'failed', ...ended }
    }
    case 'CreditsSettled':
      return { settled: true, charged: event.data.charged }
    default:
      return {}
  }
}

function requested({ data, metadata, recordedAt }: StoredEvent & { type: 'JobRequested' }): JobDocument {
  const { orgId, kind, url, idempotencyKeyHash, mode, keyId, surface, batchId, options, requestHash, reused } = data
  const { words, speakers } = options
  return {
    orgId,
    kind,
    traceId: traceIdOf(metadata.traceparent),
    url,
    idempotencyKeyHash,
    mode,
    keyId,
    surface,
    batchId,
    requestHash: reused === null ? requestHash : null,
    reused,
    platform: platformOf(url),
    domain: registrableDomain(url),
    extras: words || speakers ? { words, speakers } : null,
    requestedAt: recordedAt,
    listedAs: 'queued',
    status: 'queued',
    result: null,
    error: null,
    endedAt: null,
    settled: false,
    captionLanguages: null,
    title: null,
    author: null,
    thumbnail: null,
    durationSeconds: null,
    language: null,
    charged: null,
  }
}

function found({ metadata, durationSeconds, captionTracks }: EventData['VideoFetched']): Partial<JobDocument> {
  const { title, author, thumbnail } = metadata
  return { title, author, thumbnail, durationSeconds, captionLanguages: languagesOf(captionTracks) }
}

const languagesOf = (tracks: EventData['VideoFetched']['captionTracks']): string[] | null =>
  tracks && [...new Set(tracks.flatMap(({ language }) => language ?? []))]

type Extras = { words: boolean; speakers: boolean }
type Text = Pick<EventData['SpeechTranscribed'], 'segments' | 'language' | 'words' | 'heard' | 'confidence'>

/** The result of an extraction does not contain the transcript. */
function read(text: Text, source: TranscriptResult['source'], current: JobDocument | undefined): Partial<JobDocument> {
  const { language } = text
  return current?.kind === 'extraction' ? { language } : { language, result: transcript(text, source, current) }
}

/** JSON of the transcript result in the specification, with the additions of ops/adr/0001. */
const transcript = (
  { segments, language, words, heard, confidence }: Text,
  source: TranscriptResult['source'],
  { extras, captionLanguages = null }: Pick<Partial<JobDocument>, 'extras' | 'captionLanguages'> = {},
): string =>
  JSON.stringify({
    text: transcriptText(segments),
    segments: segments.map(({ start, end, text, speaker }) => ({
      start,
      end,
      text,
      ...(extras?.speakers && { speaker }),
    })),
    language,
    // The probability is known only if the requested language is the one that was heard.
    ...(heard !== undefined && heard.language === language && { languageProbability: heard.probability }),
    confidence,
    source,
    availableLanguages: captionLanguages,
    ...(extras?.words && {
      words: words?.map(({ start, end, text, confidence }) => ({ start, end, text, confidence })) ?? null,
    }),
  })

export const jobs: Projection<JobDocument> = {
  name: 'jobs',
  prefixes: ['job-', 'credits-'],
  collection: {
    largeField: 'result',
    pages: [
      { where: ['orgId', 'kind', 'platform', 'listedAs'], by: 'requestedAt' },
      { where: ['orgId', 'keyId', 'kind', 'platform', 'listedAs'], by: 'requestedAt' },
      { where: ['orgId', 'surface', 'kind', 'platform', 'listedAs'], by: 'requestedAt' },
      { where: ['orgId', 'domain', 'kind', 'platform', 'listedAs'], by: 'requestedAt' },
      { where: ['orgId', 'idempotencyKeyHash', 'kind', 'platform', 'listedAs'], by: 'requestedAt' },
      { where: ['orgId', 'url', 'kind', 'platform', 'listedAs'], by: 'requestedAt' },
      { where: ['orgId', 'requestHash', 'listedAs'], by: 'requestedAt' },
    ],
  },
  changeOf(event) {
    if (!changing.has(event.type)) return undefined
    const id = jobIdOf(event)
    const place = places[event.type]
    return {
      id,
      ...(place && { place }),
      ...(!waitedFor.has(event.type) && { written: 'later' }),
      next(current) {
        return isOfNoJob(event, current) ? undefined : after(event, current)
      },
    }
  },
  removedWith: goneWith('job-', (id) => ({ id })),
}

/** A settlement comes after its job. If there is no job, the job was removed. */
const isOfNoJob = ({ type }: StoredEvent, current: JobDocument | undefined): boolean =>
  type === 'CreditsSettled' && current === undefined

function after(event: StoredEvent, current: JobDocument | undefined): JobDocument {
  const read = event.type === 'CreditsSettled' ? {} : { revision: event.revision }
  return listed({ ...current, ...fieldsOf(event, current), ...read } as JobDocument)
}

/** Sets `listedAs` once the job is settled. A job that was never accepted is in no list. */
const listed = (document: JobDocument): JobDocument =>
  document.settled && document.listedAs !== undefined ? { ...document, listedAs: document.status } : document

/**
 * The document of one job, folded from its own events. The view will have the same one, once it has read them and the
 * settlement.
 * @param known the document of the view, if there is one; `events` are then those after its revision
 */
export function foldJobDocument(
  events: readonly StoredEvent[],
  known?: Stored<JobDocument>,
): Stored<JobDocument> | undefined {
  const first = events[0]
  if (first === undefined) return known
  const changes = events.filter(({ type }) => changing.has(type))
  const folded = changes.reduce<JobDocument | undefined>((document, event) => after(event, document), known)
  return { ...folded, id: jobIdOf(first), position: events.at(-1)?.position ?? 0 } as Stored<JobDocument>
}

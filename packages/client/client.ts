import type {
  Credits,
  CreditsTransactionList,
  InstagramProfile,
  JobList,
  Key,
  ListedJob,
  NewKey,
  Organization,
  RevokedKey,
  SearchResult,
  TikTokProfile,
  TranscriptResult,
  Usage,
  VideoMetadata,
} from '#contracts/generated/http.ts'
import { VideoIntelligenceError } from './error.ts'
import { Http, type HttpOptions } from './http.ts'
import { advisedPolling, type CallOptions, Jobs, type Polling } from './jobs.ts'

export type ClientOptions = HttpOptions & { polling?: Polling }
export type ProfileQuestion = { username?: string; url?: string; limit?: number }
export type SearchQuestion = { q: string; platform?: SearchResult['platform']; limit?: number }
export type JobsQuestion = Partial<Pick<ListedJob, 'kind' | 'status' | 'platform'>> & {
  keyId?: string
  idempotencyKey?: string
  /** Times as RFC 3339 writes them. */
  createdAfter?: string
  createdBefore?: string
  cursor?: string
  limit?: number
}
/** Days (UTC) such as 2026-01-31. */
export type UsageQuestion = Partial<Pick<Usage, 'from' | 'to' | 'groupBy'>>
export type ExtractionRequest = { url: string; prompt: string; lang?: string; schema?: Record<string, unknown> }

/** WebVTT, SubRip or plain text. */
export type TranscriptForm = 'vtt' | 'srt' | 'text'
const mediaTypes = { vtt: 'text/vtt', srt: 'application/x-subrip', text: 'text/plain' }

/**
 * A typed client of the service's `/v1`. Every method throws VideoIntelligenceError, or the reason of its signal.
 *
 *   const client = new VideoIntelligence({ baseUrl: 'http://127.0.0.1:8080', apiKey: process.env.KEY ?? '' })
 *   const { text } = await client.transcripts.run({ url: 'https://youtu.be/…' })
 */
export class VideoIntelligence {
  readonly transcripts: Jobs<TranscriptResult>
  readonly extractions: Jobs<Record<string, unknown>>
  readonly #http: Http

  constructor({ polling = advisedPolling, ...options }: ClientOptions) {
    this.#http = new Http(options)
    this.transcripts = new Jobs(this.#http, 'transcript', polling)
    this.extractions = new Jobs(this.#http, 'extract', polling)
  }

  me(options: CallOptions = {}): Promise<Organization> {
    return this.#get('/v1/me', {}, options)
  }

  metadata(url: string, options: CallOptions = {}): Promise<VideoMetadata> {
    return this.#get('/v1/metadata', { url }, options)
  }

  search(question: SearchQuestion, options: CallOptions = {}): Promise<SearchResult[]> {
    return this.#get('/v1/search', question, options)
  }

  tiktokProfile(question: ProfileQuestion, options: CallOptions = {}): Promise<TikTokProfile> {
    return this.#get('/v1/tiktok/profile', question, options)
  }

  instagramProfile(question: ProfileQuestion, options: CallOptions = {}): Promise<InstagramProfile> {
    return this.#get('/v1/instagram/profile', question, options)
  }

  /** A completed transcript in another form than JSON. @throws VideoIntelligenceError `not_completed` before that */
  async transcriptText(jobId: string, form: TranscriptForm, { signal }: CallOptions = {}): Promise<string> {
    const path = `/v1/transcript/${encodeURIComponent(jobId)}`
    const accept = mediaTypes[form]
    const { status, headers, text } = await this.#http.send({ path, headers: { accept }, repeatable: true, signal })
    if (headers.get('content-type')?.startsWith(accept) === true) return text
    throw new VideoIntelligenceError('not_completed', 'The job is not completed.', { status, jobId })
  }

  /** One page of the organization's jobs, newest first. */
  jobs(question: JobsQuestion = {}, options: CallOptions = {}): Promise<JobList> {
    return this.#get('/v1/jobs', question, options)
  }

  /** Plan, available and held credits, and the next renewal. */
  credits(options: CallOptions = {}): Promise<Credits> {
    return this.#get('/v1/credits', {}, options)
  }

  /** One page of the organization's ledger, newest first. */
  transactions(
    question: { cursor?: string; limit?: number } = {},
    options: CallOptions = {},
  ): Promise<CreditsTransactionList> {
    return this.#get('/v1/credits/transactions', question, options)
  }

  /** What ended jobs have cost. */
  usage(question: UsageQuestion = {}, options: CallOptions = {}): Promise<Usage> {
    return this.#get('/v1/usage', question, options)
  }

  keys(options: CallOptions = {}): Promise<Key[]> {
    return this.#get('/v1/keys', {}, options)
  }

  /** Not retried when the key may have been made. */
  createKey(name: string, { signal }: CallOptions = {}): Promise<NewKey> {
    return this.#http.json({ method: 'POST', path: '/v1/keys', body: { name }, repeatable: false, signal })
  }

  revokeKey(id: string, { signal }: CallOptions = {}): Promise<RevokedKey> {
    const path = `/v1/keys/${encodeURIComponent(id)}`
    return this.#http.json({ method: 'DELETE', path, repeatable: true, signal })
  }

  #get<T>(path: string, query: Record<string, string | number | undefined>, { signal }: CallOptions): Promise<T> {
    return this.#http.json<T>({ path, query, repeatable: true, signal })
  }
}

import type {
  Credits,
  CreditsTransactionList,
  Estimate,
  ExtractRequest,
  InstagramProfile,
  JobDetails,
  JobList,
  Key,
  ListedJob,
  NewKey,
  NewKeyRequest,
  Organization,
  Platform,
  RevokedKey,
  SearchResult,
  TikTokProfile,
  Timeline,
  TimelineEvent,
  TranscriptRequest,
  TranscriptResult,
  Usage,
  VideoMetadata,
  YouTubeChannel,
  YouTubePlaylist,
} from '../../contracts/generated/http.ts'
import { Batches } from './batches.ts'
import { VideoIntelligenceError } from './error.ts'
import { Http, type HttpOptions, parsed } from './http.ts'
import { advisedPolling, type CallOptions, Jobs, type Polling } from './jobs.ts'
import { serverSentEvents } from './server-sent-events.ts'
import { sleep } from './sleep.ts'
import { Watches } from './watches.ts'
import { Webhooks } from './webhooks.ts'

export type ClientOptions = HttpOptions & { polling?: Polling }
export type ProfileQuestion = { username?: string; url?: string; limit?: number; cursor?: string }
/** One of `url`, `handle` and `id`. `cursor`: the `nextCursor` of the previous page. */
export type ChannelQuestion = PlaylistQuestion & { handle?: string; type?: 'videos' | 'shorts' | 'lives' }
export type PlaylistQuestion = { url?: string; id?: string; limit?: number; cursor?: string }
export type MetadataOptions = CallOptions & { include?: ('captions' | 'chapters')[] }
/** `incomplete`: the fields that could not be read. Missing if all could be read. */
export type Metadata = VideoMetadata & { incomplete?: string[] }
export type SearchQuestion = { q: string; platform?: SearchResult['platform']; limit?: number; cursor?: string }
export type JobsQuestion = Partial<Pick<ListedJob, 'kind' | 'status' | 'platform' | 'surface' | 'domain'>> & {
  keyId?: string
  idempotencyKey?: string
  /** Times in RFC 3339. */
  createdAfter?: string
  createdBefore?: string
  cursor?: string
  limit?: number
}
export type KeyLimits = Omit<NewKeyRequest, 'name'>
/** Days (UTC) such as 2026-01-31. */
export type UsageQuestion = Partial<Pick<Usage, 'from' | 'to' | 'groupBy'>>

export type Chunk = NonNullable<TranscriptResult['chunks']>[number]

/** The pause before a broken stream of events is opened again, milliseconds. */
const REOPEN_AFTER_MS = 1000

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
  readonly transcripts: Jobs<TranscriptRequest, TranscriptResult>
  readonly extractions: Jobs<ExtractRequest, Record<string, unknown>>
  readonly batches: Batches
  readonly watches: Watches
  readonly webhooks: Webhooks
  readonly #http: Http

  constructor({ polling = advisedPolling, ...options }: ClientOptions) {
    this.#http = new Http(options)
    this.transcripts = new Jobs(this.#http, 'transcript', polling)
    this.extractions = new Jobs(this.#http, 'extract', polling)
    this.batches = new Batches(this.#http)
    this.watches = new Watches(this.#http)
    this.webhooks = new Webhooks(this.#http)
  }

  me(options: CallOptions = {}): Promise<Organization> {
    return this.#get('/v1/me', {}, options)
  }

  /** @param options.include fields that are returned only on request */
  async metadata(url: string, { include, signal }: MetadataOptions = {}): Promise<Metadata> {
    const query = { url, include: include?.join() }
    const reply = await this.#http.send({ path: '/v1/metadata', query, repeatable: true, signal })
    const incomplete = reply.headers.get('x-metadata-incomplete')?.split(', ')
    return { ...(parsed(reply) as VideoMetadata), ...(incomplete && { incomplete }) }
  }

  /** What a job with this body would cost, how long it would take, and why it would be refused or fail. */
  estimate(body: TranscriptRequest | ExtractRequest, { signal }: CallOptions = {}): Promise<Estimate> {
    return this.#http.json({ method: 'POST', path: '/v1/estimate', body, repeatable: true, signal })
  }

  search(question: SearchQuestion, options: CallOptions = {}): Promise<SearchResult[]> {
    return this.#get('/v1/search', question, options)
  }

  /** The pages of a search of one platform. A search of all platforms has one page. */
  searchPages(question: SearchQuestion, options: CallOptions = {}): AsyncGenerator<SearchResult[]> {
    return this.#pages('/v1/search', question, options)
  }

  tiktokProfile(question: ProfileQuestion, options: CallOptions = {}): Promise<TikTokProfile> {
    return this.#get('/v1/tiktok/profile', question, options)
  }

  instagramProfile(question: ProfileQuestion, options: CallOptions = {}): Promise<InstagramProfile> {
    return this.#get('/v1/instagram/profile', question, options)
  }

  /** The pages of a profile. Each repeats the profile, with its next videos. */
  tiktokProfilePages(question: ProfileQuestion, options: CallOptions = {}): AsyncGenerator<TikTokProfile> {
    return this.#pages('/v1/tiktok/profile', question, options)
  }

  instagramProfilePages(question: ProfileQuestion, options: CallOptions = {}): AsyncGenerator<InstagramProfile> {
    return this.#pages('/v1/instagram/profile', question, options)
  }

  /** What each platform offers, and how reading from it went in the last hour. */
  platforms(options: CallOptions = {}): Promise<Platform[]> {
    return this.#get('/v1/platforms', {}, options)
  }

  /** One page of a YouTube channel's list. */
  youtubeChannel(question: ChannelQuestion, options: CallOptions = {}): Promise<YouTubeChannel> {
    return this.#get('/v1/youtube/channel', question, options)
  }

  youtubeChannelPages(question: ChannelQuestion, options: CallOptions = {}): AsyncGenerator<YouTubeChannel> {
    return this.#pages('/v1/youtube/channel', question, options)
  }

  /** One page of a YouTube playlist. */
  youtubePlaylist(question: PlaylistQuestion, options: CallOptions = {}): Promise<YouTubePlaylist> {
    return this.#get('/v1/youtube/playlist', question, options)
  }

  youtubePlaylistPages(question: PlaylistQuestion, options: CallOptions = {}): AsyncGenerator<YouTubePlaylist> {
    return this.#pages('/v1/youtube/playlist', question, options)
  }

  /** A completed transcript in a form other than JSON. @throws VideoIntelligenceError `not_completed` before that */
  async transcriptText(jobId: string, form: TranscriptForm, { signal }: CallOptions = {}): Promise<string> {
    const path = `/v1/transcript/${encodeURIComponent(jobId)}`
    const accept = mediaTypes[form]
    const { status, headers, text } = await this.#http.send({ path, headers: { accept }, repeatable: true, signal })
    if (headers.get('content-type')?.startsWith(accept) === true) return text
    throw new VideoIntelligenceError('not_completed', 'The job is not completed.', { status, jobId })
  }

  /**
   * The text of a completed transcript in chunks of whole sentences.
   * @param chunkSize characters, 200 to 10,000; only a sentence that is longer exceeds it
   * @throws VideoIntelligenceError `not_completed` before that
   */
  async transcriptChunks(jobId: string, chunkSize: number, { signal }: CallOptions = {}): Promise<Chunk[]> {
    const path = `/v1/transcript/${encodeURIComponent(jobId)}`
    const reply = await this.#http.send({ path, query: { chunkSize }, repeatable: true, signal })
    const { resultJson } = parsed(reply) as { resultJson: TranscriptResult | null }
    if (resultJson?.chunks !== undefined) return resultJson.chunks
    throw new VideoIntelligenceError('not_completed', 'The job is not completed.', { status: reply.status, jobId })
  }

  /** One page of the organization's jobs, newest first. */
  jobs(question: JobsQuestion = {}, options: CallOptions = {}): Promise<JobList> {
    return this.#get('/v1/jobs', question, options)
  }

  /** Everything about a job except its result. */
  job(jobId: string, options: CallOptions = {}): Promise<JobDetails> {
    return this.#get(`/v1/jobs/${encodeURIComponent(jobId)}`, {}, options)
  }

  /** What has happened to a job. @param after the `id` of an event: only later ones */
  jobEvents(jobId: string, { after, ...options }: CallOptions & { after?: number } = {}): Promise<Timeline> {
    return this.#get(`/v1/jobs/${encodeURIComponent(jobId)}/events`, { after }, options)
  }

  /**
   * The events of a job as they happen, until its end. If the stream breaks off, it is reopened where it stopped.
   * @param after the `id` of an event: only later ones
   */
  async *follow(
    jobId: string,
    { after, signal }: CallOptions & { after?: number } = {},
  ): AsyncGenerator<TimelineEvent> {
    const path = `/v1/jobs/${encodeURIComponent(jobId)}/events`
    for (let last = after; ; await sleep(REOPEN_AFTER_MS, signal)) {
      const headers = { accept: 'text/event-stream' }
      const stream = await this.#http.open({ path, query: { after: last }, headers, repeatable: true, signal })
      try {
        for await (const { event, data } of serverSentEvents(stream)) {
          if (event === 'end') return
          const happened = JSON.parse(data) as TimelineEvent
          last = happened.id
          yield happened
        }
      } catch {
        // The stream broke off. Reopen it.
        signal?.throwIfAborted()
      }
    }
  }

  /** Cancels a job, which is then refunded. @returns the job; unchanged if it had already ended */
  cancel(jobId: string, { signal }: CallOptions = {}): Promise<JobDetails> {
    const path = `/v1/jobs/${encodeURIComponent(jobId)}`
    return this.#http.json({ method: 'DELETE', path, repeatable: true, signal })
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

  /** Not retried if the key may have been created. Without limits the key may do everything. */
  createKey(name: string, { signal, ...limits }: KeyLimits & CallOptions = {}): Promise<NewKey> {
    const body = { name, ...limits } satisfies NewKeyRequest
    return this.#http.json({ method: 'POST', path: '/v1/keys', body, repeatable: false, signal })
  }

  revokeKey(id: string, { signal }: CallOptions = {}): Promise<RevokedKey> {
    const path = `/v1/keys/${encodeURIComponent(id)}`
    return this.#http.json({ method: 'DELETE', path, repeatable: true, signal })
  }

  /** This page and the following ones, found by their `Link` headers. */
  async *#pages<T>(
    path: string,
    question: Record<string, string | number | undefined>,
    { signal }: CallOptions,
  ): AsyncGenerator<T> {
    let query: Record<string, string | number | undefined> = question
    for (;;) {
      const reply = await this.#http.send({ path, query, repeatable: true, signal })
      yield parsed(reply) as T
      const cursor = nextCursorIn(reply.headers.get('link'))
      if (cursor === null) return
      query = { ...question, cursor }
    }
  }

  #get<T>(path: string, query: Record<string, string | number | undefined>, { signal }: CallOptions): Promise<T> {
    return this.#http.json<T>({ path, query, repeatable: true, signal })
  }
}

/** The cursor in `<?cursor=…>; rel="next"`. Null if there is none. */
function nextCursorIn(link: string | null): string | null {
  const [, target] = /<\?([^>]*)>; rel="next"/.exec(link ?? '') ?? []
  return target === undefined ? null : new URLSearchParams(target).get('cursor')
}

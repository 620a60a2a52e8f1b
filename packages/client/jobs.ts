import type { AcceptedJob, TimedOutJob, TranscriptJob } from '../../contracts/generated/http.ts'
import { VideoIntelligenceError } from './error.ts'
import { type Http, parsed, type Reply } from './http.ts'
import { sleep } from './sleep.ts'

/** The requested kind of job: a transcript or an extraction. */
export type JobKind = 'transcript' | 'extract'

/** A job as a poll returns it. A timed-out job looks like any other failed one. */
export type Job<R> = Omit<TranscriptJob, 'resultJson'> & { resultJson: R | null }

export type CallOptions = { signal?: AbortSignal }

export type RequestOptions = CallOptions & {
  /** Repeats with the same key return the same job, for 24 hours. Default: a new key for each call. */
  idempotencyKey?: string
}

/** How long a request asks the service to wait, seconds. */
export type ServiceWait = { waitSeconds?: number }

export type WaitOptions = CallOptions & {
  /** Called after every poll that found the job unfinished, with the number of polls so far. */
  onPoll?: (polls: number) => void
}

/** How a job is polled. */
export type Polling = {
  /** Shortest time from one poll to the next, seconds. */
  minSeconds: number
  /** How long each poll lets the service wait for the end of the job, seconds. */
  waitSeconds: number
  maxPolls: number
}

/** The specification's advice: every 1 to 2 seconds, at most 120 times. */
export const advisedPolling: Polling = { minSeconds: 1, waitSeconds: 2, maxPolls: 120 }

/** The jobs of one kind. `B`: the body of a request; `R`: the result of a completed job. */
export class Jobs<B extends object, R> {
  readonly #http: Http
  readonly #path: string
  readonly #polling: Polling

  constructor(http: Http, kind: JobKind, polling: Polling) {
    this.#http = http
    this.#path = `/v1/${kind}`
    this.#polling = polling
  }

  /** Requests a job. @returns its id @throws VideoIntelligenceError */
  async request(body: B, options: RequestOptions = {}): Promise<string> {
    return (await this.begin(body, options)).jobId
  }

  /**
   * Requests a job, and waits a while for its end. `waitSeconds`: how long the service may wait before it answers.
   * @returns the job at that time @throws VideoIntelligenceError
   */
  async begin(
    body: B,
    { idempotencyKey = crypto.randomUUID(), waitSeconds = 0, signal }: RequestOptions & ServiceWait = {},
  ): Promise<Job<R>> {
    const headers = { 'idempotency-key': idempotencyKey, ...preferring(waitSeconds) }
    const call = { method: 'POST', path: this.#path, body, headers, repeatable: true, waitSeconds, signal } as const
    return jobOf(await this.#http.send(call))
  }

  /** Polls once. `waitSeconds`: how long the service may wait for the end before it answers. */
  async poll(jobId: string, { waitSeconds = 0, signal }: CallOptions & ServiceWait = {}): Promise<Job<R>> {
    const headers = preferring(waitSeconds)
    return jobOf(await this.#http.send({ path: this.#pathOf(jobId), headers, repeatable: true, waitSeconds, signal }))
  }

  /**
   * Polls until the job has ended.
   * @throws VideoIntelligenceError with the job's own code if it failed; `timeout` after the last poll
   */
  async wait(jobId: string, { signal, onPoll }: WaitOptions = {}): Promise<R> {
    const { minSeconds, waitSeconds, maxPolls } = this.#polling
    for (let polls = 1; polls <= maxPolls; polls++) {
      const startedAt = performance.now()
      const job = await this.poll(jobId, { waitSeconds, ...(signal && { signal }) })
      if (job.status !== 'queued') return resultOf(job)
      onPoll?.(polls)
      await sleep(Math.max(0, minSeconds * 1000 - (performance.now() - startedAt)), signal)
    }
    throw new VideoIntelligenceError('timeout', `The job has not ended after ${maxPolls} polls.`, { status: 0, jobId })
  }

  /**
   * Requests a job and polls it to its end. Does not poll if the answer shows the end. @throws VideoIntelligenceError
   */
  async run(body: B, { idempotencyKey, ...options }: RequestOptions & WaitOptions = {}): Promise<R> {
    const { signal } = options
    const asked = { ...(idempotencyKey !== undefined && { idempotencyKey }), ...(signal && { signal }) }
    const job = await this.begin(body, { ...asked, waitSeconds: this.#polling.waitSeconds })
    return job.status === 'queued' ? this.wait(job.jobId, options) : resultOf(job)
  }

  #pathOf(jobId: string): string {
    return `${this.#path}/${encodeURIComponent(jobId)}`
  }
}

const preferring = (waitSeconds: number): Record<string, string> =>
  waitSeconds > 0 ? { prefer: `wait=${waitSeconds}` } : {}

/** The job in an answer. */
function jobOf<R>(reply: Reply): Job<R> {
  const { jobId, status, ...body } = parsed(reply) as AcceptedJob | Job<R> | TimedOutJob
  const { resultJson = null, error = null } = body as Partial<Job<R>>
  if (typeof error !== 'string') return { jobId, status, resultJson, error }
  return { jobId, status, resultJson: null, error: { code: error, message: (body as TimedOutJob).message } }
}

/** The result of an ended job. @throws VideoIntelligenceError with the job's own code if it failed */
function resultOf<R>(job: Job<R>): R {
  if (job.status === 'completed') return job.resultJson as R
  throw failureOf(job)
}

function failureOf({ jobId, error }: Job<unknown>): VideoIntelligenceError {
  const { code, message } = error ?? { code: 'internal_error', message: 'The job failed.' }
  return new VideoIntelligenceError(code, message, { status: code === 'timeout' ? 504 : 200, jobId })
}

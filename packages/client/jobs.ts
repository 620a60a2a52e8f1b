import type { AcceptedJob, TimedOutJob, TranscriptJob } from '#contracts/generated/http.ts'
import { VideoIntelligenceError } from './error.ts'
import { type Http, parsed } from './http.ts'
import { sleep } from './sleep.ts'

/** The requested kind of job: a transcript or an extraction. */
export type JobKind = 'transcript' | 'extract'

/** A job as a poll returns it; a timed-out one looks like any other failed one. */
export type Job<R> = Omit<TranscriptJob, 'resultJson'> & { resultJson: R | null }

export type CallOptions = { signal?: AbortSignal }

export type RequestOptions = CallOptions & {
  /** Repeats under the same key are the same job, for 24 hours. Default: a fresh one for each call. */
  idempotencyKey?: string
}

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

/** The jobs of one kind. `R`: the result of a completed one. */
export class Jobs<R> {
  readonly #http: Http
  readonly #path: string
  readonly #polling: Polling

  constructor(http: Http, kind: JobKind, polling: Polling) {
    this.#http = http
    this.#path = `/v1/${kind}`
    this.#polling = polling
  }

  /** Requests a job. @returns its id @throws VideoIntelligenceError */
  async request(body: object, { idempotencyKey = crypto.randomUUID(), signal }: RequestOptions = {}): Promise<string> {
    const headers = { 'idempotency-key': idempotencyKey }
    const call = { method: 'POST', path: this.#path, body, headers, repeatable: true, signal } as const
    return (await this.#http.json<AcceptedJob>(call)).jobId
  }

  /** One poll. `waitSeconds`: how long the service may wait for the end before it answers. */
  async poll(jobId: string, { waitSeconds = 0, signal }: CallOptions & { waitSeconds?: number } = {}): Promise<Job<R>> {
    const headers: Record<string, string> = waitSeconds > 0 ? { prefer: `wait=${waitSeconds}` } : {}
    const reply = await this.#http.send({ path: this.#pathOf(jobId), headers, repeatable: true, waitSeconds, signal })
    const body = parsed(reply) as Job<R> | TimedOutJob
    if (typeof body.error !== 'string') return body as Job<R>
    return {
      jobId,
      status: 'failed',
      resultJson: null,
      error: { code: body.error, message: (body as TimedOutJob).message },
    }
  }

  /**
   * Polls until the job has ended.
   * @throws VideoIntelligenceError with the job's own code where it failed; `timeout` after the last poll
   */
  async wait(jobId: string, { signal, onPoll }: WaitOptions = {}): Promise<R> {
    const { minSeconds, waitSeconds, maxPolls } = this.#polling
    for (let polls = 1; polls <= maxPolls; polls++) {
      const startedAt = performance.now()
      const job = await this.poll(jobId, { waitSeconds, ...(signal && { signal }) })
      if (job.status === 'completed') return job.resultJson as R
      if (job.status === 'failed') throw failureOf(job)
      onPoll?.(polls)
      await sleep(Math.max(0, minSeconds * 1000 - (performance.now() - startedAt)), signal)
    }
    throw new VideoIntelligenceError('timeout', `The job has not ended after ${maxPolls} polls.`, { status: 0, jobId })
  }

  /** Requests a job and polls it to its end. @throws VideoIntelligenceError */
  async run(body: object, { idempotencyKey, ...options }: RequestOptions & WaitOptions = {}): Promise<R> {
    const { signal } = options
    const asked = { ...(idempotencyKey !== undefined && { idempotencyKey }), ...(signal && { signal }) }
    return this.wait(await this.request(body, asked), options)
  }

  #pathOf(jobId: string): string {
    return `${this.#path}/${encodeURIComponent(jobId)}`
  }
}

function failureOf({ jobId, error }: Job<unknown>): VideoIntelligenceError {
  const { code, message } = error ?? { code: 'internal_error', message: 'The job failed.' }
  return new VideoIntelligenceError(code, message, { status: code === 'timeout' ? 504 : 200, jobId })
}

import type { TranscriptResult } from '#contracts/generated/http.ts'
import { until } from './until.ts'

/** All fields of the service's answers together. */
export type AnswerBody = {
  jobId?: string
  status?: string
  resultJson?: TranscriptResult | null
  /** A code in an Error object; code and message in a failed job. */
  error?: string | { code: string; message: string } | null
  message?: string
  details?: unknown
  documentationUrl?: string | null
  orgId?: string
  name?: string
  creditsRemaining?: number
  plan?: string
  id?: string
  key?: string
  deliveryId?: string
  batchId?: string
  watchId?: string
}

export type Answer = { status: number; headers: Headers; text: string; body: AnswerBody }

export type Headings = Record<string, string>

/** A customer: an organization's key, and the calls made with it. */
export class Client {
  readonly orgId: string
  readonly keyId: string
  readonly key: string
  readonly #base: () => string

  /** @param base is called for every request, because a restarted service has another address */
  constructor(base: () => string, { orgId, keyId, key }: { orgId: string; keyId: string; key: string }) {
    this.#base = base
    this.orgId = orgId
    this.keyId = keyId
    this.key = key
  }

  /** The same organization with another key, or without one. */
  withKey(key: string): Client {
    return new Client(this.#base, { orgId: this.orgId, keyId: this.keyId, key })
  }

  async call(method: string, path: string, body?: string | Uint8Array | null, headers: Headings = {}): Promise<Answer> {
    const response = await fetch(this.#base() + path, {
      method,
      headers: { ...(this.key && { 'x-api-key': this.key }), ...headers },
      body: body === undefined || body === null ? null : typeof body === 'string' ? body : new Uint8Array(body),
      redirect: 'manual',
      signal: AbortSignal.timeout(120_000),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: parsed(text) }
  }

  get(path: string, headers?: Headings): Promise<Answer> {
    return this.call('GET', path, null, headers)
  }

  /** The body of an answer to GET. @throws Error if it is no success */
  async read<T>(path: string): Promise<T> {
    return bodyOf<T>(await this.get(path))
  }

  /** Metadata of a video. `more`: further parameters, such as `&include=captions`. */
  metadata(url: string, more = ''): Promise<Answer> {
    return this.get(`/v1/metadata?url=${encodeURIComponent(url)}${more}`)
  }

  delete(path: string): Promise<Answer> {
    return this.call('DELETE', path)
  }

  post(path: string, body: unknown, headers: Headings = {}): Promise<Answer> {
    return this.call('POST', path, JSON.stringify(body), { 'content-type': 'application/json', ...headers })
  }

  transcript(
    request: { url: string; mode?: string; lang?: string; reuse?: boolean },
    headers?: Headings,
  ): Promise<Answer> {
    return this.post('/v1/transcript', request, headers)
  }

  /** Posts a job that must be accepted. @returns its id */
  async enqueue(
    request: { url: string; mode?: string; lang?: string; reuse?: boolean },
    headers?: Headings,
  ): Promise<string> {
    const answer = await this.transcript(request, headers)
    if (answer.status !== 202 || answer.body.jobId === undefined)
      throw new Error(`not accepted: ${answer.status} ${answer.text}`)
    return answer.body.jobId
  }

  /** Polls until the job has ended. A service that has just started may not know the job yet. */
  ended(jobId: string, endpoint = '/v1/transcript', seconds = 200): Promise<Answer> {
    return until(
      `job ${jobId} ends`,
      async () => {
        const answer = await this.get(`${endpoint}/${jobId}`, { prefer: 'wait=20' })
        return ![429, 503].includes(answer.status) && answer.body.status !== 'queued' && answer
      },
      { seconds },
    )
  }

  /** A job from its POST to its end. */
  async run(request: { url: string; mode?: string; lang?: string }): Promise<Answer> {
    return this.ended(await this.enqueue(request))
  }

  async credits(): Promise<number> {
    const { body, text } = await this.get('/v1/me')
    if (body.creditsRemaining === undefined) throw new Error(`no balance: ${text}`)
    return body.creditsRemaining
  }
}

/** @throws Error if the answer is no success */
export function bodyOf<T>({ status, text }: Answer): T {
  if (status !== 200) throw new Error(`${status} ${text}`)
  return JSON.parse(text) as T
}

/** The status of a refusal, and the first field that it names. */
export const refusedField = ({ status, body }: Answer): [status: number, field: string | undefined] => [
  status,
  (body.details as { path: string }[] | null)?.[0]?.path,
]

/** The code of the error of a request, or of a failed job. */
export const errorCodeOf = ({ body: { error } }: Answer): string | undefined =>
  typeof error === 'string' ? error : error?.code

function parsed(text: string): AnswerBody {
  try {
    return JSON.parse(text) as AnswerBody
  } catch {
    return {}
  }
}

import type { Estimate } from '#contracts/generated/http.ts'
import { assertScope } from '#packages/accounts/keys/assert-scope.ts'
import type { SchemaChecks } from '#packages/content/extraction/schema/schema-checks.ts'
import { sameLanguage } from '#packages/content/languages/closeness.ts'
import type { SpeechTraits } from '#packages/content/speech/traits.ts'
import { type FailureCode, failures } from '#packages/domain/job/failure.ts'
import { captionsMissing } from '#packages/domain/job/job.ts'
import { debitOf, pricesOf } from '#packages/domain/job/price.ts'
import type { KeyHolder } from '#packages/domain/key/key.ts'
import { PaceError } from '#packages/foundation/errors/pace-error.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { isExtractRequest, isTranscriptRequest } from '#packages/foundation/validation/body-validators.ts'
import { validated } from '#packages/foundation/validation/validated.ts'
import type { Asker } from '#packages/platforms/lookups/asker.ts'
import { toUnavailable } from '#packages/platforms/lookups/lookup-error.ts'
import type { Lookups } from '#packages/platforms/lookups/lookups.ts'
import type { Acceptance } from './acceptance.ts'
import { extractRequestOf } from './extract-request.ts'
import type { JobRequest } from './job-request.ts'
import { termsOf } from './terms.ts'
import { transcriptRequestOf } from './transcript-request.ts'

type Parts = { acceptance: Acceptance; lookups: Lookups; schemas: SchemaChecks }

type Options = {
  windowSeconds: number
  extracts: boolean
  speech: SpeechTraits
}

/** The caller and the key. */
type Asking = Asker & KeyHolder

/** The outcome of posting a job: the request as accepted, if it is valid, its debit, and its wait for its turn. */
type Posted = { request?: JobRequest; held: number; waitSeconds: number | null; refusal: Estimate['refusal'] }

/** The video as a job would find it. `mayHaveMore`: captions other than the listed ones. */
type Found = Pick<Estimate, 'captions' | 'duration' | 'failure'> & { mayHaveMore: boolean }

const unknownVideo: Found = { captions: null, duration: null, failure: null, mayHaveMore: true }

/** Allowances in seconds: for the platform's answers in the steps that read a video, and for the language model. */
const READ_SECONDS = 4
const MODEL_SECONDS = 15

/** Estimates what a job would cost, how long it would take, and why it would be refused or fail. Writes nothing. */
export class Estimates {
  readonly #parts: Parts
  readonly #options: Options

  constructor(parts: Parts, options: Options) {
    this.#parts = parts
    this.#options = options
  }

  /**
   * @param body of the job's POST: an extraction if it has a prompt, else a transcript
   * @throws ServiceError invalid_request: the contract has no such body; unavailable; LedgerBusyError
   */
  async estimate(body: unknown, asking: Asking): Promise<Estimate> {
    const { kind, mode } = askedIn(body)
    const posted = await this.#post(body, { kind, mode }, asking)
    const { request, held, waitSeconds, refusal } = posted
    if (held === 0) return { kind, ...reusing }
    const found = request === undefined ? unknownVideo : await this.#look(request, asking)
    const { captions, duration } = found
    const read = request === undefined ? undefined : readsCaptions(request, found)
    const needed = this.#secondsOf(kind, found.duration, read)
    const failure =
      found.failure ??
      (request === undefined ? null : this.#failureOf(request, held, found, read)) ??
      this.#tooLate(needed, waitSeconds)
    const charged = chargedOf({ kind, mode }, held, read)
    const seconds = failure === null ? needed : null
    return { kind, credits: { held, charged }, captions, duration, seconds, waitSeconds, refusal, failure }
  }

  /** Posts the job without leaving a trace: the same checks in the same order. */
  async #post(body: unknown, asked: Asked, { orgId, keyId, grant }: Asking): Promise<Posted> {
    let request: JobRequest | undefined
    try {
      request = await this.#requestOf(body, asked.kind, orgId)
      assertScope(grant, 'jobs')
      if ((body as { webhookUrl?: string }).webhookUrl !== undefined) assertScope(grant, 'webhooks')
      const { monthlyCredits } = grant
      const terms = termsOf(body)
      const rehearsed = await this.#parts.acceptance.rehearse({ orgId, keyId, monthlyCredits, request, terms })
      const { credits: held, waitSeconds } = rehearsed
      return { request, held, waitSeconds: tenths(waitSeconds), refusal: null }
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      return { ...(request && { request }), held: debitOf(asked).full, waitSeconds: null, refusal: refusalOf(error) }
    }
  }

  async #requestOf(body: unknown, kind: JobRequest['kind'], orgId: string): Promise<JobRequest> {
    const { schemas } = this.#parts
    const { extracts, speech } = this.#options
    return kind === 'extraction'
      ? extractRequestOf(body, orgId, { schemas, extracts })
      : transcriptRequestOf(body, speech)
  }

  async #look({ url }: JobRequest, asker: Asker): Promise<Found> {
    try {
      const { metadata, missing } = await this.#parts.lookups.videoOfJob(asker, url)
      const { captions = null, duration } = metadata
      return { captions, duration, failure: null, mayHaveMore: missing.includes('captions') }
    } catch (error) {
      if (error instanceof PaceError) throw toUnavailable(error)
      if (error instanceof StepError) return { ...unknownVideo, failure: failureOf(error.code, error.message) }
      // a platform that is slow now says nothing about the job
      if (error instanceof DOMException && error.name === 'TimeoutError') return unknownVideo
      throw error
    }
  }

  /** Why a job on this video would fail. */
  #failureOf(request: JobRequest, held: number, { duration }: Found, read: boolean | undefined): Estimate['failure'] {
    if (read !== false) return null
    if (request.mode === 'native') return failureOf('captions_unavailable', captionsMissing(request.options))
    if (held < pricesOf(request.kind).speech) return failureOf('insufficient_credits')
    const { secondsPerAudioSecond } = this.#options.speech
    return (duration ?? 0) * secondsPerAudioSecond > this.#options.windowSeconds ? failureOf('media_too_long') : null
  }

  /** The failure of a job that would begin so late that its window ends first. Null if there is time. */
  #tooLate(seconds: number | null, waitSeconds: number | null): Estimate['failure'] {
    const { windowSeconds } = this.#options
    if (seconds === null || waitSeconds === null || waitSeconds + seconds <= windowSeconds) return null
    const message = `The job would take ${seconds} s and wait for ${waitSeconds} s before, and must end within ${windowSeconds} s.`
    return failureOf('timeout', message)
  }

  #secondsOf(kind: JobRequest['kind'], duration: number | null, read: boolean | undefined): Estimate['seconds'] {
    const speech = this.#secondsOfSpeech(duration, read)
    if (speech === null) return null
    return tenths(READ_SECONDS + speech + (kind === 'extraction' ? MODEL_SECONDS : 0))
  }

  #secondsOfSpeech(duration: number | null, read: boolean | undefined): number | null {
    if (read === true) return 0
    if (read === undefined || duration === null) return null
    const { overheadSeconds, secondsPerAudioSecond } = this.#options.speech
    return overheadSeconds + duration * secondsPerAudioSecond
  }
}

/** The estimate for a job that reuses a result: its video is not read. */
const reusing: Omit<Estimate, 'kind'> = {
  credits: { held: 0, charged: { least: 0, likely: 0, most: 0 } },
  captions: null,
  duration: null,
  seconds: 0,
  waitSeconds: 0,
  refusal: null,
  failure: null,
}

const tenths = (seconds: number): number => Math.round(seconds * 10) / 10

type Asked = Pick<JobRequest, 'kind' | 'mode'>

/** @throws ServiceError invalid_request */
function askedIn(body: unknown): Asked {
  if (typeof body === 'object' && body !== null && 'prompt' in body) {
    validated(isExtractRequest, body)
    return { kind: 'extraction', mode: null }
  }
  return { kind: 'transcript', mode: validated(isTranscriptRequest, body).mode ?? 'auto' }
}

/** Whether a job would use captions; false: it would transcribe the sound. Undefined if the captions are unknown. */
function readsCaptions({ mode, lang, options }: JobRequest, { captions, mayHaveMore }: Found): boolean | undefined {
  if (mode === 'generate') return false
  if (captions === null) return undefined
  if (lang === null || !options.strictLang || options.translate) return captions.length > 0
  const isListed = captions.some(({ language }) => language !== null && sameLanguage(language, lang))
  return isListed || (mayHaveMore ? undefined : false)
}

/** The credits of a completed job. Listed captions may turn out to be empty. */
function chargedOf(asked: Asked, held: number, read: boolean | undefined): Estimate['credits']['charged'] {
  const most = Math.min(held, debitOf(asked).full)
  if (asked.mode !== 'auto' || read === false) return { least: most, likely: most, most }
  const { captions } = pricesOf(asked.kind)
  return { least: captions, likely: read === true ? captions : most, most }
}

const failureOf = (code: FailureCode, message: string = failures[code].message): Estimate['failure'] => ({
  code,
  message,
})

const refusalOf = ({ status, code, message, details, retryAfterSeconds }: ServiceError): Estimate['refusal'] => ({
  status,
  error: code,
  message,
  details: (details ?? null) as NonNullable<Estimate['refusal']>['details'],
  retryAfterSeconds: retryAfterSeconds ?? null,
})

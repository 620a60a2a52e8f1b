import { APIConnectionError, APIError } from 'openai'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { isAboutForm, mayPass } from './outcome.ts'

/** The names of an endpoint in messages for customers and operators. */
export type EndpointName = {
  /** The word before "endpoint", such as `speech`. */
  kind: string
  /** The work that fails without it, for the log. */
  purpose: string
  /** The prefix of its variables: `SPEECH` of SPEECH_BASE_URL. */
  variables: string
}

/** The endpoint did not accept the request in this form; it may accept another. */
export class RequestRefused extends StepError {
  readonly status: number
  readonly #said: string

  constructor({ kind }: EndpointName, status: number, said: string) {
    super('upstream_error', { message: `The ${kind} endpoint refused the request.` })
    this.status = status
    this.#said = said
  }

  /** The endpoint's own message, for decisions only. Never pass it on: it may repeat the key or the request. */
  get said(): string {
    return this.#said
  }
}

/** Turns an error of the client into a StepError, without the endpoint's own message, which may repeat the key. */
export function failureOf(error: unknown, endpoint: EndpointName, log: Logger): StepError {
  if (error instanceof APIConnectionError)
    return new StepError('upstream_error', {
      transient: true,
      message: `The ${endpoint.kind} endpoint did not answer.`,
    })
  if (!(error instanceof APIError) || error.status === undefined)
    return new StepError('upstream_error', {
      transient: true,
      message: `The ${endpoint.kind} endpoint gave an answer that cannot be read.`,
      cause: error,
    })
  return toldByStatus(error as APIError<number, Headers>, endpoint, log)
}

function toldByStatus(error: APIError<number, Headers>, endpoint: EndpointName, log: Logger): StepError {
  const { status, headers } = error
  const { kind, purpose, variables } = endpoint
  if (isAboutForm(error)) return new RequestRefused(endpoint, status, `${error.code} ${error.message}`)
  if (mayPass(status)) {
    const retryAfterSeconds = secondsOf(headers?.get('retry-after'))
    return new StepError('upstream_error', {
      transient: true,
      message: `The ${kind} endpoint answered ${status}.`,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    })
  }
  if (status === 401 || status === 403)
    log.error({ status }, `the ${kind} endpoint refuses the key of ${variables}_API_KEY: ${purpose}`)
  else
    log.error({ status }, `the ${kind} endpoint refuses requests: check ${variables}_BASE_URL and ${variables}_MODEL`)
  return new StepError('upstream_error', { message: `The ${kind} endpoint refused this service (${status}).` })
}

function secondsOf(header: string | null | undefined): number | undefined {
  const seconds = Number(header ?? Number.NaN)
  return header !== '' && Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined
}

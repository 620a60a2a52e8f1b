import { EgressError, type EgressReason } from '#packages/egress/egress-error.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'

const MAX_RETRY_AFTER_SECONDS = 600

const ofReason: Record<EgressReason, () => StepError> = {
  refused_address: () =>
    new StepError('upstream_error', { message: 'The URL leads to an address that this service does not request.' }),
  too_many_redirects: () => new StepError('upstream_error', { message: 'The URL redirects too often.' }),
  too_large: () => new StepError('media_too_large'),
  timeout: () =>
    new StepError('upstream_error', { transient: true, message: 'The host of the file did not answer in time.' }),
  no_answer: () =>
    new StepError('upstream_error', { transient: true, message: 'The host of the file does not answer.' }),
  not_found: () =>
    new StepError('upstream_error', { transient: true, message: 'The host of the file cannot be found.' }),
  no_connection: () =>
    new StepError('upstream_error', { transient: true, message: 'The host of the file refuses connections.' }),
  unreachable: () =>
    new StepError('upstream_error', { transient: true, message: 'The host of the file cannot be reached.' }),
  cut_short: () => new StepError('upstream_error', { transient: true, message: 'The host of the file cut it off.' }),
  unreadable: () => new StepError('upstream_error', { message: 'The host of the file answers with something else.' }),
  tls: () => new StepError('upstream_error', { message: 'The host of the file has no valid certificate.' }),
}

/**
 * The reasons that mean that the host does not exist, with the number of failed attempts that makes this final, and the
 * message then.
 */
const absent: Partial<Record<EgressReason, { failures: number; message: string }>> = {
  not_found: { failures: 2, message: 'The host of the file does not exist. Check the URL.' },
  // Each further attempt takes 10 s, and a host that drops packets will drop the next ones too.
  no_answer: {
    failures: 2,
    message: 'The host of the file does not answer. Check the URL, or that the host is running.',
  },
  no_connection: {
    failures: 3,
    message: 'The host of the file refuses connections. Check the URL, or that the host is running.',
  },
}

/**
 * Turns an EgressError into the StepError that ends the attempt. Returns any other error unchanged.
 * @param failures earlier failed attempts: we do not keep waiting for a host that does not exist
 */
export function failureOf(error: unknown, failures = 0): unknown {
  if (!(error instanceof EgressError)) return error
  const limit = absent[error.reason]
  const failure =
    limit && failures + 1 >= limit.failures
      ? new StepError('upstream_error', { message: limit.message })
      : ofReason[error.reason]()
  failure.cause = error
  return failure
}

/**
 * The failure that a status means, or undefined if the answer is a file.
 * @param now milliseconds since 1970, for a Retry-After that is a date
 */
export function failureOfStatus(status: number, retryAfter: unknown, now: number): StepError | undefined {
  if (status >= 200 && status < 300) return undefined
  if (status === 401) return new StepError('login_required')
  if (status === 403) return new StepError('video_private')
  if (status === 451) return new StepError('geo_blocked')
  if (status === 404 || status === 410) return new StepError('video_unavailable')
  const retryAfterSeconds = secondsOf(retryAfter, now)
  return new StepError('upstream_error', {
    transient: status >= 500 || status === 408 || status === 425 || status === 429,
    message: `The host of the file answered ${status}.`,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  })
}

function secondsOf(retryAfter: unknown, now: number): number | undefined {
  if (typeof retryAfter !== 'string') return undefined
  const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - now) / 1000
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(0, seconds), MAX_RETRY_AFTER_SECONDS)
}

import { EgressError, type EgressReason } from '#packages/egress/egress-error.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'

const MAX_RETRY_AFTER_SECONDS = 600

/** What each failure means. Transient: the host may answer the next attempt. */
const meanings: Record<Exclude<EgressReason, 'too_large'>, { message: string; transient?: true }> = {
  refused_address: { message: 'The URL leads to an address that this service does not request.' },
  too_many_redirects: { message: 'The URL redirects too often.' },
  timeout: { transient: true, message: 'The host of the file did not answer in time.' },
  no_answer: { transient: true, message: 'The host of the file does not answer.' },
  not_found: { transient: true, message: 'The host of the file cannot be found.' },
  no_connection: { transient: true, message: 'The host of the file refuses connections.' },
  unreachable: { transient: true, message: 'The host of the file cannot be reached.' },
  cut_short: { transient: true, message: 'The host of the file cut it off.' },
  unreadable: { message: 'The host of the file answers with something else.' },
  tls: { message: 'The host of the file has no valid certificate.' },
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
  const { reason } = error
  if (reason === 'too_large') return new StepError('media_too_large', { cause: error })
  const limit = absent[reason]
  const meaning = limit && failures + 1 >= limit.failures ? { message: limit.message } : meanings[reason]
  return new StepError('upstream_error', { ...meaning, cause: error })
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

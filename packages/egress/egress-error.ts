/**
 * Why an outside resource could not be read. `refused_address`: the URL or a redirect leads to an internal address.
 * `timeout`: one wait took too long. `no_answer`: the address did not answer the attempt to connect. `not_found`: the
 * name servers know no such name. `no_connection`: the host accepts none. `unreachable`: the connection, or the way to
 * the host, is broken. `cut_short`: the body ended too early. `unreadable`: not HTTP, too large a head, or a body that
 * does not match its head or the request.
 */
export type EgressReason =
  | 'refused_address'
  | 'too_many_redirects'
  | 'too_large'
  | 'timeout'
  | 'no_answer'
  | 'not_found'
  | 'no_connection'
  | 'unreachable'
  | 'cut_short'
  | 'unreadable'
  | 'tls'

/** An outside resource could not be read. The message names hosts, never whole URLs. */
export class EgressError extends Error {
  readonly reason: EgressReason

  constructor(reason: EgressReason, message: string, cause?: unknown) {
    super(`${reason}: ${message}`, { cause })
    this.name = 'EgressError'
    this.reason = reason
  }
}

const timeouts = new Set([
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'ETIMEDOUT',
  'ETIMEOUT',
])
/** Codes of an authoritative answer that the name does not exist, or of an invalid name. */
const notFound = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME'])
const tlsCodes = /^(?:ERR_TLS|ERR_SSL|CERT_|EPROTO|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|ERR_OSSL)/

/** Turns any error of a socket or of undici into an EgressError. */
export function toEgressError(error: unknown, host: string): EgressError {
  if (error instanceof EgressError) return error
  const code = codeOf(error)
  if (timeouts.has(code) || (error instanceof Error && error.name === 'TimeoutError')) {
    return new EgressError('timeout', host, error)
  }
  const reason = isUnreadable(error, code) ? 'unreadable' : reasonOf(code)
  return new EgressError(reason, `${host} ${code}`.trim(), error)
}

/** Whether undici could not parse the answer, so that a retry is useless. A broken connection does not count. */
const isUnreadable = (error: unknown, code: string): boolean =>
  code === 'UND_ERR_HEADERS_OVERFLOW' ||
  (error instanceof Error && error.name === 'HTTPParserError' && !error.message.includes('EOF'))

function reasonOf(code: string): EgressReason {
  if (notFound.has(code)) return 'not_found'
  return tlsCodes.test(code) ? 'tls' : 'unreachable'
}

const passing: ReadonlySet<EgressReason> = new Set([
  'timeout',
  'no_answer',
  'no_connection',
  'unreachable',
  'cut_short',
  'not_found',
])

/** Whether the same request may succeed soon after. */
export const isPassing = ({ reason }: EgressError): boolean => passing.has(reason)

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

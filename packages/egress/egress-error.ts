/**
 * Why something outside could not be read. `refused_address`: it is inside, or a redirect leads there; `timeout`: one
 * wait took too long; `unreachable`: no connection, a broken one, or no HTTP; `unreadable`: a body that is not what its
 * head says, or not what was asked for.
 */
export type EgressReason =
  | 'refused_address'
  | 'too_many_redirects'
  | 'too_large'
  | 'timeout'
  | 'unreachable'
  | 'unreadable'
  | 'tls'

/** The outside could not be read. The message names hosts, never whole URLs. */
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
const tlsCodes = /^(?:ERR_TLS|ERR_SSL|CERT_|EPROTO|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|ERR_OSSL)/

/** Any error of a socket or of undici, as an EgressError. */
export function toEgressError(error: unknown, host: string): EgressError {
  if (error instanceof EgressError) return error
  const code = codeOf(error)
  if (timeouts.has(code) || (error instanceof Error && error.name === 'TimeoutError')) {
    return new EgressError('timeout', host, error)
  }
  return new EgressError(tlsCodes.test(code) ? 'tls' : 'unreachable', `${host} ${code}`.trim(), error)
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

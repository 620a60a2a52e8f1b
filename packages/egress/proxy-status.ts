import type { IncomingHttpHeaders } from 'node:http'
import { EgressError, type EgressReason } from './egress-error.ts'

/** The errors of RFC 9209, 2.3, that tell what is wrong with the host itself. */
const reasons = new Map<string, EgressReason>([
  ['dns_error', 'not_found'],
  ['destination_not_found', 'not_found'],
  ['destination_unavailable', 'no_connection'],
  ['connection_refused', 'no_connection'],
])

/** What Squid says in a header of its own, the name of its error page. */
const ofSquid = new Map<string, EgressReason>([
  ['ERR_DNS_FAIL', 'not_found'],
  ['ERR_CONNECT_FAIL', 'no_connection'],
])

type Answer = { statusCode: number; headers: IncomingHttpHeaders }

/** What an answer says that is the proxy's own: it refuses us, or does not reach the host. */
export function proxyFailureOf(answer: Answer, host: string, isProxied = false): EgressError | undefined {
  if (answer.statusCode === 407) return new EgressError('unreachable', 'the egress proxy refused our credentials')
  return isProxied && answer.statusCode >= 500 ? proxyErrorOf(answer.headers, host) : undefined
}

/**
 * Why a proxy did not reach a host, from its `Proxy-Status` (RFC 9209) or Squid's `X-Squid-Error`; undefined where it
 * says neither. Its statuses alone do not tell: a proxy that is overloaded answers 502 and 503 as well.
 */
export function proxyErrorOf(headers: IncomingHttpHeaders, host: string): EgressError | undefined {
  const error = /;\s*error=([a-z_]+)/.exec(String(headers['proxy-status'] ?? ''))?.[1] ?? ''
  const page = String(headers['x-squid-error'] ?? '').split(' ')[0] ?? ''
  const reason = reasons.get(error) ?? ofSquid.get(page)
  return reason && new EgressError(reason, `${host} ${error || page}, says the egress proxy`)
}

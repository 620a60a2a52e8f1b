import type { IncomingHttpHeaders } from 'node:http'
import { EgressError, type EgressReason } from './egress-error.ts'

/** The errors of RFC 9209, 2.3, that say what is wrong with the host itself. */
const reasons = new Map<string, EgressReason>([
  ['dns_error', 'not_found'],
  ['destination_not_found', 'not_found'],
  ['destination_unavailable', 'no_connection'],
  ['connection_refused', 'no_connection'],
])

/** The name of Squid's error page, from its own header. */
const ofSquid = new Map<string, EgressReason>([
  ['ERR_DNS_FAIL', 'not_found'],
  ['ERR_CONNECT_FAIL', 'no_connection'],
])

type Answer = { statusCode: number; headers: IncomingHttpHeaders }

/** The failure, if an answer comes from the proxy itself: it refuses us, or does not reach the host. */
export function proxyFailureOf(answer: Answer, host: string, isProxied = false): EgressError | undefined {
  if (answer.statusCode === 407) return new EgressError('unreachable', 'the egress proxy refused our credentials')
  return isProxied && answer.statusCode >= 500 ? proxyErrorOf(answer.headers, host) : undefined
}

/**
 * Why a proxy did not reach a host, from its `Proxy-Status` (RFC 9209) or Squid's `X-Squid-Error`. Undefined if it
 * has neither. The status alone does not show it: an overloaded proxy also answers 502 and 503.
 */
export function proxyErrorOf(headers: IncomingHttpHeaders, host: string): EgressError | undefined {
  const error = /;\s*error=([a-z_]+)/.exec(String(headers['proxy-status'] ?? ''))?.[1] ?? ''
  const page = String(headers['x-squid-error'] ?? '').split(' ')[0] ?? ''
  const reason = reasons.get(error) ?? ofSquid.get(page)
  return reason && new EgressError(reason, `${host} ${error || page}, says the egress proxy`)
}

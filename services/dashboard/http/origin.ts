import type { IncomingHttpHeaders } from 'node:http'
import { isLoopback } from '#packages/config/address.ts'

/** The host and scheme by which a browser reached us; a proxy in front of us is told by PUBLIC_URL. */
export function baseUrlOf({ host = 'localhost' }: IncomingHttpHeaders, publicUrl: string | undefined): string {
  return publicUrl ?? `http://${host}`
}

/**
 * Whether a form was sent by one of our own pages. Browsers of today say so in `Sec-Fetch-Site`, which no page can set;
 * older ones name the origin.
 */
export function isOurOwn(headers: IncomingHttpHeaders, publicUrl: string | undefined): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  return headers.origin !== undefined && headers.origin === new URL(baseUrlOf(headers, publicUrl)).origin
}

/** Whether browsers keep a session cookie at this address: over TLS, or on this machine. */
export function keepsSessions(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl)
  // The address of IPv6 stands in brackets.
  return protocol === 'https:' || isLoopback(hostname.replaceAll(/[[\]]/g, ''))
}

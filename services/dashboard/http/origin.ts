import type { IncomingHttpHeaders } from 'node:http'
import { isPrivateUrl } from '#packages/foundation/config/address.ts'

/** The host and scheme by which a browser reached us; a proxy in front of us is told by PUBLIC_URL. */
export function baseUrlOf({ host = 'localhost' }: IncomingHttpHeaders, publicUrl: string | undefined): string {
  return publicUrl ?? `http://${host}`
}

/**
 * Whether a form was sent by one of our own pages. Browsers of today say so in `Sec-Fetch-Site`, which no page can set;
 * older ones name the origin. Without PUBLIC_URL the dashboard is used on its own machine only: a page of another name,
 * which its owner has pointed at this machine (DNS rebinding), is not ours, though to the browser it is of one origin.
 */
export function isOurOwn(headers: IncomingHttpHeaders, publicUrl: string | undefined): boolean {
  if (publicUrl === undefined && !keepsSessions(baseUrlOf(headers, undefined))) return false
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  return headers.origin !== undefined && headers.origin === new URL(baseUrlOf(headers, publicUrl)).origin
}

/** Whether browsers keep a session cookie at this address: over TLS, or on this machine. A program may send any Host. */
export const keepsSessions = (baseUrl: string): boolean => isPrivateUrl(baseUrl)

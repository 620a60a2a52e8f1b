import type { IncomingHttpHeaders } from 'node:http'
import { isPrivateUrl } from '#packages/foundation/config/address.ts'

/** The scheme and host that a browser used to reach us. Behind a proxy, PUBLIC_URL gives them. */
export function baseUrlOf({ host = 'localhost' }: IncomingHttpHeaders, publicUrl: string | undefined): string {
  return publicUrl ?? `http://${host}`
}

/**
 * Whether one of our own pages sent a form. Current browsers say so in `Sec-Fetch-Site`, which no page can set. Older
 * ones send the origin. Without PUBLIC_URL, only this machine may use the dashboard. This stops DNS rebinding: an
 * attacker points a name of their own at this machine, and the browser sees one origin.
 */
export function isOurOwn(headers: IncomingHttpHeaders, publicUrl: string | undefined): boolean {
  if (publicUrl === undefined && !keepsSessions(baseUrlOf(headers, undefined))) return false
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  return headers.origin !== undefined && headers.origin === new URL(baseUrlOf(headers, publicUrl)).origin
}

/** Whether browsers keep a session cookie at this address: over TLS or on this machine. Programs can send any Host. */
export const keepsSessions = (baseUrl: string): boolean => isPrivateUrl(baseUrl)

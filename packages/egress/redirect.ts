/** The parts of a request that a redirect may change. */
export type Sent = {
  method: 'GET' | 'HEAD' | 'POST'
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>
  body: string | Uint8Array | undefined
}

const redirects = new Set([301, 302, 303, 307, 308])
/** The only headers that are sent to another host. Cookies, keys and other secrets are not. */
const harmless = new Set(['accept', 'accept-encoding', 'accept-language', 'content-type', 'range', 'user-agent'])

/**
 * The `Location` of a redirect; undefined for any other answer. Hosts send raw bytes in it, mostly UTF-8, which HTTP
 * reads as one character each. They are percent-encoded as bytes.
 */
export const locationOf = (status: number, location: unknown): string | undefined =>
  redirects.has(status) && typeof location === 'string'
    ? location.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)
    : undefined

/** The request to the target of a redirect (RFC 9110, 15.4). 307 and 308 keep a POST; others turn it into a GET. */
export function redirected(sent: Sent, status: number, from: URL, to: URL): Sent {
  const keeps = status === 307 || status === 308 || sent.method !== 'POST'
  const headers = Object.entries(sent.headers).filter(
    ([name]) => (keeps || !name.startsWith('content-')) && (to.origin === from.origin || harmless.has(name)),
  )
  return {
    method: keeps ? sent.method : 'GET',
    headers: Object.fromEntries(headers),
    body: keeps ? sent.body : undefined,
  }
}

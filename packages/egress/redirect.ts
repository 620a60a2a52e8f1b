/** What a request consists of that a redirect may change. */
export type Sent = {
  method: 'GET' | 'HEAD' | 'POST'
  headers: Readonly<Record<string, string>>
  body: string | Uint8Array | undefined
}

const redirects = new Set([301, 302, 303, 307, 308])
/** All that another host hears of the headers: cookies, keys and whatever else may be a secret stay with the first. */
const harmless = new Set(['accept', 'accept-encoding', 'accept-language', 'content-type', 'range', 'user-agent'])

/** Where an answer leads, as its `Location` says; undefined when it is no redirect. */
export const locationOf = (status: number, location: unknown): string | undefined =>
  redirects.has(status) && typeof location === 'string' ? location : undefined

/** What is sent to where a redirect leads (RFC 9110, 15.4): 307 and 308 keep a POST, the others turn it into a GET. */
export function redirected(sent: Sent, status: number, from: URL, to: URL): Sent {
  const keeps = status === 307 || status === 308 || sent.method !== 'POST'
  const headers = Object.entries(sent.headers).filter(([given]) => {
    const name = given.toLowerCase()
    return (keeps || !name.startsWith('content-')) && (to.origin === from.origin || harmless.has(name))
  })
  return {
    method: keeps ? sent.method : 'GET',
    headers: Object.fromEntries(headers),
    body: keeps ? sent.body : undefined,
  }
}

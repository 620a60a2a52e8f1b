import { type Cookie, parseCookie } from 'undici'

/**
 * The cookies that the redirects of one request set, by host. Some hosts redirect without end until their cookie
 * comes back. Cookies go to no other host and end with the request.
 */
export class RedirectCookies {
  readonly #ofHost = new Map<string, Map<string, Cookie>>()

  /** @param header `Set-Cookie` of the answer to this URL */
  take({ hostname }: URL, header: string | string[] | undefined): void {
    const kept = this.#ofHost.get(hostname) ?? new Map<string, Cookie>()
    this.#ofHost.set(hostname, kept)
    for (const cookie of [header ?? []].flat().flatMap((line) => parseCookie(line) ?? [])) {
      if (isOver(cookie)) kept.delete(cookie.name)
      else kept.set(cookie.name, cookie)
    }
  }

  /** The headers of a request to this URL. The cookies follow those that the request already has. */
  on(headers: Readonly<Record<string, string>>, { hostname, protocol }: URL): Record<string, string> {
    const kept = [...(this.#ofHost.get(hostname)?.values() ?? [])]
      .filter(({ secure }) => !secure || protocol === 'https:')
      .map(({ name, value }) => `${name}=${value}`)
    if (kept.length === 0) return headers
    return { ...headers, cookie: [headers.cookie ?? [], kept].flat().join('; ') }
  }
}

const isOver = ({ maxAge = 1, expires = Number.POSITIVE_INFINITY }: Cookie): boolean =>
  maxAge <= 0 || Number(expires) <= Date.now()

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i

/** Whether a server that listens on this host, a name or an address, can be reached from its own machine only. */
export const isLoopback = (host: string): boolean => loopback.test(host)

/** Whether a URL leads to this machine. */
export const isLoopbackUrl = (url: string): boolean =>
  // The address of IPv6 stands in brackets.
  isLoopback((URL.parse(url)?.hostname ?? '').replace(/^\[|\]$/g, ''))

/** Whether nobody on the way reads what is sent to a URL: over TLS, or on this machine. */
export const isPrivateUrl = (url: string): boolean => URL.parse(url)?.protocol === 'https:' || isLoopbackUrl(url)

/** The URL of a server, without a path. */
export const urlAt = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`

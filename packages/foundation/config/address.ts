const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i

/** Whether a server that listens on this host, a name or an address, can be reached only from its own machine. */
export const isLoopback = (host: string): boolean => loopback.test(host)

/** Whether a URL leads to this machine. */
export const isLoopbackUrl = (url: string): boolean =>
  // An IPv6 address is in brackets.
  isLoopback((URL.parse(url)?.hostname ?? '').replace(/^\[|\]$/g, ''))

/** Whether data sent to a URL cannot be read on the way: it goes over TLS, or stays on this machine. */
export const isPrivateUrl = (url: string): boolean => URL.parse(url)?.protocol === 'https:' || isLoopbackUrl(url)

/** The URL of a server, without a path. */
export const urlAt = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i

/** Whether a server that listens on this host, a name or an address, can be reached from its own machine only. */
export const isLoopback = (host: string): boolean => loopback.test(host)

/** The URL of a server, without a path. */
export const urlAt = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`

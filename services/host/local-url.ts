import { urlAt } from '#packages/foundation/config/address.ts'

/** Addresses that stand for all addresses of this machine. Local clients reach the service at loopback then. */
const loopbackOf: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1', '': '127.0.0.1' }

/** The base URL of a service that listens on this machine. @param host as in HOST */
export const localUrl = (host: string, port: number): string => urlAt(loopbackOf[host] ?? host, port)

import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'

const PREFIX_BYTES_OF_IPV6 = 8

/**
 * What the limits count as one remote address: an IPv4 address, the /64 of an IPv6 address (one machine gets a /64), or
 * all loopback addresses together. '' for a connection that is already closed.
 */
export function addressGroupOf(address: string | undefined): string {
  if (address === undefined || !ipaddr.isValid(address)) return ''
  const ip = ipaddr.process(address)
  if (ip.range() === 'loopback') return 'loopback'
  if (ip.kind() === 'ipv4') return ip.toString()
  return Buffer.from(ip.toByteArray().slice(0, PREFIX_BYTES_OF_IPV6)).toString('hex')
}

/** The address of a caller, as the limits group it. */
export type AddressOf = (request: IncomingMessage) => string

/**
 * @param header a proxy in front of the service replaces its value by the caller's address; undefined: callers connect
 * directly
 */
export const addressesBy =
  (header: string | undefined): AddressOf =>
  ({ headers, socket }) => {
    const told = header === undefined ? undefined : headers[header]
    // A repeated header is joined with commas and is not an address. Then the proxy counts as the caller.
    return (typeof told === 'string' && addressGroupOf(told.trim())) || addressGroupOf(socket.remoteAddress)
  }

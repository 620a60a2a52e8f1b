import ipaddr from 'ipaddr.js'

const PREFIX_BYTES_OF_IPV6 = 8

/**
 * What the limits count as one remote address: an IPv4 address, the /64 of an IPv6 address (one machine gets a /64),
 * and all loopback addresses together. '' for a connection that is already closed.
 */
export function addressGroupOf(address: string | undefined): string {
  if (address === undefined || !ipaddr.isValid(address)) return ''
  const ip = ipaddr.process(address)
  if (ip.range() === 'loopback') return 'loopback'
  if (ip.kind() === 'ipv4') return ip.toString()
  return Buffer.from(ip.toByteArray().slice(0, PREFIX_BYTES_OF_IPV6)).toString('hex')
}

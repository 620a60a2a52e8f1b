import ipaddr from 'ipaddr.js'

/** Azure's host agent: an internal service at a public address. */
const insideByUse = new Set(['168.63.129.16'])

/**
 * True for an address of the public internet: not loopback, private, link-local, carrier-grade NAT, multicast, nor any
 * IPv6 form (mapped, NAT64, 6to4, Teredo) that leads to one.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return parsed.range() === 'unicast' && !insideByUse.has(parsed.toString())
}

import ipaddr from 'ipaddr.js'

/** Azure's host agent: an internal service at a public address. */
const insideByUse = new Set(['168.63.129.16'])

/** The only IPv6 addresses that are given out for the internet (RFC 4291, IANA). */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * True for an address of the public internet: not loopback, private, link-local, carrier-grade NAT, multicast, nor any
 * IPv6 form (mapped, compatible, NAT64, 6to4, Teredo, ISATAP) that may lead to one.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv6 && (!parsed.match(globalUnicast) || isIsatap(parsed))) return false
  return parsed.range() === 'unicast' && !insideByUse.has(parsed.toString())
}

/** Two bits that such an address may have or not. */
const UNIVERSAL_AND_GROUP = 0x300

/** A router at the site hands it on to the IPv4 address in its last 32 bits (RFC 5214). */
const isIsatap = ({ parts: [, , , , marks = 0, form] }: ipaddr.IPv6): boolean =>
  (marks & ~UNIVERSAL_AND_GROUP) === 0 && form === 0x5efe

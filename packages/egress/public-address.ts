import ipaddr from 'ipaddr.js'

/** Azure's host agent: an internal service at a public address. */
const insideByUse = new Set(['168.63.129.16'])

/** The only IPv6 addresses that are allocated for the internet (RFC 4291, IANA). */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Whether an address belongs to the public internet: not loopback, private, link-local, carrier-grade NAT or
 * multicast. IPv6 forms that may lead to such an address do not count either (mapped, compatible, NAT64, 6to4,
 * Teredo, ISATAP).
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv6 && (!parsed.match(globalUnicast) || isIsatap(parsed))) return false
  return parsed.range() === 'unicast' && !insideByUse.has(parsed.toString())
}

/** Two bits that an ISATAP address may have set or not. */
const UNIVERSAL_AND_GROUP = 0x300

/**
 * Whether an address is ISATAP: a router at the site forwards it to the IPv4 address in its last 32 bits (RFC 5214).
 */
const isIsatap = ({ parts: [, , , , marks = 0, form] }: ipaddr.IPv6): boolean =>
  (marks & ~UNIVERSAL_AND_GROUP) === 0 && form === 0x5efe

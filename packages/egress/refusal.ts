import { isIP } from 'node:net'

/**
 * Names that the public DNS does not have: reserved (RFC 6761, 6762, 7686, 8375, 9476, ICANN's `.internal`), or
 * internal by convention. A private resolver may have them.
 */
const insideSuffixes = [
  '.test',
  '.invalid',
  '.onion',
  '.alt',
  '.localhost',
  '.local',
  '.localdomain',
  '.internal',
  '.intranet',
  '.svc',
  '.lan',
  '.corp',
  '.home',
  '.arpa',
]

/**
 * Why a URL must not be requested, in words for its sender. Undefined if its host may be looked up. Refuses, without
 * network access, addresses in any spelling, internal names, ports other than the scheme's own, and credentials
 * (ops/adr/0001). The addresses of a name are checked when connecting.
 */
export function refusalOf(url: URL): string | undefined {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must begin with http:// or https://'
  if (url.username !== '' || url.password !== '') return 'must not carry a user name or password'
  // the URL parser drops the scheme's own port
  if (url.port !== '') return 'must be public: no ports other than 80 and 443, no local addresses'
  const host = hostOf(url)
  // the URL parser has already turned 2130706433, 0x7f.1 and 127.1 into dotted form
  if (isIP(host) !== 0) return 'must name a public host, not an address'
  const labels = host.split('.')
  if (labels.includes('')) return 'must name a host without empty labels'
  const inside = labels.length === 1 || insideSuffixes.some((suffix) => host.endsWith(suffix))
  return inside ? 'must be public: no local or internal hosts' : undefined
}

/** The host in the form for lookups: without the brackets of IPv6 and without a final dot. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')

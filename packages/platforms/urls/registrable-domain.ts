import { parse } from 'tldts'

/**
 * The domain that its owner registered, by the public suffix list: `example.co.uk` for `www.example.co.uk`. Leaves IP
 * addresses and public suffixes unchanged.
 * @param of a URL, or a host with or without its port
 */
export function registrableDomain(of: string): string {
  const { domain, hostname } = parse(of, { allowPrivateDomains: true })
  return domain ?? hostname ?? of
}

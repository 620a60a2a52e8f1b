import { parse } from 'tldts'

/**
 * The domain that somebody has registered, by the whole public suffix list: `example.co.uk` for `www.example.co.uk`. An
 * IP address, and a name that is a public suffix itself, stay as they are.
 * @param of a URL, or a host with or without its port
 */
export function registrableDomain(of: string): string {
  const { domain, hostname } = parse(of, { allowPrivateDomains: true })
  return domain ?? hostname ?? of
}

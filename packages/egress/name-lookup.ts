import { Resolver } from 'node:dns/promises'
import { Semaphore } from '#packages/foundation/concurrency/semaphore.ts'
import type { Resolve } from './connect.ts'
import { EgressError } from './egress-error.ts'

export type NameLookupOptions = {
  /** Most names looked up at one time. Further lookups are refused. */
  maxLookups?: number
  /** Wait for the first try of a name server, milliseconds. Each later one waits twice as long. */
  timeoutMs?: number
  tries?: number
  /** Name servers, `address:port`. Undefined: those of the system. */
  servers?: string[]
}

/** How many addresses of the first family come before those of the second: only the first few are tried. */
const FIRST = 2

/**
 * Looks up names by queries to the name servers. The system's `getaddrinfo` would occupy threads that file access
 * also needs, for as long as a name server is slow. `/etc/hosts` and search domains are ignored, as intended: they
 * name internal hosts. The returned function throws EgressError `timeout` if too many lookups are under way, and the
 * name servers' errors.
 */
export function createNameLookup({
  maxLookups = 256,
  timeoutMs = 2_000,
  tries = 2,
  servers,
}: NameLookupOptions = {}): Resolve {
  const resolver = new Resolver({ timeout: timeoutMs, tries })
  if (servers) resolver.setServers(servers)
  const lookups = new Semaphore(maxLookups)
  return async (host) => {
    using permit = lookups.tryAcquire()
    if (permit === undefined) throw new EgressError('timeout', `${host}: too many names are being looked up`)
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const [four, six] = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    const addresses = [...(four ?? []).slice(0, FIRST), ...(six ?? []), ...(four ?? []).slice(FIRST)]
    if (addresses.length === 0) throw failureOf(answers)
    return addresses
  }
}

/** Prefers a failed query to the other family's answer that the name does not exist. */
function failureOf(answers: readonly PromiseSettledResult<string[]>[]): unknown {
  const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []))
  return failures.find(({ code }) => code !== 'ENOTFOUND' && code !== 'ENODATA') ?? failures[0]
}

import { Resolver } from 'node:dns/promises'
import type { Resolve } from './connect.ts'
import { EgressError } from './egress-error.ts'

export type NameLookupOptions = {
  /** Names looked up at one time; one more is refused. */
  maxLookups?: number
  /** Wait for the first try of a name server; later ones wait longer, twice as long each. */
  timeoutMs?: number
  tries?: number
  /** Name servers, `address:port`; undefined: those of the system. */
  servers?: string[]
}

/** Addresses of the first family that come before those of the second: only the first few are tried. */
const FIRST = 2

/**
 * Looks up names by asking the name servers itself. The system's `getaddrinfo` occupies threads that files need too,
 * for as long as a slow name server likes. What is lost by it is not wanted here: `/etc/hosts` and search domains name
 * what is inside, and nothing inside may be reached.
 * @throws by the call: EgressError `timeout` when too many names are being looked up; what the name servers answer
 */
export function createNameLookup({
  maxLookups = 256,
  timeoutMs = 2_000,
  tries = 2,
  servers,
}: NameLookupOptions = {}): Resolve {
  const resolver = new Resolver({ timeout: timeoutMs, tries })
  if (servers) resolver.setServers(servers)
  let running = 0
  return async (host) => {
    if (running === maxLookups) throw new EgressError('timeout', `${host}: too many names are being looked up`)
    running++
    try {
      const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
      const [four, six] = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : []))
      const addresses = [...(four ?? []).slice(0, FIRST), ...(six ?? []), ...(four ?? []).slice(FIRST)]
      if (addresses.length === 0) throw failureOf(answers)
      return addresses
    } finally {
      running--
    }
  }
}

/** What a name server could not tell weighs more than that another knows no such name. */
function failureOf(answers: readonly PromiseSettledResult<string[]>[]): unknown {
  const failures = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []))
  return failures.find(({ code }) => code !== 'ENOTFOUND' && code !== 'ENODATA') ?? failures[0]
}

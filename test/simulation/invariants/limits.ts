import type { Key, Organization } from '../organizations.ts'
import { type Check, type History, requestOf } from './history.ts'
import type { EventOf } from './raw-events.ts'

const keysOf = (organizations: readonly Organization[]): Key[] => organizations.flatMap(({ keys }) => keys)

/** Milliseconds since 1970; null: never. */
export const expiryOf = (organizations: readonly Organization[], keyId: string): number | null =>
  keysOf(organizations).find(({ id }) => id === keyId)?.grant.expiresAt ?? null

/**
 * Invariant 13: no key is accepted after its expiry by every clock, or for a job without the scope. In no month does a
 * key have more credits debited and not refunded than its monthly credits.
 */
export const limitsOfKeysHold: Check = (history) => [
  ...expiredEntrances(history),
  ...foreignJobs(history),
  ...overdrafts(history),
]

const expiredEntrances = ({ organizations, world: { record, settings } }: History): string[] =>
  record.entrances
    .filter(({ keyId, accepted, askedAt }) => {
      const expiresAt = expiryOf(organizations, keyId) ?? Number.POSITIVE_INFINITY
      return accepted && askedAt >= expiresAt + settings.maxSkewMs
    })
    .map(({ keyId, node }) => `${node} accepted the key ${keyId} after its expiry`)

function foreignJobs({ jobs, organizations }: History): string[] {
  const scopesOf = new Map(keysOf(organizations).map(({ id, grant }) => [id, grant.scopes]))
  return [...jobs.values()].flatMap((job) => {
    const { keyId = null } = requestOf(job)?.data ?? {}
    const scopes = scopesOf.get(keyId ?? '') ?? null
    return scopes === null || scopes.includes('jobs') ? [] : [`the key ${keyId} has a job with the scopes ${scopes}`]
  })
}

/** How long a debit may be on its way to the store, milliseconds. */
const ON_ITS_WAY_MS = 60_000

const monthOf = (time: number): string => new Date(time).toISOString().slice(0, 7)

function overdrafts({ ledgers, organizations, debits, world: { settings } }: History): string[] {
  const problems: string[] = []
  const capOf = new Map(keysOf(organizations).map(({ id, grant }) => [id, grant.monthlyCredits]))
  const taken = new Map<string, number>()
  const add = (keyId: string | null, period: string, credits: number): number => {
    const sum = (taken.get(`${keyId} ${period}`) ?? 0) + credits
    taken.set(`${keyId} ${period}`, sum)
    return sum
  }
  for (const events of ledgers.values()) {
    const holds = new Map<string, EventOf<'CreditsHeld'>['data']>()
    for (const event of events) {
      const [settled] = event.type === 'CreditsSettled' ? (debits.get(event.data.jobId) ?? []) : []
      const returnsToHold = event.type === 'CreditsSettled' && holds.has(event.data.batch?.batchId ?? '')
      if (event.type === 'CreditsSettled' && settled && !returnsToHold)
        add(settled.data.keyId, settled.data.period, -event.data.refunded)
      const held = event.type === 'CreditsReleased' ? holds.get(event.data.batchId) : undefined
      if (event.type === 'CreditsReleased' && held) add(held.keyId, held.period, -event.data.credits)
      if (event.type === 'CreditsReleased') holds.delete(event.data.batchId)
      if (event.type === 'CreditsHeld') holds.set(event.data.batchId, event.data)
      // The credits that a batch takes left the balance with its hold.
      if (event.type !== 'CreditsHeld' && (event.type !== 'CreditsDebited' || event.data.batch !== null)) continue
      const { keyId, period, credits } = event.data
      const cap = capOf.get(keyId ?? '') ?? Number.POSITIVE_INFINITY
      const sum = add(keyId, period, credits)
      if (sum > cap) problems.push(`the key ${keyId} has taken ${sum} of ${cap} credits in ${period}`)
      const first = monthOf(event.recordedAt - settings.maxSkewMs - ON_ITS_WAY_MS)
      if (period < first || period > monthOf(event.recordedAt + settings.maxSkewMs))
        problems.push(`a debit of ${monthOf(event.recordedAt)} counts for ${period}`)
    }
  }
  return problems
}

import { hasScope, type KeyGrant } from '#packages/domain/key/grant.ts'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { Check, Keys } from './check.ts'
import { Verdict } from './outcome.ts'
import type { KeyTrace } from './traces.ts'

/**
 * How long a debit may take to reach the store after its key was accepted, including differences of clocks,
 * milliseconds.
 */
const ON_ITS_WAY_MS = 120_000

/**
 * True if an event takes credits with a key. A batch's credits were taken with its hold, perhaps before its key ended.
 */
const isTaking = (event: StoredEvent): event is StoredEvent & DomainEvent<'CreditsDebited' | 'CreditsHeld'> =>
  event.type === 'CreditsHeld' || (event.type === 'CreditsDebited' && event.data.batch === null)

/** Invariant 4, as far as debits can show it: each debit names its key. */
export function revokedKeys(keys: Keys, { beginsLater }: { beginsLater: boolean }): Check {
  const verdict = new Verdict('4', 'a key is not used after it was revoked')
  return {
    verdict,
    onCredits(event) {
      if (!isTaking(event) || event.data.keyId === null) return
      const { keyId } = event.data
      const key = keys.get(keyId)
      if (key === undefined || key.grants.length === 0) {
        if (beginsLater) verdict.left('debits by keys that were made before')
        else verdict.broken(event, `it names the key ${keyId}, which was never made`)
        return
      }
      verdict.checked()
      if (key.orgId !== event.metadata.orgId) verdict.broken(event, `the key ${keyId} is that of ${key.orgId}`)
      const late = event.recordedAt - (key.revokedAt ?? event.recordedAt)
      if (late > ON_ITS_WAY_MS) verdict.broken(event, `the key ${keyId} was revoked ${late} ms before`)
    },
  }
}

/** The widest limits of a key around an instant. Events do not show which of them applied to a request. */
function widestGrant(key: KeyTrace | undefined, at: number): KeyGrant | undefined {
  const met = (key?.grants ?? []).filter(({ from }, index, all) => {
    const until = all[index + 1]?.from ?? Number.POSITIVE_INFINITY
    return from <= at + ON_ITS_WAY_MS && until > at - ON_ITS_WAY_MS
  })
  const [first] = met
  if (first === undefined) return undefined
  return {
    scopes: first.grant.scopes,
    monthlyCredits: met.map(({ grant }) => grant.monthlyCredits).reduce(larger),
    expiresAt: met.map(({ grant }) => grant.expiresAt).reduce(larger),
  }
}

/** Null: no limit. */
const larger = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : Math.max(one, other)

/** Invariant 13, as far as debits show. */
export function limitsOfKeys(keys: Keys): Check {
  const verdict = new Verdict(
    '13',
    'a key is not used after its expiry, without its scope, or beyond its monthly credits',
  )
  return {
    verdict,
    onCredits(event) {
      const grant = isTaking(event) ? widestGrant(keys.get(event.data.keyId ?? ''), event.recordedAt) : undefined
      if (grant === undefined) return
      verdict.checked()
      const late = event.recordedAt - (grant.expiresAt ?? event.recordedAt)
      if (late > ON_ITS_WAY_MS) verdict.broken(event, `its key had expired ${late} ms before`)
      if (!hasScope(grant, 'jobs')) verdict.broken(event, 'its key may not ask for jobs')
    },
    afterCredits(event, { draft }) {
      if (!isTaking(event) || event.data.keyId === null) return
      const { keyId, period } = event.data
      const most = widestGrant(keys.get(keyId), event.recordedAt)?.monthlyCredits ?? null
      const taken = draft.spending.period === period ? (draft.spending.byKey.get(keyId) ?? 0) : 0
      if (most !== null && taken > most)
        verdict.broken(event, `its key has taken ${taken} of ${most} credits in ${period}`)
    },
  }
}

import type { CreditsEvent } from '#packages/domain/credits/ledger.ts'
import { givesNothing } from '#packages/domain/credits/months.ts'

/** What retention has to know of an event of a ledger. `jobId`: of a debit. */
export type LedgerMark = {
  revision: number
  position: number
  kind: 'debit' | 'statement' | 'renewal of nothing' | 'other'
  jobId: string | undefined
}

export function markOf(event: CreditsEvent & { revision: number; position: number }): LedgerMark {
  const { revision, position } = event
  return {
    revision,
    position,
    kind: kindOf(event),
    jobId: event.type === 'CreditsDebited' ? event.data.jobId : undefined,
  }
}

function kindOf(event: CreditsEvent): LedgerMark['kind'] {
  if (event.type === 'CreditsDebited') return 'debit'
  if (event.type === 'CreditsStated') return 'statement'
  return givesNothing(event) ? 'renewal of nothing' : 'other'
}

/**
 * Where a ledger may begin: at its newest statement, or at the renewals of nothing right before it, which complete it.
 * @param marks the ledger's first events, oldest first, as far as they are old enough
 * @param needed the revision of the first event that has to stay
 * @returns undefined where nothing can go
 */
export function truncationPoint(marks: readonly LedgerMark[], needed: number): LedgerMark | undefined {
  let at = marks.findLastIndex(({ kind, revision }) => kind === 'statement' && revision <= needed)
  if (at === -1) return undefined
  while (marks[at - 1]?.kind === 'renewal of nothing') at--
  return at === 0 ? undefined : marks[at]
}

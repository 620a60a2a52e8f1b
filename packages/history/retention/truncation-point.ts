import type { CreditsEvent } from '#packages/domain/credits/ledger.ts'

/** What retention needs from an event of a ledger. `jobId`: of a debit. */
export type LedgerMark = {
  revision: number
  position: number
  kind: 'debit' | 'statement' | 'other'
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
  return event.type === 'CreditsStated' ? 'statement' : 'other'
}

/**
 * The event at which a ledger may begin: its newest statement.
 * @param marks the ledger's first events, oldest first, as far as they are old enough
 * @param needed the revision of the first event that must stay
 * @returns undefined if nothing can be removed
 */
export function truncationPoint(marks: readonly LedgerMark[], needed: number): LedgerMark | undefined {
  const at = marks.findLastIndex(({ kind, revision }) => kind === 'statement' && revision <= needed)
  return at <= 0 ? undefined : marks[at]
}

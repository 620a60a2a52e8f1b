import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { Verdict } from './outcome.ts'
import type { Standstills } from './standstills.ts'
import type { JobTrace, KeyTrace, LedgerTrace, StoredCreditsEvent, StoredJobEvent, StreamTrace } from './traces.ts'

/** The debit and the settlement of a job that had no event of its own stream in the range. */
export type Unexplained = { jobId: string; debit: JobTrace['debit']; settlement: StoredCreditsEvent }

/** What is left when the feed has been read to its end. */
export type Rest = {
  /** Jobs that have not both ended and been settled. */
  jobs: Iterable<JobTrace>
  ledgerOf(orgId: string): LedgerTrace | undefined
  standstills: Standstills
  unexplained: Iterable<Unexplained>
}

/**
 * The check of one invariant. It is called with every event in the order of the feed, and with the traces of the events
 * before it. Only the calls that begin with `after` have traces that include the event.
 */
export type Check = {
  verdict: Verdict
  /** Every event, with the end of its stream before it. */
  onEvent?(event: StoredEvent, stream: StreamTrace): void
  /** Events of jobs with a stream that was read from its beginning. */
  onJob?(event: StoredJobEvent, job: JobTrace): void
  /** Events of ledgers with known credits. `job`: of a debit or a settlement, unless it is forgotten. */
  onCredits?(event: StoredCreditsEvent, ledger: KnownLedger, job: JobTrace | undefined): void
  afterCredits?(event: StoredCreditsEvent, ledger: KnownLedger): void
  /** Called between batches, to query the store. */
  ask?(): Promise<void>
  atEnd?(rest: Rest): Promise<void> | void
}

export type KnownLedger = LedgerTrace & { draft: NonNullable<LedgerTrace['draft']> }

/** The keys that were created, by id. */
export type Keys = ReadonlyMap<string, KeyTrace>

import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { Verdict } from './outcome.ts'
import type { Standstills } from './standstills.ts'
import type { JobTrace, KeyTrace, LedgerTrace, StoredCreditsEvent, StoredJobEvent, StreamTrace } from './traces.ts'

/** The debit and the settlement of a job of whose stream no event was read. */
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
 * The check of one invariant. It is called with every event in the order of the feed, and with what was read before it:
 * the traces do not have the event yet, but in the calls that begin with `after`.
 */
export type Check = {
  verdict: Verdict
  /** Every event, with the end of its stream before it. */
  onEvent?(event: StoredEvent, stream: StreamTrace): void
  /** Events of jobs whose stream was read from its beginning. */
  onJob?(event: StoredJobEvent, job: JobTrace): void
  /** Events of ledgers whose credits are known. `job`: of a debit or a settlement, where it is not forgotten. */
  onCredits?(event: StoredCreditsEvent, ledger: KnownLedger, job: JobTrace | undefined): void
  afterCredits?(event: StoredCreditsEvent, ledger: KnownLedger): void
  /** Called between batches, to ask the store. */
  ask?(): Promise<void>
  atEnd?(rest: Rest): Promise<void> | void
}

export type KnownLedger = LedgerTrace & { draft: NonNullable<LedgerTrace['draft']> }

/** The keys that were made, by their ids. */
export type Keys = ReadonlyMap<string, KeyTrace>

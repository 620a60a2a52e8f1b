import type { EventMetadata } from '#contracts/generated/messages.ts'
import type { CreditsCommand, CreditsOutcome } from '#packages/domain/credits/credits.ts'
import type { ExpectedRevision, NewEvent } from '#packages/ports/event-store.ts'

/** A stream that a debit begins. Where it is there already, or was removed, nothing is debited. */
export type Beginning = {
  stream: string
  /** Its first events, by the credits that are debited; none where the caller appends them afterwards in any case. */
  events: ReadonlyMap<number, readonly NewEvent[]>
  /**
   * The stream was read, and was not there, after the ledger was read to this revision; `always`: nobody else knows its
   * name. It matters where the store cannot append together: a debit that is written first must not be for a job that
   * another process has taken on, ended and settled meanwhile.
   */
  absentAt: ExpectedRevision | 'always'
}

/** A command for a ledger, with its metadata. */
export type LedgerEntry = {
  command: CreditsCommand
  metadata: EventMetadata
  /** Appended together with a debit where the store can; elsewhere the caller appends it afterwards. */
  begins?: Beginning
}

/** `taken`: the stream that the debit was to begin is there, or was removed. Nothing was written. */
export type LedgerOutcome = CreditsOutcome | { type: 'taken' }

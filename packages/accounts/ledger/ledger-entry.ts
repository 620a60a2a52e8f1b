import type { EventMetadata } from '#contracts/generated/messages.ts'
import type { CreditsCommand, CreditsOutcome } from '#packages/domain/credits/credits.ts'
import type { ExpectedRevision, NewEvent } from '#packages/ports/event-store.ts'

/** A stream that a debit begins. If it already exists, or was removed, nothing is debited. */
export type Beginning = {
  stream: string
  /** Its first events, by the debited credits. None if the caller appends them afterwards in any case. */
  events: ReadonlyMap<number, readonly NewEvent[]>
  /**
   * The revision of the ledger when it was read, before the stream was looked for and did not exist. `always`: no other
   * process knows the stream's name. It matters if the store cannot append together. Then the debit is written first,
   * and must not be for a job that another process has accepted, ended and settled meanwhile.
   */
  absentAt: ExpectedRevision | 'always'
}

/** A command for a ledger, with its metadata. */
export type LedgerEntry = {
  command: CreditsCommand
  metadata: EventMetadata
  /** Appended together with a debit if the store can. Otherwise the caller appends it afterwards. */
  begins?: Beginning
}

/** `taken`: the stream that the debit was to begin already exists, or was removed. Nothing was written. */
export type LedgerOutcome = CreditsOutcome | { type: 'taken' }

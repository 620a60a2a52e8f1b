import type { CreditsEvent, LedgerDraft } from '#packages/domain/credits/ledger.ts'
import type { JobEvent } from '#packages/domain/job/events.ts'
import type { Job } from '#packages/domain/job/state.ts'
import type { KeyGrant } from '#packages/domain/key/grant.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { Account } from './account.ts'
import type { EventPlace } from './outcome.ts'

export type EventOf<Type extends StoredEvent['type']> = Extract<StoredEvent, { type: Type }>
export type StoredCreditsEvent = EventOf<CreditsEvent['type']>
export type StoredJobEvent = EventOf<JobEvent['type']>
export type StoredEnd = EventOf<'JobCompleted'> | EventOf<'JobFailed'>

/** The last event of a stream that was read. */
export type StreamTrace = {
  /** Revision of its last event; -1 before the first. */
  revision: number
  /** Milliseconds since 1970. */
  recordedAt: number
  /** The organization of its first event. */
  orgId: string | undefined
  /** True if its beginning was not read, because it is before the range or was truncated. */
  isPartial: boolean
}

/** A job that has not both ended and been settled. Others are forgotten. */
export type JobTrace = StreamTrace & {
  jobId: string
  /**
   * The debit. Or, if only a later statement of the ledger was read, that statement, which does not have the debit's
   * time.
   */
  debit: (EventPlace & { credits: number; orgId: string; isStated: boolean }) | undefined
  /** The first event of its stream. */
  first: EventPlace | undefined
  /** Its state after the events that were read. */
  job: Job
  end: StoredEnd | undefined
  /** True if it was requested before it was debited, as far as events were read. */
  isUnpaid: boolean
}

/** The ledger of one organization. */
export type LedgerTrace = StreamTrace & {
  /** Undefined until a statement was read, unless the stream was read from its beginning. */
  draft: LedgerDraft | undefined
  /** The same credits counted another way; undefined if the beginning was not read. */
  account: Account | undefined
}

export type KeyTrace = StreamTrace & {
  /** Its limits, each from an instant on (milliseconds since 1970), oldest first; empty if it was never created. */
  grants: { from: number; grant: KeyGrant }[]
  /** Milliseconds since 1970. */
  revokedAt: number | undefined
}

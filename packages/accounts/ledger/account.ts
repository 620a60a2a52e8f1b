import { KnownLedger } from './known-ledger.ts'
import type { LedgerEntry, LedgerOutcome } from './ledger-entry.ts'
import type { Folded } from './load-stated.ts'

/** A caller who waits to change a ledger. */
export type Waiting = {
  entry: LedgerEntry
  resolve: (outcome: LedgerOutcome) => void
  reject: (error: unknown) => void
  since: number
  canWait: boolean
}

/** One organization's ledger, and the callers that wait to change it. */
export type Account = {
  orgId: string
  known: KnownLedger
  /** The first read of the ledger, while it is under way. */
  reading: Promise<Folded> | undefined
  /** First come, first served. */
  waiting: Waiting[]
  working: boolean
  /** Aborted when a command arrives that cannot wait. */
  gathering: AbortController | undefined
  /** How long the last append took, milliseconds. */
  tookMs: number
  /** When the ledger in memory last included every event of its stream, milliseconds since 1970. */
  atEndAt: number
  /** If this clock is ahead of the store's: when to ask the store again for the month, milliseconds since 1970. */
  asksFrom: number
}

export const newAccount = (orgId: string): Account => ({
  orgId,
  known: new KnownLedger(),
  reading: undefined,
  waiting: [],
  working: false,
  gathering: undefined,
  tookMs: 0,
  atEndAt: Number.NEGATIVE_INFINITY,
  asksFrom: Number.NEGATIVE_INFINITY,
})

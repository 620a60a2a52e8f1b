import { KnownLedger } from './known-ledger.ts'
import type { Executed, LedgerEntry, NoEntry, Prepare } from './ledger-entry.ts'

/** A caller who waits to change a ledger. */
export type Waiting = {
  prepare: Prepare<LedgerEntry | NoEntry>
  resolve: (executed: Executed<LedgerEntry | NoEntry>) => void
  since: number
  canWait: boolean
  /** Nothing is appended beside: that was refused once. The caller appends it by itself, and learns why. */
  isApart: boolean
  reject: (error: unknown) => void
}

/** One organization's ledger, and the callers that wait to change it. */
export type Account = {
  orgId: string
  known: KnownLedger
  /** First come, first served. */
  waiting: Waiting[]
  working: boolean
  /** Aborted when somebody comes who cannot wait. */
  gathering: AbortController | undefined
  /** How long the last append took, milliseconds. */
  tookMs: number
  /** When the ledger in memory was last the whole stream, as far as is known, milliseconds since 1970. */
  atEndAt: number
  /** Warnings about clocks that were logged. */
  warned: Set<string>
}

export const newAccount = (orgId: string): Account => ({
  orgId,
  known: new KnownLedger(),
  waiting: [],
  working: false,
  gathering: undefined,
  tookMs: 0,
  atEndAt: Number.NEGATIVE_INFINITY,
  warned: new Set(),
})

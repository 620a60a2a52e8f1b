import type { EventMetadata } from '#contracts/generated/messages.ts'
import type { CreditsCommand, CreditsOutcome } from '#packages/domain/credits/credits.ts'
import type { Ledger } from '#packages/domain/credits/ledger.ts'
import type { StreamAppend } from '#packages/ports/event-store.ts'

/** A command for a ledger, with its metadata. */
export type LedgerEntry = {
  command: CreditsCommand
  metadata: EventMetadata
  /**
   * What is to be appended to another stream together with what the command leads to, once it is known; called only where
   * the store can do that, just before. Undefined: nothing.
   */
  beside?: (outcome: CreditsOutcome) => StreamAppend | undefined
}

/** The ledger stays as it is. */
export type NoEntry = { command?: undefined }

/**
 * Chooses the command for the ledger as it stands. Called again, with the newer ledger, whenever somebody else has
 * appended first: so whatever it reads elsewhere is read after the ledger. The ledger may come from memory and be out
 * of date. An append is then refused, but "no entry" or an error of `prepare` is final: it has to be right for any past
 * state of the ledger.
 */
export type Prepare<Prepared extends LedgerEntry | NoEntry> = (ledger: Ledger) => Promise<Prepared> | Prepared

/**
 * The last result of `prepare`, and the outcome of its command; outcome `nothing` where it had none. `isTogether`: what it
 * wanted to be appended beside is stored as well.
 */
export type Executed<Prepared> = { outcome: CreditsOutcome; prepared: Prepared; isTogether: boolean }

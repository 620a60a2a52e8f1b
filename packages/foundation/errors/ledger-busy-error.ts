/** The store did not answer: it is unknown whether the command took effect. */
export class LedgerBusyError extends Error {
  readonly code = 'ledger_busy'
  /** Whether an append was sent that may have been stored. */
  readonly mayBeStored: boolean

  constructor(orgId: string, cause: unknown, mayBeStored = false) {
    super(`the ledger of ${orgId} could not be read or written in time`, { cause })
    this.mayBeStored = mayBeStored
  }
}

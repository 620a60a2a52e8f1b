/** The store did not answer: it is unknown whether the command took effect. */
export class LedgerBusyError extends Error {
  readonly code = 'ledger_busy'
  constructor(orgId: string, cause: unknown) {
    super(`the ledger of ${orgId} could not be read or written in time`, { cause })
  }
}

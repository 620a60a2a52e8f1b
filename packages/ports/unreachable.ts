/** What stands behind a port did not answer in time. It is not known what it did; the same call may succeed later. */
export class UnreachableError extends Error {
  readonly code = 'unreachable'
  constructor(what: string, cause: unknown) {
    super(`${what} does not answer`, { cause })
  }
}

/**
 * A server or file behind a port did not answer in time. The call may have taken effect or not; the same call may
 * succeed later.
 */
export class UnreachableError extends Error {
  readonly code: string = 'unreachable'
  constructor(what: string, cause: unknown, message = `${what} does not answer`) {
    super(message, { cause })
  }
}

/**
 * A server behind a port answered, but refuses: a wrong password, an account without a grant, an untrusted certificate.
 * Callers that wait for a server keep waiting, because a person can fix this meanwhile. The message says in one
 * sentence what to do. It may be shown publicly, so it contains no address, user or secret.
 */
export class RefusedError extends UnreachableError {
  override readonly code = 'refused'
  constructor(what: string, advice: string, cause: unknown) {
    super(what, cause, `${what} refuses: ${advice}`)
  }
}

/**
 * A file behind a port cannot be written: its disk is full, or fails. The same call may succeed once the disk has room.
 */
export class UnwritableError extends UnreachableError {
  override readonly code = 'unwritable'
  constructor(what: string, cause: unknown) {
    super(what, cause, `${what} cannot be written: the disk is full, or fails`)
  }
}

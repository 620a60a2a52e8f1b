/**
 * A server or file behind a port did not answer in time. It is unknown whether the call took effect; the same call may
 * succeed later.
 */
export class UnreachableError extends Error {
  readonly code: string = 'unreachable'
  constructor(what: string, cause: unknown) {
    super(`${what} does not answer`, { cause })
  }
}

/**
 * A server behind a port answered and refuses: a wrong password, an account without a grant, a certificate that is not
 * trusted. Callers that wait for a server go on waiting, because a person can mend this meanwhile. The message says in
 * one sentence what to do, and may be shown to anybody: it names no address, no user and no secret.
 */
export class RefusedError extends UnreachableError {
  override readonly code = 'refused'
  constructor(what: string, advice: string, cause: unknown) {
    super(what, cause)
    this.message = `${what} refuses: ${advice}`
  }
}

/**
 * A file behind a port cannot be written: its disk is full, or fails. Nothing but room on the disk helps; once there is
 * some, the same call may succeed.
 */
export class UnwritableError extends UnreachableError {
  override readonly code = 'unwritable'
  constructor(what: string, cause: unknown) {
    super(what, cause)
    this.message = `${what} cannot be written: the disk is full, or fails`
  }
}

/** A mail in plain text, with at most one link. */
export type Mail = { to: string; subject: string; text: string }

/** A server reports that there is no such address. The message does not contain it. */
export class UnknownAddressError extends Error {
  readonly code = 'unknown_address'
}

/** Hands mails to a server. */
export interface Mailer {
  /**
   * Resolves once the server has accepted the mail.
   * @throws UnknownAddressError the address does not exist
   * @throws Error the server did not accept it within seconds; the message may contain the address
   */
  send(mail: Mail): Promise<void>
  [Symbol.asyncDispose](): PromiseLike<void>
}

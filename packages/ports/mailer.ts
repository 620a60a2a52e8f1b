/** A mail in plain text, with one link in it at most. */
export type Mail = { to: string; subject: string; text: string }

/** There is no such address, says a server. The message does not name it. */
export class UnknownAddressError extends Error {
  readonly code = 'unknown_address'
}

/** Hands mails to a server. */
export interface Mailer {
  /**
   * Resolves once the server has taken the mail.
   * @throws UnknownAddressError the address was wrong
   * @throws Error it did not, within seconds; the message may name the address
   */
  send(mail: Mail): Promise<void>
  [Symbol.asyncDispose](): PromiseLike<void>
}

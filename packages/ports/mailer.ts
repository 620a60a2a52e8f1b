/** A mail in plain text, with one link in it at most. */
export type Mail = { to: string; subject: string; text: string }

/** Hands mails to a server. */
export interface Mailer {
  /** Resolves once the server has taken the mail. @throws Error it did not, within seconds; the message may name the address */
  send(mail: Mail): Promise<void>
  [Symbol.asyncDispose](): PromiseLike<void>
}

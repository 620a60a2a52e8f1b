import { createTransport } from 'nodemailer'
import { type Mail, type Mailer, UnknownAddressError } from '#packages/ports/mailer.ts'

/** The limit of each wait for the server, milliseconds. */
const ANSWER_WITHIN_MS = 10_000

const MAX_CONNECTIONS = 2

/**
 * How servers report that a recipient does not exist: bad mailbox, host or syntax (RFC 3463, 3.2). Other refusals, such
 * as 5.7.1 (no relaying), may be the fault of our settings.
 */
const unknownRecipient = /^5\d\d[ -]5\.1\.[1236]/

export type SmtpOptions = { url: string; from: string }

/** Sends mails by an SMTP server, over TLS if the server offers it. Connections stay open for the next mail. */
export class SmtpMailer implements Mailer {
  readonly #from: string
  readonly #transport: ReturnType<typeof transportTo>

  constructor({ url, from }: SmtpOptions) {
    this.#from = from
    this.#transport = transportTo(url)
  }

  async send({ to, subject, text }: Mail): Promise<void> {
    // As an object: an address is never read as a list of several.
    const sending = this.#transport.sendMail({ from: this.#from, to: { name: '', address: to }, subject, text })
    await sending.catch((error: Error & { response?: string }) => {
      throw unknownRecipient.test(error.response ?? '') ? new UnknownAddressError('no such address') : error
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#transport.close()
  }
}

const transportTo = (url: string) =>
  createTransport({
    url,
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    connectionTimeout: ANSWER_WITHIN_MS,
    greetingTimeout: ANSWER_WITHIN_MS,
    dnsTimeout: ANSWER_WITHIN_MS,
    socketTimeout: ANSWER_WITHIN_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })

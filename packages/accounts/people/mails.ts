import { addressKey } from '#packages/ports/accounts.ts'
import { type Mail, type Mailer, UnknownAddressError } from '#packages/ports/mailer.ts'
import type { RateCounters } from '#packages/ports/rate-counters.ts'
import { codeOf } from '#packages/telemetry/code-of.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { PerMinute } from './per-minute.ts'

type Ports = { mailer?: Mailer; counters: RateCounters; log: Logger }

/**
 * The most mails of one kind to one address, so that a stranger cannot be flooded with our mails. Further ones are
 * dropped silently. Each kind counts separately: a sign-up with a stranger's address must not block the stranger's
 * password reset.
 */
const MAILS_PER_MINUTE = 3

/** Mails that may wait for the server. */
const MAX_UNDER_WAY = 100

/**
 * Sends mails in the background. A request is answered as if its mail was sent, so that neither the answer nor its
 * time shows whether there was one. The log gets a line without the address if a mail is lost. It is an error, unless
 * the address was wrong, which is the fault of the person who typed it.
 */
export class Mails {
  readonly #ports: Ports
  readonly #perAddress: PerMinute
  readonly #underWay = new Set<Promise<void>>()

  constructor(ports: Ports) {
    this.#ports = ports
    this.#perAddress = new PerMinute(ports.counters, 'dashboard-mails', MAILS_PER_MINUTE)
  }

  /** Whether mails can be sent at all. */
  get isSet(): boolean {
    return this.#ports.mailer !== undefined
  }

  /** Does nothing if no mails can be sent. */
  send(mail: Mail): void {
    const { mailer } = this.#ports
    if (mailer === undefined) return
    if (this.#underWay.size >= MAX_UNDER_WAY) {
      this.#lost('too_many')
      return
    }
    const sending = this.#send(mailer, mail).finally(() => this.#underWay.delete(sending))
    this.#underWay.add(sending)
  }

  /** Resolves once all earlier mails have been sent, or are lost. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay)
  }

  async #send(mailer: Mailer, mail: Mail): Promise<void> {
    try {
      if (await this.#perAddress.allows(`${mail.subject} ${addressKey(mail.to)}`)) await mailer.send(mail)
    } catch (error) {
      // The request is already answered, and the text of the error may name the address.
      if (error instanceof UnknownAddressError) this.#ports.log.info({ code: error.code }, 'a mail had a wrong address')
      else this.#lost(codeOf(error))
    }
  }

  #lost(code: string): void {
    this.#ports.log.error({ alarm: 'mail_failed', code }, 'a mail of the dashboard could not be sent: see SMTP_URL')
  }
}

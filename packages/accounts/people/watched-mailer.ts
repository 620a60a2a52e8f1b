import type { Warned } from '#packages/foundation/readiness/readiness.ts'
import { Unanswered } from '#packages/foundation/readiness/unanswered.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { type Mailer, UnknownAddressError } from '#packages/ports/mailer.ts'
import { codeOf } from '#packages/telemetry/code-of.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'

/** A mailer, and the health of the server that it gives mails to. */
export type WatchedMailer = Mailer & { health: Warned }

/** Makes each mail a span, measures it, and records the server's health. Never records the recipient. */
export function watchedMailer(
  mailer: Mailer,
  url: string,
  { clock, telemetry }: { clock: Clock; telemetry: Telemetry },
): WatchedMailer {
  const host = new URL(url).hostname
  const health = new Unanswered(clock, {
    code: 'mail_server_failing',
    message: 'The mail server does not accept mail',
    inARow: 1,
  })
  // The operator's own server, like a model or speech endpoint. It is reached directly.
  const attributes = { [names.serverAddress]: host, [names.egressRoute]: 'direct' }
  return {
    health,
    send: (mail) =>
      telemetry.inSpan({ name: 'send mail', kind: 'client', attributes }, async () => {
        const startedAt = performance.now()
        let outcome = 'sent'
        try {
          await mailer.send(mail)
          health.answered()
        } catch (error) {
          outcome = codeOf(error)
          // A missing recipient is an answer of a working server.
          if (error instanceof UnknownAddressError) health.answered()
          else health.failed(outcome)
          throw error
        } finally {
          const measured = { [names.outcome]: outcome, [names.serverAddress]: host }
          telemetry.record(metrics.mailDuration, (performance.now() - startedAt) / 1000, measured)
        }
      }),
    [Symbol.asyncDispose]: () => mailer[Symbol.asyncDispose](),
  }
}

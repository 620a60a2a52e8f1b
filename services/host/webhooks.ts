import { Mails } from '#packages/accounts/people/mails.ts'
import { mailLowCredits, mailWebhookOff } from '#packages/accounts/people/owner-mails.ts'
import { memoryRateCounters as counters } from '#packages/adapters/memory/rate-counters.ts'
import type { Config } from '#packages/foundation/config/config.ts'
import type { Warned } from '#packages/foundation/readiness/readiness.ts'
import { Unanswered } from '#packages/foundation/readiness/unanswered.ts'
import { createHttpSender } from '#packages/jobs/webhooks/http-sender.ts'
import { watchedSender } from '#packages/jobs/webhooks/watched-sender.ts'
import { WebhookSecrets, type WebhookSecretsPorts } from '#packages/jobs/webhooks/webhook-secrets.ts'
import type { Accounts } from '#packages/ports/accounts.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import type { Mailer } from '#packages/ports/mailer.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import type { DelivererOptions } from '#services/webhooks/deliverer.ts'
import { dashboardPath } from './dashboard.ts'
import { localUrl } from './local-url.ts'

/** After this many unanswered attempts in a row, over all receivers, the fault may be our own way out. */
const UNANSWERED_IN_A_ROW = 5

type Ports = Omit<WebhookSecretsPorts, 'sealed'> & {
  accounts: Accounts
  store: EventStore
  log: Logger
  mailer: Mailer | undefined
  telemetry: Telemetry
}

/** How to reach webhooks: through the egress guard, like everything outside. @throws Error for an invalid proxy URL */
export function reachWebhooks(
  config: Config,
  { accounts, mailer, store, ...ports }: Ports,
): DelivererOptions & AsyncDisposable & { health: Warned } {
  const { egressProxy: proxy, egressCountry: country, egressCaFile: caFile, publicUrl = '' } = config
  const health = new Unanswered(ports.clock, {
    code: 'webhooks_unanswered',
    message: 'Webhooks get no answer from any receiver',
    inARow: UNANSWERED_IN_A_ROW,
  })
  const mails = new Mails({ ...(mailer && { mailer }), log: ports.log, counters })
  return {
    secrets: new WebhookSecrets({ ...ports, sealed: accounts }),
    send: watchedSender(createHttpSender({ clock: ports.clock, proxy, platformProxies: {}, country, caFile }), {
      telemetry: ports.telemetry,
      health,
      via: proxy === undefined ? 'direct' : 'proxy',
    }),
    health,
    linkBase: publicUrl.replace(/\/$/, ''),
    ...(mailer && notifyBy(mails, config, { accounts, store, log: ports.log })),
    // A mail that is marked as sent has left the process.
    [Symbol.asyncDispose]: () => mails.settled(),
  }
}

/** Notifies owners by mail. A mail that cannot be sent is only logged, because the pages show the same news. */
function notifyBy(
  mails: Mails,
  { publicUrl, host, port }: Config,
  { accounts, store, ...ports }: Pick<Ports, 'accounts' | 'store' | 'log'>,
): Pick<DelivererOptions, 'notifySwitchedOff' | 'notifyLowCredits'> {
  const dashboardUrl = (publicUrl ?? localUrl(host, port)) + dashboardPath
  return {
    async notifySwitchedOff(off) {
      try {
        await mailWebhookOff({ accounts, mails }, off, dashboardUrl)
        await mails.settled()
      } catch (err) {
        ports.log.warn({ err, orgId: off.orgId }, 'the mail about a webhook that was switched off could not be sent')
      }
    },
    notifyLowCredits: (low) => mailLowCredits({ accounts, mails, store }, low, dashboardUrl),
  }
}

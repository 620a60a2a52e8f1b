import { Mails } from '#packages/accounts/people/mails.ts'
import { mailWebhookOff } from '#packages/accounts/people/webhook-mails.ts'
import { memoryRateCounters as counters } from '#packages/adapters/memory/rate-counters.ts'
import type { Config } from '#packages/foundation/config/config.ts'
import type { Warned } from '#packages/foundation/readiness/readiness.ts'
import { Unanswered } from '#packages/foundation/readiness/unanswered.ts'
import { createHttpSender } from '#packages/jobs/webhooks/http-sender.ts'
import { watchedSender } from '#packages/jobs/webhooks/watched-sender.ts'
import { WebhookSecrets, type WebhookSecretsPorts } from '#packages/jobs/webhooks/webhook-secrets.ts'
import type { Accounts } from '#packages/ports/accounts.ts'
import type { Mailer } from '#packages/ports/mailer.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import type { AttemptsOptions } from '#services/webhooks/attempts.ts'
import { dashboardPath } from './dashboard.ts'
import { localUrl } from './local-url.ts'

/** After this many unanswered attempts in a row, over all receivers, the fault may be our own way out. */
const UNANSWERED_IN_A_ROW = 5

type Ports = Omit<WebhookSecretsPorts, 'sealed'> & {
  accounts: Accounts
  log: Logger
  mailer: Mailer | undefined
  telemetry: Telemetry
}

/** How to reach webhooks: through the egress guard, like everything outside. @throws Error for an invalid proxy URL */
export function reachWebhooks(
  config: Config,
  { accounts, mailer, ...ports }: Ports,
): AttemptsOptions & { health: Warned } {
  const { egressProxy: proxy, egressCountry: country, egressCaFile: caFile, publicUrl = '' } = config
  const health = new Unanswered(ports.clock, {
    code: 'webhooks_unanswered',
    message: 'Webhooks get no answer, whoever receives them',
    inARow: UNANSWERED_IN_A_ROW,
  })
  return {
    secrets: new WebhookSecrets({ ...ports, sealed: accounts }),
    send: watchedSender(createHttpSender({ clock: ports.clock, proxy, platformProxies: {}, country, caFile }), {
      telemetry: ports.telemetry,
      health,
      via: proxy === undefined ? 'direct' : 'proxy',
    }),
    health,
    linkBase: publicUrl.replace(/\/$/, ''),
    notifySwitchedOff: mailer && notifyBy(config, { accounts, mailer, log: ports.log }),
  }
}

/** A lost mail only leaves a line in the log: the webhook's page shows the same. */
function notifyBy(
  { publicUrl, host, port }: Config,
  { accounts, ...ports }: Pick<Ports, 'accounts' | 'log'> & { mailer: Mailer },
): NonNullable<AttemptsOptions['notifySwitchedOff']> {
  const mails = new Mails({ ...ports, counters })
  const dashboardUrl = (publicUrl ?? localUrl(host, port)) + dashboardPath
  return async (off) => {
    try {
      await mailWebhookOff({ accounts, mails }, off, dashboardUrl)
      await mails.settled()
    } catch (err) {
      ports.log.warn({ err, orgId: off.orgId }, 'nobody could be told by mail that a webhook was switched off')
    }
  }
}

import type { Config } from '#packages/config/config.ts'
import { createHttpSender } from '#packages/webhooks/http-sender.ts'
import { WebhookSecrets, type WebhookSecretsPorts } from '#packages/webhooks/webhook-secrets.ts'
import type { AttemptsOptions } from '#services/webhooks/attempts.ts'

/** How webhooks are reached: by the egress guard, as everything outside. @throws Error for an invalid proxy URL */
export const reachWebhooks = (
  { egressProxy: proxy, egressCountry: country, egressCaFile: caFile, publicUrl = '' }: Config,
  ports: WebhookSecretsPorts,
): AttemptsOptions => ({
  secrets: new WebhookSecrets(ports),
  send: createHttpSender({ clock: ports.clock, proxy, platformProxies: {}, country, caFile }),
  linkBase: publicUrl.replace(/\/$/, ''),
})

import { randomBytes } from 'node:crypto'
import { openSqliteAccounts } from '#packages/adapters/sqlite/accounts.ts'
import { Sealer } from '#packages/foundation/secrets/sealer.ts'
import { WebhookSecrets } from '#packages/jobs/webhooks/webhook-secrets.ts'
import type { Clock } from '#packages/ports/clock.ts'

/** URLs and secrets of webhooks that only this process stores. */
export const memorySecrets = (clock: Clock): WebhookSecrets =>
  new WebhookSecrets({ sealed: openSqliteAccounts({ path: ':memory:' }), sealer: new Sealer(randomBytes(32)), clock })

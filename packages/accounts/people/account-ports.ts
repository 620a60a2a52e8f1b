import type { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import type { SignUpRule } from '#packages/foundation/config/dashboard-rules.ts'
import type { Sealer } from '#packages/foundation/secrets/sealer.ts'
import type { AttemptsUnderWay } from '#packages/jobs/processing/attempts-under-way.ts'
import type { Accounts } from '#packages/ports/accounts.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import type { Ids } from '#packages/ports/ids.ts'
import type { Mailer } from '#packages/ports/mailer.ts'
import type { RateCounters } from '#packages/ports/rate-counters.ts'
import type { Views } from '#packages/ports/views.ts'
import type { Logger } from '#packages/telemetry/log.ts'

export type AccountPorts = {
  accounts: Accounts
  store: EventStore
  views: Views
  ledgers: Ledgers
  /** Shared by all serving processes. */
  counters: RateCounters
  /** The attempts of this process, to stop the jobs of a closed organization at once. */
  attempts: AttemptsUnderWay
  /** Seals with SECRETS_KEY, which all processes have. */
  sealer: Sealer
  clock: Clock
  ids: Ids
  log: Logger
  /** Missing without an SMTP server. Then no address needs to be confirmed. */
  mailer?: Mailer
}

/** The operator's OpenID provider. */
export type ProviderOptions = {
  issuer: string
  clientId: string
  clientSecret: string
  /** The provider's name on the button: `Sign in with NAME`. */
  name: string
}

export type AccountOptions = {
  /** Who may create an organization (SIGNUP). Members can be invited in any case. */
  signUp: SignUpRule
  /** Organizations that get credits in one day (UTC) if anyone may sign up (SIGNUPS_PER_DAY). */
  signUpsPerDay: number
  /** Receives requests for another plan by mail (OPERATOR_EMAIL). */
  operatorEmail?: string | undefined
  /** The URL of the dashboard, such as `https://api.example.com/dashboard`; called when a link is made. */
  dashboardUrl: () => string
  provider?: ProviderOptions
}

import type { KeyUse } from '#packages/accounts/keys/key-use.ts'
import type { Keys } from '#packages/accounts/keys/keys.ts'
import type { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import type { OrganizationDetails } from '#packages/accounts/organizations/organization-details.ts'
import type { Organizations } from '#packages/accounts/organizations/organizations.ts'
import type { AccountParts } from '#packages/accounts/people/account-parts.ts'
import type { SchemaChecks } from '#packages/content/extraction/schema/schema-checks.ts'
import type { Results } from '#packages/content/results/results.ts'
import type { Thumbnails } from '#packages/content/thumbnails/thumbnails.ts'
import type { Readiness } from '#packages/foundation/readiness/readiness.ts'
import type { Sealer } from '#packages/foundation/secrets/sealer.ts'
import type { JobToForget } from '#packages/history/removal/forget-job.ts'
import type { Acceptance } from '#packages/jobs/acceptance/acceptance.ts'
import type { Estimates } from '#packages/jobs/acceptance/estimates.ts'
import type { Batches } from '#packages/jobs/batches/batches.ts'
import type { BatchBodies } from '#packages/jobs/batches/body/batch-bodies.ts'
import type { AttemptsUnderWay } from '#packages/jobs/processing/attempts-under-way.ts'
import type { JobHistory } from '#packages/jobs/status/job-history.ts'
import type { JobWatch } from '#packages/jobs/status/job-watch.ts'
import type { Watches } from '#packages/jobs/watches/watches.ts'
import type { Deliveries } from '#packages/jobs/webhooks/deliveries.ts'
import type { Webhooks } from '#packages/jobs/webhooks/webhooks.ts'
import type { Platforms } from '#packages/platforms/create-platforms.ts'
import type { Lookups } from '#packages/platforms/lookups/lookups.ts'
import type { Accounts } from '#packages/ports/accounts.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import type { Ids } from '#packages/ports/ids.ts'
import type { Views } from '#packages/ports/views.ts'
import type { Logger } from '#packages/telemetry/log.ts'

type Ports = {
  accounts: Accounts
  store: EventStore
  views: Views
  ledgers: Ledgers
  clock: Clock
  ids: Ids
  /** Uses the key that all processes share. */
  sealer: Sealer
  log: Logger
}

type Customers = {
  organizations: Organizations
  details: OrganizationDetails
  ownKeys: Keys
  use: Pick<KeyUse, 'note'>
}

type Jobs = {
  acceptance: Acceptance
  estimates: Estimates
  history: JobHistory
  watch: JobWatch
  batches: Batches
  watches: Watches
  webhooks: Webhooks
  deliveries: Deliveries
  attempts: AttemptsUnderWay
  /** Removes the content of a job, as `forgetJob` describes. */
  forget(job: JobToForget): Promise<void>
}

type Readers = {
  results: Results
  schemas: SchemaChecks
  /** Reads long lists of videos. */
  bodies: BatchBodies
  lookups: Lookups
  thumbnails: Pick<Thumbnails, 'of'>
}

type Limits = {
  /** The rate limits of `/v1`, by organization. */
  rates: {
    ofPages(tier: 'light' | 'heavy', orgId: string): Promise<void>
    /** Uncounts a heavy request that was refused for lack of credits. */
    giveHeavyBackTo(orgId: string): Promise<unknown>
  }
  /** Limits the event streams that are open at once. */
  concurrency: { begin(who: { keyId: string; orgId: string }, count: number): () => void }
}

type Health = { readiness: Readiness; platforms: Pick<Platforms, 'standing'> }

/** What the dashboard is made of, by subject: mostly what `/v1` has too, and the accounts of people. */
export type DashboardResources = {
  ports: Ports
  people: Omit<AccountParts, 'run'>
  customers: Customers
  jobs: Jobs
  readers: Readers
  limits: Limits
  health: Health
  /** Aborted when the server closes. */
  closing: AbortSignal
}

/** Every part by its name, so that a page can name the few that it takes: `Pick<DashboardParts, 'views' | 'clock'>`. */
export type DashboardParts = Ports & DashboardResources['people'] & Customers & Jobs & Readers & Limits & Health

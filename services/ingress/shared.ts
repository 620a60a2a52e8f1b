import { KeyRing } from '#packages/accounts/keys/key-ring.ts'
import { KeyUse } from '#packages/accounts/keys/key-use.ts'
import { Keys } from '#packages/accounts/keys/keys.ts'
import type { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { OrganizationDetails } from '#packages/accounts/organizations/organization-details.ts'
import { SchemaChecks } from '#packages/content/extraction/schema/schema-checks.ts'
import { Results } from '#packages/content/results/results.ts'
import { caughtUp, type Dependency, Readiness, type Warned } from '#packages/foundation/readiness/readiness.ts'
import type { Sealer } from '#packages/foundation/secrets/sealer.ts'
import { forgetJob, type JobToForget } from '#packages/history/removal/forget-job.ts'
import { createAcceptance } from '#packages/jobs/acceptance/create-acceptance.ts'
import { Estimates } from '#packages/jobs/acceptance/estimates.ts'
import { Batches } from '#packages/jobs/batches/batches.ts'
import { BatchBodies } from '#packages/jobs/batches/body/batch-bodies.ts'
import type { AttemptsUnderWay } from '#packages/jobs/processing/attempts-under-way.ts'
import { JobHistory } from '#packages/jobs/status/job-history.ts'
import { JobWatch } from '#packages/jobs/status/job-watch.ts'
import { Watches } from '#packages/jobs/watches/watches.ts'
import { Deliveries } from '#packages/jobs/webhooks/deliveries.ts'
import type { WebhookSecrets } from '#packages/jobs/webhooks/webhook-secrets.ts'
import { Webhooks } from '#packages/jobs/webhooks/webhooks.ts'
import type { Platforms } from '#packages/platforms/create-platforms.ts'
import { type LookupPlatforms, Lookups } from '#packages/platforms/lookups/lookups.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import type { Ids } from '#packages/ports/ids.ts'
import type { RateCounters } from '#packages/ports/rate-counters.ts'
import type { Views } from '#packages/ports/views.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import { EndedJobs } from './answers/ended-jobs.ts'
import { ConcurrencyLimit } from './limits/concurrency-limit.ts'
import { RateLimits } from './limits/rate-limits.ts'
import type { IngressOptions } from './options.ts'

/** What the process provides. */
export type SharedResources = {
  store: EventStore
  views: Views
  ledgers: Ledgers
  clock: Clock
  ids: Ids
  platforms: LookupPlatforms & Pick<Platforms, 'standing' | 'forget' | 'searchable'>
  /** Seals the cursors of platform lists that come in pages. */
  sealer: Sealer
  /** Knows how long jobs wait for the pace of their platform. Missing: other processes fetch the videos. */
  pace?: Pick<Platforms, 'paceWaitSeconds'> | undefined
  /** The attempts of this process: those of cancelled jobs are stopped at once. */
  attempts: AttemptsUnderWay
  /** Shared by all serving processes. */
  counters: RateCounters
  /** Of this process alone. */
  localCounters: RateCounters
  /** The URLs and secrets of webhooks. */
  secrets: WebhookSecrets
  /** The required servers and followers. `/ready` reports them. */
  dependencies: readonly Dependency[]
  /** The outside parts that may be in trouble. `/ready` warns of them. */
  outside?: readonly Warned[]
  log: Logger
  telemetry: Telemetry
}

/** Creates what `/v1` and other surfaces of this process share. @param closing aborted when the server closes */
export function createShared(resources: SharedResources, options: IngressOptions, closing: AbortSignal) {
  const { clock, platforms, telemetry } = resources
  const keys = new KeyRing(resources, options)
  const use = new KeyUse(resources, options)
  const ownKeys = new Keys({ ...resources, ring: keys, use }, options)
  const details = new OrganizationDetails(resources, options)
  const { acceptance, note } = createAcceptance(resources, options)
  const lookups = new Lookups(resources, options)
  const [results, schemas, bodies] = [new Results(), new SchemaChecks(), new BatchBodies()]
  const estimates = new Estimates({ acceptance, lookups, schemas }, options)
  const watch = new JobWatch(resources)
  const history = new JobHistory({ ...resources, watch })
  const ended = new EndedJobs({ clock, results }, options)
  /** Removes the content of a job, by the rules of `forgetJob`. */
  const forget = async (job: JobToForget): Promise<void> => {
    await forgetJob({ ...resources, dropCached: (what) => platforms.forget(what) }, job)
    ended.forget(job.jobId)
  }
  const batches = new Batches(resources)
  const watches = new Watches(resources)
  const webhooks = new Webhooks(resources, { isHttpAllowed: options.webhooksAllowHttp })
  const deliveries = new Deliveries(resources)
  const rates = new RateLimits({ ...resources, planOf: (orgId) => details.planOf(orgId) }, options)
  const concurrency = new ConcurrencyLimit(telemetry, options)
  const dependencies = [...resources.dependencies, caughtUp('keys', keys.lag)]
  const readiness = new Readiness(resources, dependencies, resources.outside)
  const shared = {
    accounts: { keys, ownKeys, use, details },
    jobs: { acceptance, estimates, watch, history, batches, watches, webhooks, deliveries, forget },
    /** They read large content in threads. */
    readers: { results, schemas, bodies },
    lookups,
    limits: { rates, concurrency },
    readiness,
    closing,
  }
  return { shared, note, ended }
}

/** Parts for another surface in this process, such as the dashboard. They work from `listen` to `close`. */
export type Shared = ReturnType<typeof createShared>['shared']

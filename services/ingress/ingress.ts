/**
 * The HTTP surface of the service. A request passes its folders in this order: `connections/`, `authentication/`,
 * `limits/`, `requests/` (reads it), `routes/`, `answers/`. The routes call code in `packages/`, which knows no HTTP.
 *
 *   const ingress = createIngress({ store, views, ledgers, clock, ids, platforms, log }, { windowSeconds: 180 })
 *   const { port, close } = await ingress.listen('127.0.0.1', 8080)   // 0: any free port
 *   await close()                                                     // drains; the resources stay the caller's
 */

import { KeyRing } from '#packages/accounts/keys/key-ring.ts'
import { KeyUse } from '#packages/accounts/keys/key-use.ts'
import { Keys } from '#packages/accounts/keys/keys.ts'
import type { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { OrganizationDetails } from '#packages/accounts/organizations/organization-details.ts'
import { RequestCounts } from '#packages/accounts/request-counts/request-counts.ts'
import { SchemaChecks } from '#packages/content/extraction/schema/schema-checks.ts'
import { Results } from '#packages/content/results/results.ts'
import type { FeedLag } from '#packages/events/store/feed-lag.ts'
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
import { LoopMonitor } from '#packages/telemetry/loop-monitor.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import { Answers } from './answers/answers.ts'
import { EndedJobs } from './answers/ended-jobs.ts'
import { ErrorObjects } from './answers/error-objects.ts'
import { addressesBy } from './connections/address-group.ts'
import { type Listening, listen } from './connections/listen.ts'
import { RequestScheduler } from './connections/request-scheduler.ts'
import { ConcurrencyLimit } from './limits/concurrency-limit.ts'
import { EndWaits } from './limits/end-waits.ts'
import { RateLimits } from './limits/rate-limits.ts'
import { type IngressOptions, ingressDefaults } from './options.ts'
import type { Mounted } from './routes/mounted.ts'
import type { Pages } from './routes/pages.ts'
import { createRoutes, type Parts } from './routes.ts'

export type IngressResources = {
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
  /** True if ledgers and waiting polls get others' appends from the feed that the ingress follows. */
  followsLedgers?: boolean
  /** Surfaces of other services, by path. Each answers all requests at its path that have a valid key. */
  mounted?: Readonly<Record<string, Mounted>>
  /** Pages for people, built on the same parts as `/v1`. */
  pages?: (parts: PageParts) => Pages
}

/** The parts that pages use. */
export type PageParts = Omit<
  Parts,
  'pages' | 'mounted' | 'addressOf' | 'requestScheduler' | 'answers' | 'errors' | 'loop' | 'ended' | 'waits'
>

export type Ingress = {
  /** Lag of the follower of the keys. */
  readonly lag: FeedLag
  /** Parts for another surface in this process. They work from `listen` to `close`. */
  readonly shared: Pick<
    Parts,
    | 'keys'
    | 'use'
    | 'acceptance'
    | 'schemas'
    | 'watch'
    | 'lookups'
    | 'details'
    | 'ownKeys'
    | 'webhooks'
    | 'deliveries'
    | 'batches'
    | 'bodies'
    | 'watches'
  >
  /** Follows the feed of keys and listens. Must be called once. */
  listen(host: string, port: number): Promise<Listening>
}

export function createIngress(resources: IngressResources, given: Partial<IngressOptions> = {}): Ingress {
  const options: IngressOptions = { ...ingressDefaults, ...given }
  const { ledgers, clock, ids, platforms, telemetry } = resources
  const closing = new AbortController()
  const details = new OrganizationDetails(resources, options)
  const keys = new KeyRing(resources, options)
  const use = new KeyUse(resources, options)
  const { acceptance, note } = createAcceptance(resources, options)
  const schemas = new SchemaChecks()
  const watch = new JobWatch(resources)
  const loop = new LoopMonitor(resources.log)
  const results = new Results()
  const bodies = new BatchBodies()
  const counts = new RequestCounts(resources)
  const ended = new EndedJobs({ clock, results }, options)
  const forget = async (job: JobToForget): Promise<void> => {
    await forgetJob({ ...resources, dropCached: (what) => platforms.forget(what) }, job)
    ended.forget(job.jobId)
  }
  const shared = {
    ...resources,
    details,
    acceptance,
    watch,
    note,
    results,
    forget,
    history: new JobHistory({ ...resources, watch }),
    lookups: new Lookups(resources, options),
    schemas,
    rates: new RateLimits({ ...resources, planOf: (orgId) => details.planOf(orgId) }, options),
    readiness: new Readiness(resources, [...resources.dependencies, caughtUp('keys', keys.lag)], resources.outside),
    concurrency: new ConcurrencyLimit(telemetry, options),
    keys,
    ownKeys: new Keys({ ...resources, ring: keys, use }, options),
    use,
    batches: new Batches(resources),
    bodies,
    watches: new Watches(resources),
    webhooks: new Webhooks(resources, { isHttpAllowed: options.webhooksAllowHttp }),
    deliveries: new Deliveries(resources),
    closing: closing.signal,
  }
  const pageParts = { ...shared, estimates: new Estimates(shared, options) }
  const pages = resources.pages?.(pageParts)
  const errors = new ErrorObjects(options.publicUrl, pages && `${pages.path}/plans`)
  const parts: Parts = {
    ...pageParts,
    mounted: resources.mounted ?? {},
    pages,
    addressOf: addressesBy(options.clientAddressHeader),
    requestScheduler: new RequestScheduler(),
    loop,
    answers: new Answers({ ...resources, loop, errors, counts }),
    errors,
    ended,
    waits: new EndWaits(),
  }

  const listener = createRoutes(parts, options)

  return {
    lag: keys.lag,
    shared: parts,
    async listen(host, port) {
      const { answers, requestScheduler } = parts
      const server = await listen(
        { listener, requestScheduler, ids, errors, log: resources.log },
        { host, port },
        options.server,
      )
      errors.listensOn(host, server.port)
      const following = keys.follow(closing.signal, resources.followsLedgers ? [ledgers, watch] : [])
      const counting = counts.run(closing.signal)
      const close = async (): Promise<void> => {
        closing.abort()
        await Promise.all([server.close(), following, counting])
        loop[Symbol.dispose]()
        answers[Symbol.dispose]()
        await Promise.all([
          use.settled(),
          schemas[Symbol.asyncDispose](),
          results[Symbol.asyncDispose](),
          bodies[Symbol.asyncDispose](),
        ])
      }
      return { port: server.port, close }
    },
  }
}

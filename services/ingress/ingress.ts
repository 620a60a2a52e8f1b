/**
 * The HTTP surface of the service.
 *
 *   const ingress = createIngress({ store, views, ledgers, clock, ids, platforms, log }, { windowSeconds: 180 })
 *   const { port, close } = await ingress.listen('127.0.0.1', 8080)   // 0: any free port
 *   await close()                                                     // drains; the resources stay the caller's
 */
import type { RequestListener } from 'node:http'
import type { Request, Response } from 'express'
import { Acceptance } from '#packages/acceptance/acceptance.ts'
import { DailyCaps } from '#packages/acceptance/daily-caps.ts'
import { LaneAdmission } from '#packages/acceptance/lane-admission.ts'
import { organization } from '#packages/domain/organization/organization.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import { SchemaChecks } from '#packages/extraction/schema/schema-checks.ts'
import { JobWatch } from '#packages/jobs/job-watch.ts'
import { KeyRing } from '#packages/keys/key-ring.ts'
import { KeyUse } from '#packages/keys/key-use.ts'
import { Keys } from '#packages/keys/keys.ts'
import type { Ledgers } from '#packages/ledger/ledgers.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { type Ids, streams } from '#packages/ports/ids.ts'
import type { RateCounters } from '#packages/ports/rate-counters.ts'
import type { Views } from '#packages/ports/views.ts'
import { caughtUp, type Dependency, Readiness } from '#packages/readiness/readiness.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { LoopMonitor } from '#packages/telemetry/loop-monitor.ts'
import { Remembered } from '#packages/work/remembered.ts'
import { Answers } from './answers/answer.ts'
import { EndedJobs } from './answers/ended-jobs.ts'
import { type Listening, listen } from './connections/server.ts'
import { AtOnce } from './limits/at-once.ts'
import { RateLimits } from './limits/rate-limits.ts'
import { type IngressOptions, ingressDefaults } from './options.ts'
import { OutsideReads } from './outside-reads.ts'
import type { Mounted } from './routes/mounted.ts'
import type { Sources } from './routes/sources.ts'
import { createRoutes } from './routes.ts'

export type IngressResources = {
  store: EventStore
  views: Views
  ledgers: Ledgers
  clock: Clock
  ids: Ids
  platforms: Sources
  /** Shared by all processes that serve. */
  counters: RateCounters
  /** Of this process alone. */
  localCounters: RateCounters
  /** What it cannot serve without, as `/ready` tells it. */
  dependencies: readonly Dependency[]
  log: Logger
  /** Surfaces of other services, each by its path; they answer every request there that has a key. */
  mounted?: Readonly<Record<string, Mounted>>
}

export type Ingress = {
  /** Follows the feed of keys and listens. To be called once. */
  listen(host: string, port: number): Promise<Listening>
}

/** How long a name that never changes is remembered, milliseconds. */
const NAME_VALID_MS = 24 * 60 * 60 * 1000

async function nameOf(store: EventStore, orgId: string): Promise<string> {
  const found = fold(organization, await store.read(streams.organization(orgId)))
  if (found.status === 'none') throw new Error(`organization ${orgId} has a key and is not registered`)
  return found.name
}

export function createIngress(resources: IngressResources, given: Partial<IngressOptions> = {}): Ingress {
  const options: IngressOptions = { ...ingressDefaults, ...given }
  const { store, ledgers, clock, ids, platforms } = resources
  const closing = new AbortController()
  const { cachedEntries, staleAfterMs } = options
  const plans = new Remembered(clock, async (orgId) => (await ledgers.current(orgId)).plan, {
    staleAfterMs,
    cachedEntries,
  })
  const names = new Remembered(clock, (orgId) => nameOf(store, orgId), { staleAfterMs: NAME_VALID_MS, cachedEntries })
  const keys = new KeyRing(resources, options)
  const use = new KeyUse(resources, options)
  const admission = new LaneAdmission(resources, options)
  const caps = new DailyCaps(resources, options)
  const schemas = new SchemaChecks()
  const loop = new LoopMonitor(resources.log)
  const parts = {
    ...resources,
    mounted: resources.mounted ?? {},
    sources: platforms,
    loop,
    answers: new Answers({ ...resources, loop }),
    acceptance: new Acceptance({ store, ledgers, clock, ids, admission, caps }, options),
    watch: new JobWatch(resources),
    reads: new OutsideReads(options),
    schemas,
    ended: new EndedJobs(clock, options),
    rates: new RateLimits({ ...resources, planOf: (orgId) => plans.get(orgId) }, options),
    readiness: new Readiness(resources, [...resources.dependencies, caughtUp('keys', keys.following)]),
    atOnce: new AtOnce(options),
    keys,
    ownKeys: new Keys({ ...resources, ring: keys, use }, options),
    use,
    names,
    closing: closing.signal,
  }

  const routes = createRoutes(parts, options)
  // The router without an Express app around it: what an app adds to every request and answer, nothing here uses. The
  // routes answer everything; only a failure while answering comes back.
  const listener: RequestListener = (request, response) =>
    routes(request as Request, response as Response, () => response.destroy())

  return {
    async listen(host, port) {
      const server = await listen({ listener, ids, log: resources.log }, { host, port }, options.server)
      const following = keys.follow(closing.signal)
      const close = async (): Promise<void> => {
        closing.abort()
        await Promise.all([server.close(), following])
        loop[Symbol.dispose]()
        await Promise.all([use.settled(), schemas[Symbol.asyncDispose]()])
      }
      return { port: server.port, close }
    },
  }
}

/**
 * The HTTP surface of the service. A request passes its folders in this order: `connections/`, `authentication/`,
 * `limits/`, `requests/` (reads it), `routes/`, `answers/`. The routes call code in `packages/`, which knows no HTTP.
 * A route is added to its group in `routes/`; `routes/route-parts.ts` has the parts that routes are made of. `shared.ts`
 * makes those that other surfaces use too.
 *
 *   const ingress = createIngress({ store, views, ledgers, clock, ids, platforms, log }, { windowSeconds: 180 })
 *   const { port, close } = await ingress.listen('127.0.0.1', 8080)   // 0: any free port
 *   await close()                                                     // drains; the resources stay the caller's
 */

import type { RequestHandler } from 'express'
import { RequestCounts } from '#packages/accounts/request-counts/request-counts.ts'
import type { FeedLag } from '#packages/events/store/feed-lag.ts'
import { LoopMonitor } from '#packages/telemetry/loop-monitor.ts'
import { Answers } from './answers/answers.ts'
import { ErrorObjects } from './answers/error-objects.ts'
import type { Operations } from './authentication/permit.ts'
import { addressesBy } from './connections/address-group.ts'
import { type Listening, listen } from './connections/listen.ts'
import { RequestScheduler } from './connections/request-scheduler.ts'
import { EndWaits } from './limits/end-waits.ts'
import { type IngressOptions, ingressDefaults } from './options.ts'
import { accountOperations } from './routes/account.ts'
import { batchOperations } from './routes/batches.ts'
import { getReady } from './routes/get-ready.ts'
import { jobEventOperations } from './routes/job-events.ts'
import { jobRequestOperations } from './routes/job-requests.ts'
import { jobOperations } from './routes/jobs.ts'
import { keyOperations } from './routes/keys.ts'
import { lookupOperations } from './routes/lookups.ts'
import { type Mounted, mount } from './routes/mounted.ts'
import type { Pages } from './routes/pages.ts'
import { platformOperations } from './routes/platforms.ts'
import type { RouteParts } from './routes/route-parts.ts'
import { watchOperations } from './routes/watches.ts'
import { webhookOperations } from './routes/webhooks.ts'
import { createRoutes, inTurn } from './routes.ts'
import { createShared, type Shared, type SharedResources } from './shared.ts'

export type IngressResources = SharedResources & {
  /** True if ledgers and waiting polls get others' appends from the feed that the ingress follows. */
  followsLedgers?: boolean
  /** Surfaces of other services, by path. Each answers all requests at its path that have a valid key. */
  mounted?: Readonly<Record<string, Mounted>>
  /** Pages for people, built on the same parts as `/v1`. */
  pages?: (shared: Shared) => Pages
}

export type Ingress = {
  /** Lag of the follower of the keys. */
  readonly lag: FeedLag
  readonly shared: Shared
  /** Follows the feed of keys and listens. Must be called once. */
  listen(host: string, port: number): Promise<Listening>
}

export function createIngress(resources: IngressResources, given: Partial<IngressOptions> = {}): Ingress {
  const options: IngressOptions = { ...ingressDefaults, ...given }
  const { ledgers, clock, ids, log, platforms, telemetry } = resources
  const closing = new AbortController()
  const { shared, note, ended } = createShared(resources, options, closing.signal)
  const { keys, use } = shared.accounts
  const { rates, concurrency } = shared.limits
  const pages = resources.pages?.(shared)
  const errors = new ErrorObjects(options.publicUrl, pages && `${pages.path}/plans`)
  const loop = new LoopMonitor(log)
  const counts = new RequestCounts(resources)
  const answers = new Answers({ clock, log, loop, telemetry, errors, counts })
  const mounted = Object.entries(resources.mounted ?? {}).map(([path, surface]): [string, RequestHandler] => [
    path,
    mount({ answers, use, rates, concurrency }, surface),
  ])
  const { accounts, jobs, readers, limits, lookups } = shared
  const answering = { note, ended, answers, errors, loop, waits: new EndWaits(), lookups, closing: closing.signal }
  const parts = { ...resources, ...accounts, ...jobs, ...readers, ...limits, ...answering }
  const operations = createOperations(parts, options)
  const routes = createRoutes(
    { answers, keys, use, rates, pages, telemetry },
    {
      operations,
      ready: getReady({ platforms, answers, readiness: shared.readiness }),
      mounted: Object.fromEntries(mounted),
    },
    options,
  )
  const requestScheduler = new RequestScheduler()
  const addressOf = addressesBy(options.clientAddressHeader)
  const scheme = options.publicUrl?.startsWith('https:') ? 'https' : 'http'
  const listener = inTurn({ keys, pages, requestScheduler, addressOf, ids, clock, loop, telemetry }, routes, scheme)

  return {
    lag: keys.lag,
    shared,
    async listen(host, port) {
      const server = await listen({ listener, requestScheduler, ids, errors, log }, { host, port }, options.server)
      errors.listensOn(host, server.port)
      const following = keys.follow(closing.signal, resources.followsLedgers ? [ledgers, shared.jobs.watch] : [])
      const counting = counts.run(closing.signal)
      const close = async (): Promise<void> => {
        closing.abort()
        await Promise.all([server.close(), following, counting])
        loop[Symbol.dispose]()
        answers[Symbol.dispose]()
        const readers = Object.values(shared.readers).map((reader) => reader[Symbol.asyncDispose]())
        await Promise.all([use.settled(), ...readers])
      }
      return { port: server.port, close }
    },
  }
}

/** The operations of `/v1`, by path below it. */
const createOperations = (parts: RouteParts, options: IngressOptions): Record<string, Operations> => ({
  ...jobRequestOperations(parts, options),
  ...lookupOperations(parts, options),
  ...platformOperations(parts, options),
  ...accountOperations(parts, options),
  ...jobOperations(parts, options),
  ...jobEventOperations(parts),
  ...keyOperations(parts, options),
  ...webhookOperations(parts, options),
  ...batchOperations(parts, options),
  ...watchOperations(parts, options),
})

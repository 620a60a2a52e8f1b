/**
 * The HTTP surface of the service. A request passes its folders in this order: `connections/`, `authentication/`,
 * `limits/`, `requests/` (reads it), `routes/`, `answers/`. The routes call code in `packages/`, which knows no HTTP.
 * A route is added to its group in `routes/`; `createOperations` hands each group its few parts. `shared.ts` makes the
 * parts that other surfaces use too.
 *
 *   const ingress = createIngress({ store, views, ledgers, clock, ids, platforms, log }, { windowSeconds: 180 })
 *   const { port, close } = await ingress.listen('127.0.0.1', 8080)   // 0: any free port
 *   await close()                                                     // drains; the resources stay the caller's
 */

import type { RequestHandler } from 'express'
import { RequestCounts } from '#packages/accounts/request-counts/request-counts.ts'
import type { FeedLag } from '#packages/events/store/feed-lag.ts'
import type { OwnerNote } from '#packages/jobs/acceptance/owner-note.ts'
import { LoopMonitor } from '#packages/telemetry/loop-monitor.ts'
import { Answers } from './answers/answers.ts'
import type { EndedJobs } from './answers/ended-jobs.ts'
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
  const operations = createOperations(resources, shared, { note, ended, answers, errors, loop }, options)
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

type Answering = { note: OwnerNote; ended: EndedJobs; answers: Answers; errors: ErrorObjects; loop: LoopMonitor }

/** The operations of `/v1`, by path below it. Each group of routes gets the few parts that it uses. */
function createOperations(
  { store, views, ledgers, clock, ids, log, platforms, attempts, telemetry }: IngressResources,
  { accounts, jobs, readers, lookups, limits, closing }: Shared,
  { note, ended, answers, errors, loop }: Answering,
  options: IngressOptions,
): Record<string, Operations> {
  const { keys, ownKeys, details } = accounts
  const { acceptance, estimates, watch, history, batches, watches, webhooks, deliveries, forget } = jobs
  const { schemas } = readers
  const { rates } = limits
  const answering = { answers, rates }
  const polling = { watch, ended, ledgers, errors, closing }
  const lasting = { ...answering, concurrency: limits.concurrency, log, closing }
  const naming = { webhooks, details, schemas }
  return {
    ...jobRequestOperations({ ...answering, ...polling, ...naming, acceptance, loop, waits: new EndWaits() }, options),
    ...lookupOperations({ ...answering, lookups, estimates, loop, telemetry }, options),
    ...platformOperations({ ...answering, platforms, lookups, note, clock }, options),
    ...accountOperations({ ...answering, details, store, views, clock }, options),
    ...jobOperations({ ...answering, store, views, clock, ids, attempts, watch, history, forget, closing }, options),
    ...jobEventOperations({ ...lasting, history, keys, clock }),
    ...keyOperations({ ...answering, ownKeys, clock }, options),
    ...webhookOperations({ ...answering, webhooks, deliveries, details, clock }, options),
    ...batchOperations({ ...lasting, ...naming, ...readers, batches, watch, keys, clock }, options),
    ...watchOperations({ ...answering, ...naming, watches, clock }, options),
  }
}

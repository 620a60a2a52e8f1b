import { pino } from 'pino'
import { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { MemoryDocuments } from '#packages/adapters/memory/documents.ts'
import { MemoryViews } from '#packages/adapters/memory/views.ts'
import { MemoryWorkQueue } from '#packages/adapters/memory/work-queue.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { noOptions, perStep } from '#packages/domain/job/events.ts'
import { viewsDefinition as definition } from '#packages/events/views/views-definition.ts'
import type { BatchApplication } from '#packages/jobs/batches/accept-batch.ts'
import { Batches } from '#packages/jobs/batches/batches.ts'
import { AttemptsUnderWay } from '#packages/jobs/processing/attempts-under-way.ts'
import type { DateOf } from '#packages/platforms/sources/date-of.ts'
import type { ReadSource } from '#packages/platforms/sources/read-source.ts'
import { noTelemetry } from '#packages/telemetry/telemetry.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'
import { type ComponentOptions, components } from '#services/host/components.ts'
import { runTogether } from '#services/host/run-together.ts'
import { ingressDefaults } from '#services/ingress/options.ts'
import { createCustomers } from '#test/bench/service/customers.ts'
import { noopSteps } from '#test/bench/service/noop-steps.ts'
import { MemoryEventStore } from '#test/doubles/memory-event-store.ts'
import { noSources } from '#test/doubles/watches/no-sources.ts'

/** A request for transcripts of `count` videos. */
export const batchOf = (orgId: string, videos: number, more: Partial<BatchApplication> = {}): BatchApplication => ({
  request: { kind: 'transcript', mode: 'auto', lang: null, prompt: null, schema: null, options: noOptions },
  videos: Array.from({ length: videos }, (_, n) => ({ url: `https://cdn.example.com/${n}.mp4`, line: n + 1 })),
  source: null,
  maxCredits: null,
  skippedLines: 0,
  keyId: null,
  surface: 'api',
  monthlyCredits: null,
  idempotencyKey: undefined,
  webhook: undefined,
  tellsItems: false,
  metadata: { orgId, causationId: ids.uuid(), traceparent: newTraceparent(false) },
  ...more,
})

type Setting = { works?: ComponentOptions['works']; readSource?: ReadSource; dateOf?: DateOf }

/** A whole service in memory. Its steps return at once, and its customer has the plan Pro. */
export async function startBatches({
  works,
  readSource = () => Promise.reject(new Error('there is no source')),
  dateOf = async () => null,
}: Setting = {}) {
  const store = new MemoryEventStore({ clock })
  const views = new MemoryViews({ clock, definition, documents: new MemoryDocuments() })
  const ledgers = new Ledgers({ store, clock, ids })
  const [customer] = await createCustomers(store, 1)
  if (customer === undefined) throw new Error('there is no customer')
  const own = { attempts: new AttemptsUnderWay(), processors: new Map() }
  const log = pino({ level: 'silent' })
  const ports = { store, queue: new MemoryWorkQueue(), views, ledgers, clock, ids, log, telemetry: noTelemetry, ...own }
  const options: ComponentOptions = {
    works: { ...noopSteps(() => {}), ...works },
    slots: perStep(() => 4),
    worker: 'w1',
    leaseSeconds: 30,
    windowSeconds: 60,
    releaseClaimsAtStart: true,
    dropCached: async () => {},
    watches: noSources,
    batches: { readSource, dateOf, acceptance: ingressDefaults, paceFactor: 100 },
    webhooks: {
      secrets: { addressOf: async () => undefined, removalOf: async () => () => Promise.resolve() },
      send: () => Promise.reject(),
      linkBase: '',
    },
  }
  const stop = new AbortController()
  const parts = Object.values(components).map((make) => make(ports, options))
  const running = runTogether(parts, stop.signal)
  await running.whenAll(parts.map(({ ready }) => ready))
  return {
    ...ports,
    customer,
    orgId: customer.orgId,
    batches: new Batches(ports),
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  }
}

/**
 * Runs some or all parts of the service in this process, on the adapters that the configuration chooses. Slow modules
 * that not every process needs are loaded on first use.
 */
import { hostname } from 'node:os'
import { besideOthers, Ledgers, ledgerDefaults } from '#packages/accounts/ledger/ledgers.ts'
import { establishedIn } from '#packages/accounts/organizations/established.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { dropMedia } from '#packages/content/media/media-cache.ts'
import { perStep, steps } from '#packages/domain/job/events.ts'
import { paidSteps } from '#packages/domain/job/unpaid.ts'
import type { Config } from '#packages/foundation/config/config.ts'
import { lookalikes } from '#packages/foundation/config/lookalikes.ts'
import { caughtUp, Readiness } from '#packages/foundation/readiness/readiness.ts'
import { AttemptsUnderWay } from '#packages/jobs/processing/attempts-under-way.ts'
import { UnpaidLimit } from '#packages/jobs/processing/unpaid-limit.ts'
import { createLog, flushLog } from '#packages/telemetry/log.ts'
import { captionStep } from '#services/caption/step.ts'
import { fetchStep } from '#services/fetch/step.ts'
import { ingressDefaults } from '#services/ingress/options.ts'
import { archivedIn } from './archived-streams.ts'
import { type Component, type ComponentOptions, components } from './components.ts'
import { openMailer } from './dashboard.ts'
import type { DataDirectory } from './data-directory.ts'
import { DiskSpace } from './disk-space.ts'
import { type Need, openEngines } from './engines.ts'
import { openSealer } from './open-sealer.ts'
import { type OwnTelemetry, openTelemetry } from './open-telemetry.ts'
import type { Outside } from './outside.ts'
import { observeProcess } from './process-metrics.ts'
import { startRetention } from './retention.ts'
import { runTogether } from './run-together.ts'
import { serveMetrics } from './serve-metrics.ts'
import type { Speech } from './speech.ts'
import { capsOf, listen, type Opened } from './surface.ts'
import { tracedEngines } from './traced-engines.ts'
import { sourcesOf, watching } from './watching.ts'

type ComponentName = keyof typeof components
export type PartName = ComponentName | 'ingress'

/** The adapters that each part needs in addition to the event store. */
export const needsOf: Readonly<Record<PartName, readonly Need[]>> = {
  ingress: ['views', 'counters', 'accounts'],
  orchestrator: ['views', 'queue'],
  projections: ['views', 'ownership'],
  retention: ['views', 'accounts'],
  webhooks: ['views', 'ownership', 'accounts'],
  batches: ['views', 'ownership'],
  watches: ['views', 'ownership'],
  ...perStep((step): Need[] => (paidSteps.includes(step) ? ['queue', 'views'] : ['queue'])),
}

export const partNames = Object.keys(needsOf) as PartName[]

/** Parts that reach outside. */
const reachOut: readonly PartName[] = ['ingress', 'batches', 'watches', ...steps]

/** Parts that read or write sealed data. */
export const seals: readonly PartName[] = ['ingress', 'webhooks', 'batches']

export type Serving = {
  /** The name in the log lines. */
  service: string
  parts: readonly PartName[]
  config: Config
  data: DataDirectory
  /** True if the outside world is the sandbox. */
  isSandbox?: boolean
  /** Aborted to end the service: requests in progress are answered, and claims are released. */
  stop: AbortSignal
  /** Called when the service stops waiting for the export of telemetry, which may keep the process open. */
  gaveUp(): void
  /**
   * Called once the service answers, with its port, the speech engine if there is one, and the sign-up link for a first
   * owner if one is needed.
   */
  onServing(port: number, speech: Speech | undefined, firstOwner: string | undefined): void
}

/** Serves until it is stopped. @throws Error an engine cannot be opened, or one of the parts has failed */
export async function serve(serving: Serving): Promise<void> {
  const { service, parts, config, data, gaveUp } = serving
  const log = createLog(service, config.logLevel)
  for (const words of lookalikes()) log.warn({}, words)
  await using _written = { [Symbol.asyncDispose]: () => flushLog(log) }
  await using telemetry = await openTelemetry(config, { service, log, gaveUp })
  await using _scraped = await serveMetrics(config, telemetry.scrape, log)
  const needs = new Set(parts.flatMap((part) => needsOf[part]))
  // The key is read before the event file exists: a first start makes it.
  const sealer = parts.some((part) => seals.includes(part)) ? openSealer(config, data, log) : undefined
  await using opened = await openEngines(config, data, needs, { clock, log, telemetry })
  const engines = tracedEngines(opened, { config, telemetry, clock })
  const isAlone = config.eventStoreUrl === undefined
  const ledgers = new Ledgers({ store: engines.store, clock, ids, log }, isAlone ? ledgerDefaults : besideOthers)
  const attempts = new AttemptsUnderWay()
  const ports = { ...engines, ledgers, clock, ids, log, telemetry, attempts, processors: new Map() }
  await using outside = parts.some((part) => reachOut.includes(part))
    ? await (await import('./outside.ts')).openOutside(config, data, {
        ...ports,
        isEstablished: establishedIn(engines.store, clock),
      })
    : undefined
  const unpaid = new UnpaidLimit({ views: engines.promptViews, clock, log })
  const reach = outside && { clock, log, telemetry, unpaid, ...outside }
  const chosen =
    parts.includes('ingress') || parts.includes('speech-to-text')
      ? await (await import('./speech-engine.ts')).chosenEngine(config, ports)
      : undefined
  await using speech =
    reach && chosen && parts.includes('speech-to-text')
      ? await (await import('./speech.ts')).createSpeech(config, chosen, data.temporary, reach)
      : undefined
  await using extract =
    reach && parts.includes('extract') ? await (await import('./extract.ts')).createExtract(config, reach) : undefined

  await using mailer = engines.accounts && (await openMailer(config, ports))
  await using webhooks =
    sealer && engines.accounts && parts.includes('webhooks')
      ? (await import('./webhooks.ts')).reachWebhooks(config, {
          store: engines.store,
          clock,
          sealer,
          accounts: engines.accounts,
          log,
          mailer,
          telemetry,
        })
      : undefined
  await run(serving, telemetry, { ports, engines, outside, chosen, speech, extract, sealer, mailer, webhooks })
}

/** Runs the components and the surface until they are stopped. @throws the error of the first that fails */
async function run(serving: Serving, telemetry: OwnTelemetry, opened: Opened): Promise<void> {
  const { parts, config, data, stop, onServing } = serving
  const { ports, engines, outside, speech, extract, mailer, webhooks } = opened
  const { log } = ports
  const options = componentOptions(config, data, opened)
  const names = Object.keys(components) as ComponentName[]
  const running = new Map<ComponentName, Component>()
  for (const name of names) if (parts.includes(name)) running.set(name, components[name](ports, options))
  await using together = runTogether([...running.values()], stop)
  const lags = new Map([...running].flatMap(([name, { lag }]) => (lag ? [[name, lag] as const] : [])))
  const disk = new DiskSpace(config, data)
  const dependencies = [
    disk.dependency,
    ...engines.dependencies,
    ...Array.from(lags, ([name, lag]) => caughtUp(name, lag)),
  ]
  using _observed = telemetry.isExported
    ? observeProcess(telemetry, {
        isEmbedded: parts.length === partNames.length,
        lags,
        readiness: new Readiness(ports, dependencies),
        disk,
        log,
        pools: poolsOf(outside, speech),
      })
    : undefined
  const calls = [mailer?.health, webhooks?.health].filter((health) => health !== undefined)
  const ill = [disk, ...(outside?.warned ?? []), ...(speech?.outside ?? []), ...(extract?.outside ?? []), ...calls]
  const health = { dependencies, ill, lags }
  // A process without the ingress answers /ready from the beginning.
  await using status = parts.includes('ingress') ? undefined : await listen(serving, opened, health)
  // A follower of damaged events may never be ready. The process serves undamaged events anyway.
  const ready = together.whenAll([...running.values()].map((component) => component.ready))
  await Promise.race([ready, engines.damaged])
  ready.catch(() => {})
  if (stop.aborted) return
  await using listening = status ?? (await listen(serving, opened, health))
  onServing(listening.port, speech, listening.firstOwner)
  await using _retention = parts.includes('retention')
    ? startRetention(config, data, { ...ports, ...options })
    : undefined
  await together.ended
  log.info('stopping')
}

function poolsOf(outside: Outside | undefined, speech: Speech | undefined) {
  const pools = new Map<string, { readonly pids: readonly number[] }>()
  if (outside) pools.set('yt-dlp', outside.reader)
  for (const [name, workers] of speech?.pools ?? []) pools.set(name, workers)
  return pools
}

function componentOptions(
  config: Config,
  data: DataDirectory,
  { engines, outside, speech, extract, sealer, webhooks }: Opened,
): ComponentOptions {
  const platforms = outside?.platforms
  const sources = sealer && platforms && sourcesOf(platforms, { sealer, clock })
  const acceptance = { ...ingressDefaults, ...capsOf(config), windowSeconds: config.jobWindowSeconds }
  const beginning = { acceptance, pace: platforms }
  return {
    works: {
      ...(platforms && { fetch: fetchStep({ platforms }), caption: captionStep({ platforms }) }),
      ...(speech && { 'speech-to-text': speech.step }),
      ...(extract && { extract: extract.step }),
    },
    slots: {
      fetch: config.fetchSlots,
      caption: config.captionSlots,
      'speech-to-text': config.speechSlots,
      extract: config.extractSlots,
    },
    worker: `${hostname()}/${process.pid}`,
    leaseSeconds: config.leaseSeconds,
    windowSeconds: config.jobWindowSeconds,
    // Events in a file belong to this process alone, because it holds the lock of the directory.
    releaseClaimsAtStart: config.eventStoreUrl === undefined,
    tellsBusiest: config.busiestOrganizations === 'on',
    archived: archivedIn(config.exportDir === undefined ? [] : [config.exportDir]),
    webhooks,
    batches: sources && { ...sources, ...beginning, paceFactor: config.heavyRequestsFactor },
    watches: platforms && { ...beginning, ...watching(platforms, { views: engines.views, clock }) },
    async dropCached(what) {
      if ('organization' in what) await engines.accounts?.removeSealedOf(what.organization)
      await (platforms === undefined ? dropMedia(data.media, what) : platforms.forget(what))
    },
  }
}

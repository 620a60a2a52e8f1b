/**
 * Runs some parts of the service in this process, or all of them, on the adapters that the configuration chooses. What
 * not every process needs and takes long to load is loaded where it is used.
 */
import { hostname } from 'node:os'
import { memoryRateCounters } from '#packages/adapters/memory/rate-counters.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import type { Config } from '#packages/config/config.ts'
import { steps } from '#packages/domain/job/events.ts'
import { Ledgers } from '#packages/ledger/ledgers.ts'
import type { Platforms } from '#packages/platforms/create-platforms.ts'
import type { StepWork } from '#packages/processing/step.ts'
import { caughtUp, Readiness } from '#packages/readiness/readiness.ts'
import { serveStatus } from '#packages/readiness/status-server.ts'
import { createLog, flushLog, type Logger } from '#packages/telemetry/log.ts'
import { captionStep } from '#services/caption/step.ts'
import { fetchStep } from '#services/fetch/step.ts'
import { ingressDefaults } from '#services/ingress/options.ts'
import { type Component, type ComponentOptions, type ComponentPorts, components } from './components.ts'
import type { DataDirectory } from './data-directory.ts'
import { type Engines, type Need, openEngines } from './engines.ts'
import { mountMcp } from './mcp.ts'
import { runTogether } from './run-together.ts'
import type { Speech } from './speech.ts'

type ComponentName = keyof typeof components
export type PartName = ComponentName | 'ingress'

/** What each part uses besides the event store. */
export const needsOf: Readonly<Record<PartName, readonly Need[]>> = {
  ingress: ['views', 'counters'],
  orchestrator: ['views', 'queue'],
  projections: ['views'],
  fetch: ['queue'],
  caption: ['queue'],
  'speech-to-text': ['queue'],
  extract: ['queue'],
}

export const partNames = Object.keys(needsOf) as PartName[]

/** Parts that reach outside. */
const reachOut: readonly PartName[] = ['ingress', ...steps]

export type Serving = {
  /** Names the lines of the log. */
  service: string
  parts: readonly PartName[]
  config: Config
  data: DataDirectory
  /** Ends it: requests under way end, and what is in hand is given back. */
  stop: AbortSignal
  /** Told once it serves, on which port, with the speech engine where there is one. */
  onServing(port: number, speech: Speech | undefined): void
}

/** Serves until it is stopped. @throws Error what it needs cannot be opened, or one of the parts has failed */
export async function serve({ service, parts, config, data, stop, onServing }: Serving): Promise<void> {
  const log = createLog(service, config.logLevel)
  await using _written = { [Symbol.asyncDispose]: () => flushLog(log) }
  const needs = new Set(parts.flatMap((part) => needsOf[part]))
  await using engines = await openEngines(config, data, needs, { clock, log })
  const ledgers = new Ledgers({ store: engines.store, clock, ids, log })
  const ports = { ...engines, ledgers, clock, ids, log }
  await using outside = parts.some((part) => reachOut.includes(part))
    ? await (await import('./outside.ts')).openOutside(config, data, ports)
    : undefined
  const platforms = outside?.platforms
  const reach = outside && { clock, log, ...outside }
  const speech =
    reach && parts.includes('speech-to-text')
      ? await (await import('./speech.ts')).createSpeech(config, data.temporary, reach)
      : undefined
  await using _workers = speech?.workers
  await using extract =
    reach && parts.includes('extract') ? await (await import('./extract.ts')).createExtract(config, reach) : undefined

  const options = componentOptions(config, platforms, { speech, extract })
  const names = Object.keys(components) as ComponentName[]
  const running = new Map<ComponentName, Component>()
  for (const name of names) if (parts.includes(name)) running.set(name, components[name](ports, options))
  await using together = runTogether([...running.values()], stop)
  const surface = { config, parts, platforms, ports, engines, running }
  // Whoever has no other surface tells from the beginning how far it has come.
  await using status = parts.includes('ingress') ? undefined : await listen(surface)
  // Who follows damaged events may never be ready; what is not damaged is served all the same.
  const ready = together.whenAll([...running.values()].map((component) => component.ready))
  await Promise.race([ready, engines.damaged])
  ready.catch(() => {})
  if (stop.aborted) return
  await using listening = status ?? (await listen(surface))
  onServing(listening.port, speech)
  await together.ended
  log.info('stopping')
}

function componentOptions(
  config: Config,
  platforms: Platforms | undefined,
  { speech, extract }: { speech: Speech | undefined; extract: { step: StepWork } | undefined },
): ComponentOptions {
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
    // Events in a file are this process's alone, which the lock of its directory sees to.
    releaseClaimsAtStart: config.eventStoreUrl === undefined,
  }
}

type Surface = {
  config: Config
  parts: readonly PartName[]
  platforms: Platforms | undefined
  ports: ComponentPorts & { log: Logger }
  engines: Engines
  running: ReadonlyMap<ComponentName, Component>
}

/** The HTTP surface: the whole of it, or where there is no ingress, how the process stands. */
async function listen(surface: Surface): Promise<{ port: number } & AsyncDisposable> {
  const { config, parts, platforms, ports, engines, running } = surface
  const followers = [...running].flatMap(([name, { following }]) => (following ? [caughtUp(name, following)] : []))
  const dependencies = [...engines.dependencies, ...followers]
  if (!parts.includes('ingress') || platforms === undefined)
    return serveStatus(new Readiness(ports, dependencies), { host: config.host, port: config.servicePort })
  const { counters } = engines
  const { createIngress } = await import('#services/ingress/ingress.ts')
  const mcp = mountMcp(config)
  const rates = { counters, localCounters: memoryRateCounters }
  const resources = { ...ports, ...rates, platforms, dependencies, mounted: { '/mcp': mcp.mounted } }
  const ingress = createIngress(resources, ingressOptionsOf(config))
  const { port, close } = await ingress.listen(config.host, config.port)
  mcp.servedAt(port)
  return { port, [Symbol.asyncDispose]: () => Promise.all([close(), mcp[Symbol.asyncDispose]()]).then(() => {}) }
}

function ingressOptionsOf(config: Config) {
  const { lightRequestsPerMinute: light, pollsPerMinute: polls, heavyRequestsFactor: factor } = config
  const { free, starter, pro } = ingressDefaults.rates.heavy
  const heavy = { free: free * factor, starter: starter * factor, pro: pro * factor }
  const { jobWindowSeconds: windowSeconds, speechMinutesPerDay, llmTokensPerDay } = config
  const extracts = config.llmBaseUrl !== undefined
  const server = { ...ingressDefaults.server, maxConnectionsPerAddress: config.maxConnectionsPerAddress }
  return { server, windowSeconds, rates: { light, polls, heavy }, extracts, speechMinutesPerDay, llmTokensPerDay }
}

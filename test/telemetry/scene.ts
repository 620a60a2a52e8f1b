import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Cluster } from '#test/faults/cluster.ts'
import { Deployment } from '#test/faults/deployment.ts'
import { startCustomers } from './customers.ts'
import { DECISION_SECONDS, type ObserverTools, startObservers } from './observers.ts'
import { Prometheus } from './prometheus.ts'
import { startOutsideWorld } from './world.ts'

/** Few slots on few cores. The window is as short as it can be on shared cores. */
const settings = {
  RATE_HEAVY_FACTOR: '100',
  RATE_LIGHT_PER_MINUTE: '100000',
  RATE_POLLS_PER_MINUTE: '100000',
  FETCH_SLOTS: '3',
  CAPTION_SLOTS: '2',
  SPEECH_SLOTS: '2',
  EXTRACT_SLOTS: '2',
  LEASE_SECONDS: '6',
  JOB_WINDOW_SECONDS: '30',
  YTDLP_WORKERS: '1',
  LOG_LEVEL: 'warn',
  METRICS_BUSIEST_ORGANIZATIONS: 'on',
}

/** No traces are kept except those that must be kept. */
const failedAndSlow = { sharePercent: 0, decisionSeconds: DECISION_SECONDS }

/**
 * Starts the distributed service under load, with the observers.
 * @throws EngineUnavailableError if this machine lacks what an engine needs
 */
export async function startScene(tools: ObserverTools) {
  await using opening = new AsyncDisposableStack()
  /** Seconds since 1970. */
  const startedAt = Date.now() / 1000
  const cluster = opening.use(await Cluster.start(1))
  const outside = opening.use(await startOutsideWorld())
  const observers = opening.use(await startObservers(tools, failedAndSlow))
  const variables: Record<string, string> = {
    ...cluster.variables,
    ...outside.variables,
    ...observers.variables,
    ...settings,
  }
  const deployment = opening.use(await Deployment.start(variables))
  const customers = opening.use(await startCustomers(deployment.base, variables.EVENT_STORE_URL ?? ''))
  const prometheus = new Prometheus(observers.prometheus)
  const open = opening.move()
  return {
    ...{ observers, cluster, outside, deployment, customers, prometheus, startedAt },
    /** Writes the output of the services to a file. @returns where */
    async keepOutput(): Promise<string> {
      const path = join(tmpdir(), `telemetry-${process.pid}.log`)
      await writeFile(path, deployment.output)
      return path
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

export type Scene = Awaited<ReturnType<typeof startScene>>

import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Cluster } from '#test/faults/cluster.ts'
import { Deployment } from '#test/faults/deployment.ts'
import { Customers } from './customers.ts'
import { DECISION_SECONDS, Observers, type ObserverTools } from './observers.ts'
import { Prometheus } from './prometheus.ts'
import { type OutsideWorld, startOutsideWorld } from './world.ts'

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

/** The distributed service under load, with the observers. */
export class Scene implements AsyncDisposable {
  readonly #open: AsyncDisposableStack
  readonly observers: Observers
  readonly cluster: Cluster
  readonly outside: OutsideWorld
  readonly deployment: Deployment
  readonly customers: Customers
  readonly prometheus: Prometheus
  /** Seconds since 1970. */
  readonly startedAt: number

  private constructor(open: AsyncDisposableStack, parts: Parts, startedAt: number) {
    this.#open = open
    this.observers = parts.observers
    this.cluster = parts.cluster
    this.outside = parts.outside
    this.deployment = parts.deployment
    this.customers = parts.customers
    this.prometheus = new Prometheus(parts.observers.prometheus)
    this.startedAt = startedAt
  }

  /** @throws EngineUnavailableError if this machine lacks what an engine needs */
  static async start(tools: ObserverTools): Promise<Scene> {
    await using opening = new AsyncDisposableStack()
    const startedAt = Date.now() / 1000
    const cluster = opening.use(await Cluster.start(1))
    const outside = opening.use(await startOutsideWorld())
    const observers = opening.use(await Observers.start(tools, failedAndSlow))
    const variables: Record<string, string> = {
      ...cluster.variables,
      ...outside.variables,
      ...observers.variables,
      ...settings,
    }
    const deployment = opening.use(await Deployment.start(variables))
    const customers = opening.use(await Customers.start(deployment.base, variables.EVENT_STORE_URL ?? ''))
    return new Scene(opening.move(), { cluster, outside, observers, deployment, customers }, startedAt)
  }

  /** Writes the output of the services to a file. @returns where */
  async keepOutput(): Promise<string> {
    const path = join(tmpdir(), `telemetry-${process.pid}.log`)
    await writeFile(path, this.deployment.output)
    return path
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#open.disposeAsync()
  }
}

type Parts = Pick<Scene, 'observers' | 'cluster' | 'outside' | 'deployment' | 'customers'>

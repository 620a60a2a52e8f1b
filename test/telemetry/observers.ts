/** The observers: Jaeger as the collector, Prometheus and Alertmanager, each as ops/ configures it, but faster. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parse, stringify } from 'yaml'
import { ruleFile } from '#ops/alerts/rules.ts'
import { Engine, type EngineKind } from '#ops/local-engines/engine.ts'
import { freePorts } from '#ops/local-engines/ports.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import type { Tools } from './tools.ts'

/** All windows of the rules are divided by it, and what is usually reported each minute is reported each second. */
export const HURRY = 60

/** The longest that a job's trace waits until it is decided whether to keep it, seconds. */
export const DECISION_SECONDS = 40

/** How long the last data of an ended process are shown. */
const EXPIRATION = '5s'

type PrometheusConfiguration = {
  global: { scrape_interval: string; evaluation_interval: string }
  rule_files: string[]
  alerting: { alertmanagers: { static_configs: { targets: string[] }[] }[] }
  scrape_configs: { static_configs: { targets: string[] }[] }[]
}

const inOps = (name: string): string => resolve('ops/observe', name)

const answers = async (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(1000) }).then(
    ({ ok }) => ok,
    () => false,
  )

/**
 * The percentage of traces to keep among those that neither failed nor were slow, and how long to wait for traces,
 * seconds.
 */
export type Keeping = { sharePercent: number; decisionSeconds: number }

export type ObserverTools = { prometheus: string; jaeger: string; alertmanager: Tools['alertmanager'] }

/** Starts them. Their addresses are base URLs. @throws Error if one of them does not start, with its output */
export async function startObservers(tools: ObserverTools, keeping: Keeping) {
  await using opening = new AsyncDisposableStack()
  const directory = opening.use(await temporaryDirectory())
  const ports = await takePorts()
  const kinds = [
    jaegerKind(tools.jaeger, ports, keeping),
    prometheusKind(tools.prometheus, directory.path, ports),
    ...(tools.alertmanager ? [alertmanagerKind(tools.alertmanager, directory.path, ports)] : []),
  ]
  for (const kind of kinds) {
    const engine = new Engine(kind, { folder: directory.path, detached: false })
    opening.defer(() => engine.kill())
    await engine.start()
  }
  const at = (port: number): string => `http://127.0.0.1:${port}`
  const open = opening.move()
  return {
    prometheus: at(ports.prometheus),
    jaeger: at(ports.query),
    alertmanager: tools.alertmanager && at(ports.alertmanager),
    /** The variables with which services export to them. */
    variables: {
      OTEL_EXPORTER_OTLP_ENDPOINT: at(ports.otlp),
      OTEL_BSP_SCHEDULE_DELAY: '500',
      OTEL_METRIC_EXPORT_INTERVAL: '1000',
      OTEL_METRIC_EXPORT_TIMEOUT: '1000',
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

const portNames = ['health', 'query', 'queryGrpc', 'otlp', 'metrics', 'prometheus', 'alertmanager'] as const
type Ports = Record<(typeof portNames)[number], number>

async function takePorts(): Promise<Ports> {
  const free = await freePorts(portNames.length)
  return Object.fromEntries(portNames.map((name, at) => [name, free[at]])) as Ports
}

/** The variables of ops/observe/collector.yaml. */
const collectorVariables = (ports: Ports, { sharePercent, decisionSeconds }: Keeping): Record<string, string> => ({
  LISTEN: '127.0.0.1',
  HEALTH_PORT: `${ports.health}`,
  QUERY_PORT: `${ports.query}`,
  QUERY_GRPC_PORT: `${ports.queryGrpc}`,
  OTLP_PORT: `${ports.otlp}`,
  METRICS_PORT: `${ports.metrics}`,
  METRIC_EXPIRATION: EXPIRATION,
  DECISION_WAIT: `${decisionSeconds}s`,
  SHARE_PERCENT: `${sharePercent}`,
})

const jaegerKind = (program: string, ports: Ports, keeping: Keeping): EngineKind => ({
  name: 'jaeger',
  ports: [ports.health, ports.query, ports.queryGrpc, ports.otlp, ports.metrics],
  prepare: async () => {},
  command: [
    'env',
    ...Object.entries(collectorVariables(ports, keeping)).map(([name, value]) => `${name}=${value}`),
    program,
    '--config',
    inOps('collector.yaml'),
  ],
  isReady: () => answers(`http://127.0.0.1:${ports.health}/status`),
})

function prometheusKind(program: string, directory: string, ports: Ports): EngineKind {
  const folder = join(directory, 'prometheus')
  const configuration = join(folder, 'prometheus.yaml')
  const rules = join(folder, 'rules.yaml')
  return {
    name: 'prometheus',
    ports: [ports.prometheus],
    async prepare() {
      const ours = parse(await readFile(inOps('prometheus.yaml'), 'utf8')) as PrometheusConfiguration
      const live: PrometheusConfiguration = {
        ...ours,
        global: { ...ours.global, scrape_interval: '1s', evaluation_interval: '1s' },
        rule_files: [rules],
        alerting: { alertmanagers: [{ static_configs: [{ targets: [`127.0.0.1:${ports.alertmanager}`] }] }] },
        scrape_configs: ours.scrape_configs.map((one) => ({
          ...one,
          static_configs: [{ targets: [`127.0.0.1:${ports.metrics}`] }],
        })),
      }
      await mkdir(folder, { recursive: true })
      await writeFile(rules, ruleFile({ dividedBy: HURRY }))
      await writeFile(configuration, stringify(live))
    },
    command: [
      program,
      `--config.file=${configuration}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${ports.prometheus}`,
    ],
    isReady: () => answers(`http://127.0.0.1:${ports.prometheus}/-/ready`),
  }
}

const alertmanagerKind = (program: string, directory: string, ports: Ports): EngineKind => ({
  name: 'alertmanager',
  ports: [ports.alertmanager],
  prepare: async () => {},
  command: [
    program,
    `--config.file=${inOps('alertmanager.yaml')}`,
    `--storage.path=${join(directory, 'alertmanager/data')}`,
    `--web.listen-address=127.0.0.1:${ports.alertmanager}`,
    '--cluster.listen-address=',
  ],
  isReady: () => answers(`http://127.0.0.1:${ports.alertmanager}/-/ready`),
})

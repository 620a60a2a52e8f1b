import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { EngineKind } from './engine.ts'

const CLUSTER_ID = Buffer.from('local-engines-01').toString('base64url')

/** Java options for a program that lives for seconds to minutes: it spends less time on compiling. */
export const SHORT_LIVED = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC']

export type BrokerOptions = {
  /** Contains the folders of the brokers. */
  folder: string
  /** The port pairs of all brokers of the cluster: for clients, and for the quorum. */
  portPairs: readonly (readonly [number, number])[]
  classPath: string
  log4j: string
  /** Lines of configuration that are added to ours, or replace them. */
  lines?: Readonly<Record<string, string | number>>
}

/** The brokers of one KRaft cluster, each also a member of its quorum. */
export function kafkaBrokers(options: BrokerOptions): EngineKind[] {
  return options.portPairs.map((ports, index) => broker(options, ports, index + 1))
}

function broker(options: BrokerOptions, ports: readonly [number, number], id: number): EngineKind {
  const name = `kafka-${id}`
  const folder = join(options.folder, name)
  const properties = join(folder, 'server.properties')
  const data = join(folder, 'data')
  return {
    name,
    ports,
    async prepare() {
      await writeFile(properties, propertiesOf(options, ports, id, data))
      if (existsSync(join(data, 'meta.properties'))) return
      const words = ['format', '-t', CLUSTER_ID, '-c', properties, '--ignore-formatted']
      const tool = [...SHORT_LIVED, '-cp', options.classPath, 'kafka.tools.StorageTool']
      await promisify(execFile)('java', [...tool, ...words])
    },
    command: [
      'java',
      '-Xmx512m',
      ...SHORT_LIVED,
      `-Dlog4j2.configurationFile=${options.log4j}`,
      '-cp',
      options.classPath,
      'kafka.Kafka',
      properties,
    ],
    isReady: async (said) => said.includes('Kafka Server started'),
  }
}

/** Timeouts are far below the defaults: a killed broker serves again within seconds. */
function propertiesOf(
  { portPairs, lines: others }: BrokerOptions,
  [clients, quorum]: readonly [number, number],
  id: number,
  data: string,
) {
  const brokers = portPairs.length
  const replicas = Math.min(3, brokers)
  const inSync = replicas > 1 ? 2 : 1
  const lines = {
    'process.roles': 'broker,controller',
    'node.id': id,
    'controller.quorum.voters': portPairs.map(([, port], index) => `${index + 1}@127.0.0.1:${port}`).join(','),
    'controller.quorum.election.timeout.ms': 1000,
    'controller.quorum.fetch.timeout.ms': 2000,
    listeners: `PLAINTEXT://127.0.0.1:${clients},CONTROLLER://127.0.0.1:${quorum}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${clients}`,
    'controller.listener.names': 'CONTROLLER',
    'log.dirs': data,
    'auto.create.topics.enable': false,
    'num.partitions': 1,
    'default.replication.factor': replicas,
    'min.insync.replicas': inSync,
    'offsets.topic.num.partitions': 4,
    'offsets.topic.replication.factor': replicas,
    'transaction.state.log.replication.factor': replicas,
    'transaction.state.log.min.isr': inSync,
    'share.coordinator.state.topic.replication.factor': replicas,
    'share.coordinator.state.topic.min.isr': inSync,
    'group.initial.rebalance.delay.ms': 0,
    'group.min.session.timeout.ms': 1000,
    'broker.session.timeout.ms': 2000,
    'broker.heartbeat.interval.ms': 500,
    ...others,
  }
  return Object.entries(lines)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
}

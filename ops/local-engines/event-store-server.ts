import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openEventStoreDb } from '#packages/adapters/eventstoredb/event-store.ts'
import type { EngineKind } from './engine.ts'

const NAME = 'eventstoredb'
const ANSWERS_WITHIN_MS = 1000

export type EventStoreServerOptions = {
  /** EventStoreDB from 23.10 on, or KurrentDB. */
  program: string
  /** Contains the server's folder. */
  folder: string
  /** For clients, and for other nodes (there are none). */
  ports: readonly [number, number]
}

/** A real event store of one node, without TLS and accounts. */
export function eventStoreServer({ program, folder, ports }: EventStoreServerOptions): EngineKind {
  const own = join(folder, NAME)
  const configuration = join(own, 'server.yaml')
  const [clients, nodes] = ports
  const options: Readonly<Record<string, string | number>> = {
    config: configuration,
    db: join(own, 'data'),
    log: join(own, 'logs'),
    'node-ip': '127.0.0.1',
    'node-port': clients,
    'replication-ip': '127.0.0.1',
    'replication-port': nodes,
    'run-projections': 'None',
  }
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, `${value}`])
  return {
    name: NAME,
    ports,
    // Without its own configuration file, the server reads the machine's. It refuses an empty file.
    prepare: () => writeFile(configuration, 'RunProjections: None\n'),
    // The server reports home unless a variable forbids it.
    command: [
      'env',
      'EVENTSTORE_TELEMETRY_OPTOUT=true',
      'KURRENTDB_TELEMETRY_OPTOUT=true',
      program,
      '--insecure',
      ...words,
    ],
    isReady: () => leads(clients),
  }
}

/**
 * Whether the node at this port accepts appends. The client reads its gossip to find the leader, and then asks the
 * leader.
 */
async function leads(port: number): Promise<boolean> {
  const url = `esdb+discover://127.0.0.1:${port}?tls=false&maxDiscoverAttempts=1`
  await using store = openEventStoreDb(url, { deadlineMs: ANSWERS_WITHIN_MS, patienceMs: ANSWERS_WITHIN_MS })
  return store.read('job-that-nobody-has-asked-for').then(
    () => true,
    () => false,
  )
}

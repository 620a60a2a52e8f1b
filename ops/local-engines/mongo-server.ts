import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { MongoConnection } from '#packages/adapters/mongodb/connection.ts'
import type { EngineKind } from './engine.ts'

const NAME = 'mongodb'
const ANSWERS_WITHIN_MS = 1000
/** How long an ending primary waits for its clients, milliseconds. The default is 15 seconds. */
const END_WITHIN_MS = 300
/** Memory for its cache. It accepts no less. */
const CACHE_GB = 0.25

/** The driver repeats writes only on replica sets, so the server is the only member of one. */
export const REPLICA_SET = 'engines'

export type MongoServerOptions = {
  /** MongoDB from 5.0 on. */
  program: string
  /** Contains the server's folder. */
  folder: string
  port: number
}

/** A real MongoDB, without accounts. */
export function mongoServer({ program, folder, port }: MongoServerOptions): EngineKind {
  const data = join(folder, NAME, 'data')
  const options: Readonly<Record<string, string | number>> = {
    dbpath: data,
    port,
    bind_ip: '127.0.0.1',
    replSet: REPLICA_SET,
    wiredTigerCacheSizeGB: CACHE_GB,
    setParameter: `shutdownTimeoutMillisForSignaledShutdown=${END_WITHIN_MS}`,
  }
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, `${value}`])
  return {
    name: NAME,
    ports: [port],
    prepare: async () => void (await mkdir(data, { recursive: true })),
    command: [program, '--nounixsocket', ...words],
    isReady: () => isPrimary(port),
  }
}

/** Whether it accepts writes. Initiates its replica set if it has none. */
async function isPrimary(port: number): Promise<boolean> {
  const host = `127.0.0.1:${port}`
  const url = `mongodb://${host}/admin?directConnection=true`
  await using connection = new MongoConnection({ url, selectionTimeoutMs: ANSWERS_WITHIN_MS })
  try {
    const { isWritablePrimary, setName } = await connection.db.command({ hello: 1 })
    if (setName !== undefined) return isWritablePrimary === true
    await connection.db.command({ replSetInitiate: { _id: REPLICA_SET, members: [{ _id: 0, host }] } })
  } catch {
    // It does not answer yet, or has not noticed yet that its replica set was initiated.
  }
  return false
}

import { join } from 'node:path'
import { vacuum } from '#packages/adapters/sqlite/vacuum.ts'
import type { Config } from '#packages/foundation/config/config.ts'
import { readManifest } from '#packages/history/archive/manifest.ts'
import { type StoreChangesPorts, storeChanges } from '#packages/history/retention/store-changes.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import { type ArchivesPorts, forgetInArchives } from '#services/retention/archives.ts'
import { sweepHourly } from '#services/retention/sweeps.ts'
import manifest from '../../package.json' with { type: 'json' }
import { type DataDirectory, storeFilesOf } from './data-directory.ts'
import { forgetInChildProcess, sweepInChildProcess } from './sweep-in-child-process.ts'
import { vacuumNightly } from './vacuum-nightly.ts'

const { version: program } = manifest

type Ports = StoreChangesPorts & Omit<ArchivesPorts, 'archives'> & { telemetry: Telemetry }

/** Starts what removes old and forgotten data. It runs until it is disposed of. */
export function startRetention(config: Config, data: DataDirectory, ports: Ports): AsyncDisposable {
  const started = new AsyncDisposableStack()
  started.use(startSweeps(config, data, ports))
  started.use(startForgetting(config, data, ports))
  started.use(vacuumNightly({ ...ports, vacuum }, storeFilesOf(config, data)))
  return started
}

/** The sweeps. Undefined if RETENTION_DAYS is not set. */
function startSweeps(config: Config, { events }: DataDirectory, ports: Ports): AsyncDisposable | undefined {
  const { retentionDays, exportDir: directory } = config
  if (retentionDays === undefined || directory === undefined) {
    ports.telemetry.observe(metrics.sweepAge, () => [{ value: 0 }])
    return undefined
  }
  const beside = sweepInChildProcess({ config, events, directory, program }, storeChanges(ports))
  const sweep: typeof beside = async (...given) => {
    const problem = ports.store.integrityProblem()
    if (problem !== undefined) throw new Error(`nothing is swept: ${problem}`)
    return await beside(...given)
  }
  return sweepHourly({ ...ports, sweep }, { retentionDays, needsScavenge: config.eventStoreUrl !== undefined })
}

/** Removes forgotten streams from the configured archive and from the one that commands make in the data directory. */
function startForgetting(config: Config, { path, events }: DataDirectory, ports: Ports): AsyncDisposable {
  const directories = new Set([config.exportDir, join(path, 'archive')].flatMap((directory) => directory ?? []))
  const archives = [...directories].map((directory) => ({
    directory,
    position: () => readManifest(directory)?.position,
    forget: forgetInChildProcess({ config, events, directory, program }),
  }))
  return forgetInArchives({ ...ports, archives })
}

import type { Config } from '#packages/foundation/config/config.ts'
import { type StoreChangesPorts, storeChanges } from '#packages/history/retention/store-changes.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import { sweepHourly } from '#services/retention/sweeps.ts'
import manifest from '../../package.json' with { type: 'json' }
import type { DataDirectory } from './data-directory.ts'
import { sweepInChildProcess } from './sweep-in-child-process.ts'

/** Starts the sweeps, which run until disposed of. Undefined if RETENTION_DAYS is not set. */
export function startSweeps(
  config: Config,
  { events }: DataDirectory,
  ports: StoreChangesPorts & { log: Logger; telemetry: Telemetry },
): AsyncDisposable | undefined {
  const { retentionDays, exportDir: directory } = config
  if (retentionDays === undefined || directory === undefined) {
    ports.telemetry.observe(metrics.sweepAge, () => [{ value: 0 }])
    return undefined
  }
  const beside = sweepInChildProcess({ config, events, directory, program: manifest.version }, storeChanges(ports))
  const sweep: typeof beside = async (...given) => {
    const problem = ports.store.integrityProblem()
    if (problem !== undefined) throw new Error(`nothing is swept: ${problem}`)
    return await beside(...given)
  }
  return sweepHourly({ ...ports, sweep }, { retentionDays, needsScavenge: config.eventStoreUrl !== undefined })
}

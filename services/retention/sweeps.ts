import { untilDisposed } from '#packages/foundation/concurrency/until-disposed.ts'
import type { Swept } from '#packages/history/retention/sweep.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'

export type SweepsPorts = {
  clock: Clock
  log: Logger
  telemetry: Telemetry
  /** Exports jobs that ended before an instant, then removes them from the store. */
  sweep(cutoff: number, signal: AbortSignal): Promise<Swept & { exported: number }>
}

export type SweepsOptions = {
  /** RETENTION_DAYS */
  retentionDays: number
  /** True if removed events free disk space only after a scavenge, which operators run. */
  needsScavenge: boolean
}

const EVERY_MS = 60 * 60 * 1000
const DAY_MS = 24 * EVERY_MS

/** Sweeps at once, then once an hour, until it is disposed of. A failed sweep is retried after an hour. */
export const sweepHourly = (ports: SweepsPorts, options: SweepsOptions): AsyncDisposable =>
  untilDisposed((signal) => run(ports, options, signal))

async function run(ports: SweepsPorts, options: SweepsOptions, signal: AbortSignal): Promise<void> {
  const { clock, log, telemetry } = ports
  let wellAt = clock.now()
  telemetry.observe(metrics.sweepAge, () => [{ value: (clock.now() - wellAt) / 1000 }])
  while (!signal.aborted) {
    await sweepOnce(ports, options, signal).then(
      () => {
        wellAt = clock.now()
      },
      (err: unknown) => tell(log, err, signal),
    )
    await clock.sleep(EVERY_MS, signal).catch(() => {})
  }
}

async function sweepOnce({ clock, log, sweep }: SweepsPorts, options: SweepsOptions, signal: AbortSignal) {
  const began = clock.now()
  const { differing, ...swept } = await sweep(began - options.retentionDays * DAY_MS, signal)
  log.info({ ...swept, seconds: (clock.now() - began) / 1000 }, 'what is older than RETENTION_DAYS was swept')
  if (differing.length > 0)
    log.error({ alarm: 'archive_differs', streams: differing }, 'jobs are not what the archive has: they stay')
  if (options.needsScavenge && swept.events > 0)
    log.info('removed events take up disk space until the event store is scavenged: ops/engines.md')
}

function tell(log: Logger, err: unknown, signal: AbortSignal): void {
  if (signal.aborted) return
  if ((err as { code?: unknown }).code === 'archive_in_use')
    log.info('another process writes into the archive: no sweep')
  else log.error({ alarm: 'retention_failed', err }, 'a sweep of what is older than RETENTION_DAYS failed')
}

import { basename } from 'node:path'
import type { VacuumOutcome } from '#packages/adapters/sqlite/vacuum.ts'
import { untilDisposed } from '#packages/foundation/concurrency/until-disposed.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Logger } from '#packages/telemetry/log.ts'

/** The hour of the day, UTC. */
const AT_HOUR = 4

/** A larger file would block accepts for too long. */
const MAX_BYTES = 1_000_000_000

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS

type Ports = {
  clock: Clock
  log: Logger
  vacuum(path: string, maxBytes: number, signal: AbortSignal): Promise<VacuumOutcome>
}

/**
 * Rewrites files that had content removed, at 04:00 UTC, one after another, until it is disposed of. A failure is
 * retried a day later.
 */
export const vacuumNightly = (ports: Ports, files: readonly string[]): AsyncDisposable =>
  untilDisposed((signal) => run(ports, files, signal))

async function run(ports: Ports, files: readonly string[], signal: AbortSignal): Promise<void> {
  const { clock, log, vacuum } = ports
  while (!signal.aborted) {
    await clock.sleep(untilHour(clock.now()), signal).catch(() => {})
    for (const path of files) {
      if (signal.aborted) return
      const outcome = await vacuum(path, MAX_BYTES, signal).catch((error: Error) => leftBy(error))
      if (!signal.aborted) tell(log, basename(path), outcome)
    }
  }
}

const leftBy = ({ message }: Error): VacuumOutcome => ({ kind: 'left', why: message })

/** Milliseconds until the next such hour; a full day if it is that hour now. */
const untilHour = (now: number): number => DAY_MS - ((now - AT_HOUR * HOUR_MS) % DAY_MS)

function tell(log: Logger, file: string, outcome: VacuumOutcome): void {
  const { kind, ...fields } = outcome
  if (kind === 'vacuumed') log.info({ file, ...fields }, 'the file was written anew without what was removed')
  if (kind === 'left') log.warn({ file, ...fields }, 'remains of what was removed may be in unused bytes of the file')
}

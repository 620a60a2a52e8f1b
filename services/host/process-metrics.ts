import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import type { FeedLag } from '#packages/events/store/feed-lag.ts'
import type { Readiness } from '#packages/foundation/readiness/readiness.ts'
import { type Logger, lostLines } from '#packages/telemetry/log.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { Observation, Telemetry } from '#packages/telemetry/telemetry.ts'
import manifest from '../../package.json' with { type: 'json' }
import type { DiskSpace } from './disk-space.ts'

export type ObservedProcess = {
  /** True if one process does everything. */
  isEmbedded: boolean
  /** The lags of the followers, by name. Followers added later are exported too. */
  lags: ReadonlyMap<string, FeedLag>
  /**
   * The dependencies of this process. They are checked here every ten seconds, because an export must not check them.
   */
  readiness: Readiness
  /** Measured whenever readiness is checked. */
  disk: Pick<DiskSpace, 'observe'>
  log: Logger
  /** Pools of worker processes, by name. */
  pools: ReadonlyMap<string, { readonly pids: readonly number[] }>
}

const LOOK_EVERY_MS = 10_000

/** The sampling interval of the event loop, milliseconds. Measured delays include it. */
const LOOP_RESOLUTION_MS = 20

const seconds = (microseconds: number): number => microseconds / 1_000_000

/** Exports the state of this process until it is disposed of. */
export function observeProcess(telemetry: Telemetry, observed: ObservedProcess): Disposable {
  const { isEmbedded, lags, readiness, disk, log, pools } = observed
  const tell = (metric: Parameters<Telemetry['observe']>[0], value: () => number): void =>
    telemetry.observe(metric, () => [{ value: value() }])

  const delay = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS })
  delay.enable()
  tell(metrics.loopDelay, () => {
    const longest = delay.max / 1e9 - LOOP_RESOLUTION_MS / 1000
    delay.reset()
    return Math.max(0, longest)
  })
  let before = performance.eventLoopUtilization()
  tell(metrics.loopUtilization, () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    return utilization
  })
  tell(metrics.memory, () => process.memoryUsage.rss())
  tell(metrics.cpu, () => {
    const { user, system } = process.cpuUsage()
    return seconds(user + system)
  })
  tell(metrics.logLinesLost, () => lostLines(log))
  disk.observe(telemetry)
  const build = { [names.version]: manifest.version, [names.deployment]: isEmbedded ? 'embedded' : 'distributed' }
  telemetry.observe(metrics.buildInfo, () => [{ value: 1, attributes: build }])

  telemetry.observe(metrics.feedLag, () => [...lags].map(([follower, lag]) => lagOf(follower, lag)))
  telemetry.observe(metrics.workersInUse, () =>
    Array.from(pools, ([pool, { pids }]) => ({ value: pids.length, attributes: { [names.pool]: pool } })),
  )
  telemetry.observe(metrics.dependencyUp, () =>
    Array.from(readiness.lastAnswers, ([dependency, isUp]) => ({
      value: isUp ? 1 : 0,
      attributes: { [names.dependency]: dependency },
    })),
  )
  const look = (): void => void readiness.problems()
  look()
  const looking = setInterval(look, LOOK_EVERY_MS).unref()
  return {
    [Symbol.dispose]() {
      clearInterval(looking)
      delay.disable()
    },
  }
}

/** A follower that has never caught up counts as behind since the start of this process. */
function lagOf(follower: string, { behindMs = 0 }: FeedLag): Observation {
  const value = behindMs === Number.POSITIVE_INFINITY ? process.uptime() : behindMs / 1000
  return { value, attributes: { [names.follower]: follower } }
}

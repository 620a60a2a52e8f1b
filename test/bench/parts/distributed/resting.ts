import { setTimeout as rest } from 'node:timers/promises'
import { cpuSeconds } from '../../kit/cpu-time.ts'

/** Percent of one core that each process and its descendants use while the service is idle, by name. */
export async function idlePercent<Name>(
  processes: readonly (readonly [Name, readonly number[]])[],
  seconds: number,
): Promise<Map<Name, number>> {
  const before = processes.map(([, pids]) => cpuSeconds(pids))
  const from = performance.now()
  await rest(seconds * 1000)
  const passed = (performance.now() - from) / 1000
  return new Map(
    processes.map(([name, pids], index) => [name, ((cpuSeconds(pids) - (before[index] ?? 0)) * 100) / passed]),
  )
}

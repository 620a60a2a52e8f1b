import { setTimeout as rest } from 'node:timers/promises'
import { memoryOf } from '#test/doubles/service/process-tree.ts'
import { cpuSeconds } from '../../kit/cpu-time.ts'
import { figure } from '../../kit/figures.ts'
import type { Bench, Row } from '../../part.ts'
import type { BenchEngines } from '../../service/engines.ts'
import { RealServices } from '../../service/real-services.ts'

const REST_SECONDS = 30
/** How long the work of the start may take, milliseconds. */
const SETTLE_MS = 20_000
const MEGABYTE = 1e6
const WANTED_PERCENT = 2

/** Percent of one core that each process and its descendants take while nobody asks anything of them, by name. */
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

/** What every service costs that has nothing to do, as an operator starts it. */
export async function resting(bench: Bench, engines: BenchEngines): Promise<Row[]> {
  await using services = await RealServices.start(bench.directory, engines.env)
  await rest(SETTLE_MS)
  const processes = services.pids.map(([name, pid]) => [name as string, [pid]] as const)
  const seconds = Math.max(2, REST_SECONDS * bench.scale)
  const percent = await idlePercent([...processes, ['the servers started here', engines.pids]], seconds)
  return [...processes, ['the servers started here', engines.pids] as const].map(([name, pids]) => {
    const idle = percent.get(name) ?? Number.NaN
    const megabytes = pids.reduce((sum, pid) => sum + memoryOf(pid), 0) / MEGABYTE
    const what = `at rest for ${figure(seconds)} s: ${name}, CPU of one core; memory`
    const row = { what, measured: `${figure(idle)} %; ${figure(megabytes)} MB` }
    // The servers are not ours: no limit.
    return pids === engines.pids ? row : { ...row, wanted: `< ${WANTED_PERCENT} %`, met: idle < WANTED_PERCENT }
  })
}

/** The cost of every process while it is idle, started as an operator starts it. */
import { setTimeout as rest } from 'node:timers/promises'
import { EngineUnavailableError } from '#ops/local-engines/jars.ts'
import { processes, processName } from '#services/host/processes.ts'
import { memoryOf } from '#test/doubles/service/process-tree.ts'
import { Service } from '#test/doubles/service/service.ts'
import { Deployment } from '#test/faults/deployment.ts'
import { figure } from '../kit/figures.ts'
import type { Bench, Figures, Part, Row } from '../part.ts'
import { openBenchEngines } from '../service/engines.ts'
import { idlePercent } from './distributed/resting.ts'

const REST_SECONDS = 30
/** How long the work after the start may take, milliseconds. */
const SETTLE_MS = 20_000
const MEGABYTE = 1e6
const WANTED_PERCENT = 0.8

type Resting = { name: string; pids: readonly number[] }

/** @param theirs servers, which have no limit because they are not ours */
async function rowsOf(bench: Bench, ours: readonly Resting[], theirs: readonly Resting[] = []): Promise<Row[]> {
  await rest(SETTLE_MS)
  const seconds = Math.max(10, REST_SECONDS * bench.scale)
  const all = [...ours, ...theirs]
  const percents = await idlePercent(
    all.map((one) => [one, one.pids] as const),
    seconds,
  )
  return all.map((one) => {
    const percent = percents.get(one) ?? Number.NaN
    const megabytes = one.pids.reduce((sum, pid) => sum + memoryOf(pid), 0) / MEGABYTE
    const what = `at rest for ${figure(seconds)} s: ${one.name}, CPU of one core; memory`
    const row = { what, measured: `${figure(percent)} %; ${figure(megabytes)} MB` }
    return theirs.includes(one) ? row : { ...row, wanted: `≤ ${WANTED_PERCENT} %`, met: percent <= WANTED_PERCENT }
  })
}

async function embedded(bench: Bench): Promise<Row[]> {
  await using service = await Service.start()
  return await rowsOf(bench, [{ name: 'the embedded service', pids: [service.pid] }])
}

async function distributed(bench: Bench): Promise<Row[]> {
  try {
    await using engines = await openBenchEngines()
    await using services = await Deployment.start(engines.env)
    const ours = processes.map((parts) => ({
      name: processName(parts),
      pids: services.processesOf(parts[0] ?? 'ingress').map(({ pid }) => pid),
    }))
    return await rowsOf(bench, ours, [{ name: 'the servers started here', pids: engines.pids }])
  } catch (error) {
    if (!(error instanceof EngineUnavailableError)) throw error
    return [{ what: 'the distributed mode', measured: `not measured: ${error.message}` }]
  }
}

export const idle: Part = {
  name: 'idle',
  title: 'At rest',
  run: async (bench): Promise<Figures> => ({ rows: [...(await embedded(bench)), ...(await distributed(bench))] }),
}

/** Three of each service, compared with one of each on the same servers: what a job costs in each process. */
import { EngineUnavailableError } from '#ops/local-engines/jars.ts'
import { cpuSeconds } from '../kit/cpu-time.ts'
import { milliseconds, perSecond, times } from '../kit/figures.ts'
import { median } from '../kit/percentiles.ts'
import type { Bench, Figures, Part } from '../part.ts'
import { Distributed, processesForJobs } from '../service/distributed.ts'
import { openBenchEngines } from '../service/engines.ts'

const COPIES = 3
const SLOTS = 64
const ADDS_AT_ONCE = 63
const CUSTOMERS = 100
const ROUNDS = 3
const JOBS = 1000
/** Jobs for each copy: enough to warm up its code. */
const WARM_UP_JOBS = 600

/** The cost of a job by process, and for the servers: milliseconds of CPU. */
type Costs = { perSecond: number; services: Map<string, number>; servers: number }

/** Without those that have nothing to do here. */
const atWork = processesForJobs.filter(([part]) => part !== 'retention' && part !== 'extract')

async function measure(bench: Bench, copies: number): Promise<Costs> {
  await using engines = await openBenchEngines()
  await using services = await Distributed.start({
    bench,
    env: engines.env,
    processes: atWork,
    copies,
    slots: Math.ceil(SLOTS / copies),
  })
  await services.customers(CUSTOMERS)
  await services.complete(Math.ceil(copies * WARM_UP_JOBS * bench.scale), ADDS_AT_ONCE)
  const jobs = Math.ceil(JOBS * bench.scale)
  const spent = (name: string): number =>
    cpuSeconds(services.pids.filter(([own]) => own === name).map(([, pid]) => pid))
  const names = [...new Set(services.pids.map(([name]) => name))]
  const before = new Map(names.map((name) => [name, spent(name)]))
  const serversBefore = cpuSeconds(engines.pids)
  const rates: number[] = []
  for (let round = 0; round < ROUNDS; round++) rates.push(jobs / (await services.complete(jobs, ADDS_AT_ONCE)))
  const each = (seconds: number): number => (seconds * 1000) / (ROUNDS * jobs)
  return {
    perSecond: median(rates),
    services: new Map(names.map((name) => [name, each(spent(name) - (before.get(name) ?? 0))])),
    servers: each(cpuSeconds(engines.pids) - serversBefore),
  }
}

const sumOf = (costs: Costs): number => [...costs.services.values()].reduce((sum, ms) => sum + ms, 0)

async function run(bench: Bench): Promise<Figures> {
  try {
    const one = await measure(bench, 1)
    const several = await measure(bench, COPIES)
    const row = (what: string, of: (costs: Costs) => number) => ({
      what,
      measured: milliseconds(of(several)),
      against: milliseconds(of(one)),
      ratio: times(of(several) / of(one)),
    })
    return {
      rows: [
        {
          what: `${COPIES} of each service on this machine: jobs of 3 no-op steps (${ADDS_AT_ONCE} adds at once, ${SLOTS} slots a step in all)`,
          measured: perSecond(several.perSecond),
          against: `one of each: ${perSecond(one.perSecond)}`,
          ratio: times(several.perSecond / one.perSecond),
        },
        row('CPU for each job, of all services', sumOf),
        ...[...one.services.keys()].map((name) => row(`of these: ${name}`, ({ services }) => services.get(name) ?? 0)),
        row('CPU for each job, of the servers started here', ({ servers }) => servers),
      ],
    }
  } catch (error) {
    if (!(error instanceof EngineUnavailableError)) throw error
    return { rows: [{ what: 'three of each service', measured: `not measured: ${error.message}` }] }
  }
}

export const several: Part = { name: 'several', title: 'Three of each service', run }

import { setTimeout as rest } from 'node:timers/promises'
import type { Errand, TimedJob } from '../../kit/caller-process.ts'
import { Child } from '../../kit/child.ts'
import { cpuSeconds } from '../../kit/cpu-time.ts'
import { figure, milliseconds, perSecond, times } from '../../kit/figures.ts'
import { median, percentile } from '../../kit/percentiles.ts'
import { inTurn, ratioOf } from '../../kit/rounds.ts'
import { startTested } from '../../kit/start.ts'
import type { Bench, Row } from '../../part.ts'
import { embeddedProcess, type Score, startContestant } from '../../rivals/rival.ts'
import { Distributed } from '../../service/distributed.ts'
import type { BenchEngines } from '../../service/engines.ts'
import { VIDEO_URL } from '../../service/noop-steps.ts'
import type { ServiceOpened, ServiceOpening } from '../../service/service-process.ts'
import { crowded } from './crowded.ts'
import { idlePercent } from './resting.ts'

const SLOTS = 64
const ADDS_AT_ONCE = 64
const CUSTOMERS = 20
const ROUNDS = 3
const JOBS = 1000
const WARM_UP_JOBS = 300

const SINGLE_JOBS = 200
const SINGLE_WARM_UP_JOBS = 30
const REST_MS = 15

const WANTED = { perSecond: 400, cpuMs: 2.2, p50Ms: 15 }

/** How long the commits and checkpoints of the last jobs may take, milliseconds. */
const SETTLE_MS = 3000
const REST_AFTER_WORK_SECONDS = 10

/** Whole jobs with steps that do nothing, in either mode: many at once, and one at a time. */
export async function completing(bench: Bench, engines: BenchEngines): Promise<Row[]> {
  await using distributed = await Distributed.start({ bench, env: engines.env, slots: SLOTS })
  await distributed.customers(CUSTOMERS)
  const throughput = await manyAtOnce(bench, engines, distributed)
  const single = await oneAtATime(bench, distributed)
  const beside = await crowded(bench, distributed, ADDS_AT_ONCE)
  return [...throughput, ...single, beside, await afterWork(bench, distributed)]
}

async function manyAtOnce(bench: Bench, engines: BenchEngines, distributed: Distributed): Promise<Row[]> {
  await using embedded = await startContestant(bench, embeddedProcess, { slots: SLOTS, addsAtOnce: ADDS_AT_ONCE })
  await embedded.run(WARM_UP_JOBS)
  await distributed.complete(WARM_UP_JOBS, ADDS_AT_ONCE)

  const jobs = Math.ceil(JOBS * bench.scale)
  const services = distributed.pids.map(([, pid]) => pid)
  const run = async () => {
    const before = [cpuSeconds(services), cpuSeconds(engines.pids)] as const
    const seconds = await distributed.complete(jobs, ADDS_AT_ONCE)
    const each = (pids: readonly number[], from: number): number => ((cpuSeconds(pids) - from) * 1000) / jobs
    return { perSecond: jobs / seconds, cpuMs: each(services, before[0]), serverMs: each(engines.pids, before[1]) }
  }
  const rounds = await inTurn(ROUNDS, { embedded: () => embedded.run(jobs), distributed: run })
  const rates = (side: readonly Score[]): number[] => side.map(({ perSecond }) => perSecond)
  const costs = (side: readonly Score[]): number[] => side.map(({ cpuMs }) => cpuMs)
  const results = { distributed: rates(rounds.distributed), embedded: rates(rounds.embedded) }
  const cpuMs = {
    services: costs(rounds.distributed),
    servers: rounds.distributed.map(({ serverMs }) => serverMs),
    embedded: costs(rounds.embedded),
  }
  return [
    {
      what: `complete job of 3 no-op steps (${SLOTS} slots a step, ${ADDS_AT_ONCE} adds at once)`,
      measured: perSecond(median(results.distributed)),
      against: `embedded: ${perSecond(median(results.embedded))}`,
      ratio: times(ratioOf(results.distributed, results.embedded)),
      wanted: `≥ ${perSecond(WANTED.perSecond)}`,
      met: median(results.distributed) >= WANTED.perSecond,
    },
    {
      what: 'CPU for each job: of all services; of the servers started here',
      measured: `${milliseconds(median(cpuMs.services))}; ${milliseconds(median(cpuMs.servers))}`,
      against: `embedded: ${milliseconds(median(cpuMs.embedded))}`,
      ratio: `${times(ratioOf(cpuMs.services, cpuMs.embedded))} the CPU`,
      wanted: `the services ≤ ${milliseconds(WANTED.cpuMs)}`,
      met: median(cpuMs.services) <= WANTED.cpuMs,
    },
  ]
}

async function oneAtATime(bench: Bench, distributed: Distributed): Promise<Row[]> {
  const dataDir = await bench.folder('latency')
  await using caller = new Child(new URL('../../kit/caller-process.ts', import.meta.url), {
    directory: bench.directory,
  })
  await using service = startTested(bench, new URL('../../service/service-process.ts', import.meta.url))
  const opened = await service.call<ServiceOpened>('open', { dataDir, customers: 1, slots: 8 } satisfies ServiceOpening)
  const [customer] = await distributed.customers(1)
  const jobs = SINGLE_WARM_UP_JOBS + Math.ceil(SINGLE_JOBS * bench.scale)
  const tell = async (port: number, key = ''): Promise<TimedJob[]> => {
    const errand: Errand = { port, key, body: JSON.stringify({ url: VIDEO_URL }), restMs: REST_MS, jobs }
    return (await caller.call<TimedJob[]>('run', errand)).slice(SINGLE_WARM_UP_JOBS)
  }
  const embedded = await tell(opened.port, opened.customers[0]?.key)
  const ours = await tell(distributed.port, customer?.key)
  const starts = await distributed.starts()
  const both = (sample: readonly number[]): string =>
    `p50 ${milliseconds(percentile(sample, 0.5))}, p99 ${milliseconds(percentile(sample, 0.99))}`
  const row = (what: string, of: (timed: TimedJob) => number): Row => ({
    what,
    measured: both(ours.map(of)),
    against: `embedded: ${both(embedded.map(of))}`,
    ratio: times(median(ours.map(of)) / median(embedded.map(of))),
  })
  const toAnswer = ({ postedAt, answeredAt }: TimedJob): number => answeredAt - postedAt
  const toEnd = ({ postedAt, completedAt }: TimedJob): number => completedAt - postedAt
  const toStart = ours.map(({ jobId, answeredAt }) => (starts.get(jobId) ?? Number.NaN) - answeredAt)
  return [
    row('one job at a time: POST sent → answered', toAnswer),
    { what: 'one job at a time: POST answered → first step at work', measured: both(toStart) },
    {
      ...row('one job at a time: POST sent → completed, as a waiting poll sees it', toEnd),
      wanted: `p50 ≤ ${milliseconds(WANTED.p50Ms)}`,
      met: median(ours.map(toEnd)) <= WANTED.p50Ms,
    },
  ]
}

/** After work, a service may have timers and connections that a fresh one does not have. */
async function afterWork(bench: Bench, distributed: Distributed): Promise<Row> {
  await rest(SETTLE_MS)
  const seconds = Math.max(2, REST_AFTER_WORK_SECONDS * bench.scale)
  const processes = distributed.pids.map(([name, pid]) => [name, [pid]] as const)
  const idle = [...(await idlePercent(processes, seconds))]
  const most = Math.max(...idle.map(([, percent]) => percent))
  return {
    what: `at rest for ${figure(seconds)} s after all these jobs: the service that takes most CPU of one core`,
    measured: `${figure(most)} % (${idle.find(([, percent]) => percent === most)?.[0]})`,
    wanted: '< 2 %',
    met: most < 2,
  }
}

import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import type { Child } from '../../kit/child.ts'
import { cpuSeconds } from '../../kit/cpu-time.ts'
import { milliseconds, perSecond } from '../../kit/figures.ts'
import { inTurn } from '../../kit/rounds.ts'
import { startLoad, startTested } from '../../kit/start.ts'
import type { Bench, Row } from '../../part.ts'
import type { Contest, Opening } from '../../rivals/rival.ts'
import { contestant, type Opened, post } from '../../service/contestant.ts'
import type { ServiceOpened, ServiceOpening } from '../../service/service-process.ts'
import { pollsOf } from '../polling.ts'
import { here, lessIsBetter, moreIsBetter } from './compare.ts'

const ROUNDS = 5
const CONNECTIONS = 64
const CUSTOMERS = 100
const SLOTS = 64

const JOBS = 1500
const WARM_UP_JOBS = 500
const ADDS_AT_ONCE = 64

const ROUND_MS = 2500
const POLLED_JOBS = 500

type Measured = { rate: number; cpuMs: number }

/** The embedded mode of one checkout: the service, and the process that it runs in. */
type Side = { child: Child; measure(): Promise<number> }

/** Starts a process of a checkout's bench. */
const startFrom = (bench: Bench, checkout: URL, module: string): Child =>
  startTested(bench, new URL(`test/bench/${module}`, checkout))

async function jobs(bench: Bench, checkout: URL): Promise<Side> {
  const directory = await mkdtemp(join(bench.directory, 'beside-jobs-'))
  const child = startFrom(bench, checkout, 'rivals/embedded-process.ts')
  await child.call('open', { directory, slots: SLOTS } satisfies Opening)
  const complete = async (count: number): Promise<number> => {
    const contest: Contest = { jobs: count, addsAtOnce: ADDS_AT_ONCE }
    return count / (await child.call<{ seconds: number }>('run', contest)).seconds
  }
  await complete(WARM_UP_JOBS)
  return { child, measure: () => complete(Math.ceil(JOBS * bench.scale)) }
}

async function accepts(bench: Bench, checkout: URL, load: ReturnType<typeof startLoad>): Promise<Side> {
  const dataDir = await mkdtemp(join(bench.directory, 'beside-accepts-'))
  const child = startFrom(bench, checkout, 'service/ingress-process.ts')
  const { port, customers } = await child.call<Opened>('open', { dataDir, customers: CUSTOMERS })
  const one = contestant(load, { child, port, requests: customers.map(post), connections: CONNECTIONS })
  const end = { afterMs: ROUND_MS * bench.scale }
  await one.run(end)
  return { child, measure: () => one.run(end) }
}

async function polls(bench: Bench, checkout: URL, load: ReturnType<typeof startLoad>): Promise<Side> {
  const dataDir = await mkdtemp(join(bench.directory, 'beside-polls-'))
  const child = startFrom(bench, checkout, 'service/service-process.ts')
  const opening: ServiceOpening = { dataDir, customers: CUSTOMERS, slots: SLOTS }
  const { port, customers } = await child.call<ServiceOpened>('open', opening)
  const ids = await child.call<string[]>('complete', { customers, jobs: POLLED_JOBS })
  const requests = pollsOf(ids, customers)
  const end = { afterMs: ROUND_MS * bench.scale }
  const measure = async () => (await load.run({ port, requests, connections: CONNECTIONS, end, status: 200 })).perSecond
  await measure()
  return { child, measure }
}

/** Measures both checkouts in turn. @returns a row for the rate and one for the CPU of each */
async function duel(what: string, start: (checkout: URL) => Promise<Side>, checkout: URL): Promise<Row[]> {
  const ours = await start(here)
  await using _ours = ours.child
  const theirs = await start(checkout)
  await using _theirs = theirs.child
  const measured = await inTurn(ROUNDS, { ours: () => withCpu(ours), theirs: () => withCpu(theirs) })
  const rates = (side: Measured[]): number[] => side.map(({ rate }) => rate)
  const costs = (side: Measured[]): number[] => side.map(({ cpuMs }) => cpuMs)
  return [
    moreIsBetter(what, perSecond, rates(measured.ours), rates(measured.theirs)),
    lessIsBetter('the same: CPU of the process for each', milliseconds, costs(measured.ours), costs(measured.theirs)),
  ]
}

async function withCpu({ child, measure }: Side): Promise<Measured> {
  const [cpu, from] = [cpuSeconds([child.pid]), performance.now()]
  const rate = await measure()
  const count = (rate * (performance.now() - from)) / 1000
  return { rate, cpuMs: ((cpuSeconds([child.pid]) - cpu) * 1000) / count }
}

/** Jobs, accepts and polls in the embedded mode of this checkout, in turn with those of another. */
export async function embeddedBeside(bench: Bench, checkout: URL): Promise<Row[]> {
  await using load = startLoad(bench)
  return [
    ...(await duel('embedded: complete job of 3 no-op steps', (from) => jobs(bench, from), checkout)),
    ...(await duel('embedded: accepts', (from) => accepts(bench, from, load), checkout)),
    ...(await duel('embedded: polls of a completed job', (from) => polls(bench, from, load), checkout)),
  ]
}

import { milliseconds, perSecond } from '../../kit/figures.ts'
import { inTurn } from '../../kit/rounds.ts'
import { startLoad, startTested } from '../../kit/start.ts'
import type { Bench, Row } from '../../part.ts'
import { type Score, startContestant } from '../../rivals/rival.ts'
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

/** The embedded mode of one checkout, in a process of its own. */
type Side = { child: AsyncDisposable; measure(): Promise<Score> }

const moduleOf = (checkout: URL, module: string): URL => new URL(`test/bench/${module}`, checkout)

async function jobs(bench: Bench, checkout: URL): Promise<Side> {
  const module = moduleOf(checkout, 'rivals/embedded-process.ts')
  const child = await startContestant(bench, module, { slots: SLOTS, addsAtOnce: ADDS_AT_ONCE })
  await child.run(WARM_UP_JOBS)
  return { child, measure: () => child.run(Math.ceil(JOBS * bench.scale)) }
}

async function accepts(bench: Bench, checkout: URL, load: ReturnType<typeof startLoad>): Promise<Side> {
  const dataDir = await bench.folder('beside-accepts')
  const child = startTested(bench, moduleOf(checkout, 'service/ingress-process.ts'))
  const { port, customers } = await child.call<Opened>('open', { dataDir, customers: CUSTOMERS })
  const one = contestant(load, { child, port, requests: customers.map(post), connections: CONNECTIONS })
  const end = { afterMs: ROUND_MS * bench.scale }
  await one.run(end)
  return { child, measure: () => one.run(end) }
}

async function polls(bench: Bench, checkout: URL, load: ReturnType<typeof startLoad>): Promise<Side> {
  const dataDir = await bench.folder('beside-polls')
  const child = startTested(bench, moduleOf(checkout, 'service/service-process.ts'))
  const opening: ServiceOpening = { dataDir, customers: CUSTOMERS, slots: SLOTS }
  const { port, customers } = await child.call<ServiceOpened>('open', opening)
  const requests = pollsOf(await child.call<string[]>('complete', { customers, jobs: POLLED_JOBS }), customers)
  const one = contestant(load, { child, port, requests, connections: CONNECTIONS, status: 200 })
  const end = { afterMs: ROUND_MS * bench.scale }
  await one.run(end)
  return { child, measure: () => one.run(end) }
}

/** Measures both checkouts in turn. @returns a row for the rate and one for the CPU of each */
async function duel(what: string, start: (checkout: URL) => Promise<Side>, checkout: URL): Promise<Row[]> {
  const ours = await start(here)
  await using _ours = ours.child
  const theirs = await start(checkout)
  await using _theirs = theirs.child
  const measured = await inTurn(ROUNDS, { ours: ours.measure, theirs: theirs.measure })
  const both = (of: keyof Score) =>
    [measured.ours.map((score) => score[of]), measured.theirs.map((score) => score[of])] as const
  return [
    moreIsBetter(what, perSecond, ...both('perSecond')),
    lessIsBetter('the same: CPU of the process for each', milliseconds, ...both('cpuMs')),
  ]
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

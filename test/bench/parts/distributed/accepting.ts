import { Child } from '../../kit/child.ts'
import { milliseconds, perSecond, times } from '../../kit/figures.ts'
import { median } from '../../kit/percentiles.ts'
import { inTurn, ratioOf } from '../../kit/rounds.ts'
import { startLoad, startTested } from '../../kit/start.ts'
import type { Bench, Row } from '../../part.ts'
import { contestant, type Opened, post } from '../../service/contestant.ts'
import { Distributed } from '../../service/distributed.ts'
import type { BenchEngines } from '../../service/engines.ts'
import type { RawOpening } from '../../service/raw-appends-process.ts'

const AT_ONCE = 64
const CUSTOMERS = 100
const ROUNDS = 3
const ROUND_MS = 2500
const RAW_JOBS = 2000
/** The least number of jobs. With fewer, the first would end before all are under way. */
const LEAST_RAW_JOBS = 1000
/**
 * Requests, and pairs of appends, before the first measurement, at any scale: a cold ingress takes three times the CPU
 * of a warm one.
 */
const WARM_UP = 8000

/** An ingress by itself in either mode, under the same load. */
async function startIngresses(bench: Bench, { env }: BenchEngines, end: AsyncDisposableStack) {
  const dataDir = await bench.folder('accepts')
  const load = end.use(startLoad(bench))
  const child = end.use(startTested(bench, new URL('../../service/ingress-process.ts', import.meta.url)))
  const { port, customers } = await child.call<Opened>('open', { dataDir, customers: CUSTOMERS })
  const distributed = end.use(await Distributed.start({ bench, env, processes: [['ingress']], slots: 1 }))
  const requests = (await distributed.customers(CUSTOMERS)).map(post)
  const [[, pid] = ['ingress', 0]] = distributed.pids
  const same = { connections: AT_ONCE }
  return {
    embedded: contestant(load, { ...same, child, port, requests: customers.map(post) }),
    distributed: contestant(load, { ...same, child: { pid }, port: distributed.port, requests }),
  }
}

/** The wanted rate, as a fraction of the rate of the same pairs of appends alone. */
const WANTED = 0.6

/**
 * Accepts per second of one ingress by itself, measured in turn with the client of the event store alone. No worker
 * handles the jobs. The client makes the two appends of an accept, without HTTP and without the feed of ledgers that an
 * ingress follows. The load, the servers and the processes under test share the processors.
 */
export async function accepting(bench: Bench, engines: BenchEngines): Promise<Row[]> {
  await using end = new AsyncDisposableStack()
  // The other side of a comparison is not profiled.
  const { directory } = bench
  const client = end.use(new Child(new URL('../../service/raw-appends-process.ts', import.meta.url), { directory }))
  await client.call('open', { url: engines.env.EVENT_STORE_URL ?? '' } satisfies RawOpening)
  const pairs = (jobs: number): Promise<number> => client.call('pairs', { jobs, atOnce: AT_ONCE })
  const { embedded, distributed } = await startIngresses(bench, engines, end)
  const round = { afterMs: ROUND_MS * bench.scale }
  await pairs(WARM_UP)
  for (const one of [embedded, distributed]) {
    await one.run({ count: WARM_UP })
    one.forget()
  }
  const results = await inTurn(ROUNDS, {
    raw: () => pairs(Math.max(LEAST_RAW_JOBS, Math.ceil(RAW_JOBS * bench.scale))),
    embedded: async () => (await embedded.run(round)).perSecond,
    distributed: async () => (await distributed.run(round)).perSecond,
  })
  const row = (label: string, against: number[]): Row => ({
    what: `durable accepts: authenticated POST, counted for its rate, two appends (${AT_ONCE} connections, ${CUSTOMERS} organizations)`,
    measured: perSecond(median(results.distributed)),
    against: `${label}: ${perSecond(median(against))}`,
    ratio: times(ratioOf(results.distributed, against)),
  })
  return [
    {
      ...row(`the same pairs of appends alone, ${AT_ONCE} at once, over one stream as we do`, results.raw),
      wanted: `≥ ${WANTED} ×`,
      met: ratioOf(results.distributed, results.raw) >= WANTED,
    },
    row('embedded', results.embedded),
    {
      what: 'the same: CPU of the ingress for each request; p99',
      measured: `${milliseconds(distributed.cpuMs())}; ${milliseconds(distributed.p99Ms())}`,
      against: `embedded: ${milliseconds(embedded.cpuMs())}; ${milliseconds(embedded.p99Ms())}`,
      ratio: `${times(distributed.cpuMs() / embedded.cpuMs())} the CPU`,
    },
  ]
}

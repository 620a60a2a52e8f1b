import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
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

/** The client of the event store, by itself. */
export async function startRaw(bench: Bench, url: string, unary: boolean): Promise<Child> {
  const child = new Child(new URL('../../service/raw-appends-process.ts', import.meta.url), {
    directory: bench.directory,
  })
  await child.call('open', { url, unary } satisfies RawOpening)
  return child
}

/** An ingress by itself in either mode, and in turn with them what the event store's client can do. */
export async function accepting(bench: Bench, engines: BenchEngines): Promise<Row[]> {
  const url = engines.env.EVENT_STORE_URL ?? ''
  const dataDir = await mkdtemp(join(bench.directory, 'accepts-'))
  await using load = startLoad(bench)
  await using unary = await startRaw(bench, url, true)
  await using batched = await startRaw(bench, url, false)
  await using theirs = startTested(bench, new URL('../../service/ingress-process.ts', import.meta.url))
  const embedded = await theirs.call<Opened>('open', { dataDir, customers: CUSTOMERS })
  await using distributed = await Distributed.start({ bench, env: engines.env, parts: ['ingress'], slots: 1 })
  const requests = (await distributed.customers(CUSTOMERS)).map(post)
  const [[, pid]] = distributed.pids as [[string, number]]
  const ours = contestant(load, { child: { pid }, port: distributed.port, requests, connections: AT_ONCE })
  const other = contestant(load, {
    child: theirs,
    port: embedded.port,
    requests: embedded.customers.map(post),
    connections: AT_ONCE,
  })
  const jobs = Math.ceil(RAW_JOBS * bench.scale)
  const raw = (child: Child) => () => child.call<number>('pairs', { jobs, atOnce: AT_ONCE })
  const end = { afterMs: ROUND_MS * bench.scale }
  const measures = {
    unary: raw(unary),
    batched: raw(batched),
    embedded: () => other.run(end),
    distributed: () => ours.run(end),
  }
  await inTurn(1, measures)
  for (const one of [ours, other]) one.forget()
  const results = await inTurn(ROUNDS, measures)
  const what = `durable accepts: authenticated POST, two appends (${AT_ONCE} connections, ${CUSTOMERS} organizations)`
  const measured = perSecond(median(results.distributed))
  const row = (label: string, against: number[]): Row => ({
    what,
    measured,
    against: `${label}: ${perSecond(median(against))}`,
    ratio: times(ratioOf(results.distributed, against)),
  })
  return [
    row(`the same pairs of appends by the client alone, ${AT_ONCE} at once, a call for each as we do`, results.unary),
    row('likewise, through its one stream for all appends', results.batched),
    row('embedded', results.embedded),
    {
      what: 'the same: CPU of the ingress for each request; p99',
      measured: `${milliseconds(ours.cpuMs())}; ${milliseconds(ours.p99Ms())}`,
      against: `embedded: ${milliseconds(other.cpuMs())}; ${milliseconds(other.p99Ms())}`,
      ratio: `${times(ours.cpuMs() / other.cpuMs())} the CPU`,
    },
  ]
}

import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import type { Child } from '../kit/child.ts'
import { cpuSeconds } from '../kit/cpu-time.ts'
import { figure, milliseconds, perSecond, times } from '../kit/figures.ts'
import type { LoadResult } from '../kit/load-process.ts'
import { median } from '../kit/percentiles.ts'
import type { RawRequest } from '../kit/raw-connection.ts'
import { duel } from '../kit/rounds.ts'
import { startLoad, startTested } from '../kit/start.ts'
import type { Bench, Figures, Growth, Part } from '../part.ts'
import type { Customer } from '../service/customers.ts'
import { VIDEO_URL } from '../service/noop-steps.ts'

const CONNECTIONS = 64
const CUSTOMERS = 100
const ROUNDS = 3
const ROUND_MS = 2500
const GROWTH_REQUESTS = 3000

const body = JSON.stringify({ url: VIDEO_URL, mode: 'native' })

const post = (key: string): RawRequest => ({
  method: 'POST',
  path: '/v1/transcript',
  headers: { 'Content-Type': 'application/json', 'x-api-key': key },
  body,
})

type Opened = { port: number; customers: Customer[] }

const startIngress = (bench: Bench): Child =>
  startTested(bench, new URL('../service/ingress-process.ts', import.meta.url))

/** One server under load, as often as is wanted. */
function contestant(load: ReturnType<typeof startLoad>, child: Child, port: number, requests: RawRequest[]) {
  const results: (LoadResult & { cpuMs: number })[] = []
  const run = async (end: { count: number } | { afterMs: number }): Promise<number> => {
    const before = cpuSeconds([child.pid])
    const result = await load.run({ port, requests, connections: CONNECTIONS, end, status: 202 })
    results.push({ ...result, cpuMs: ((cpuSeconds([child.pid]) - before) * 1000) / result.count })
    return result.perSecond
  }
  const cpuMs = () => median(results.map((result) => result.cpuMs))
  const p99Ms = () => median(results.map((result) => result.p99Ms))
  return { run, cpuMs, p99Ms, forget: () => results.splice(0) }
}

async function compare(bench: Bench): Promise<Figures['rows']> {
  const dataDir = await mkdtemp(join(bench.directory, 'accepts-'))
  await using load = startLoad(bench)
  await using ingress = startIngress(bench)
  await using express = startTested(bench, new URL('../service/express-process.ts', import.meta.url))
  const opened = await ingress.call<Opened>('open', { dataDir, customers: CUSTOMERS })
  const bare = await express.call<Opened>('open')
  const requests = opened.customers.map(({ key }) => post(key))
  const ours = contestant(load, ingress, opened.port, requests)
  const theirs = contestant(load, express, bare.port, requests)
  const end = { afterMs: ROUND_MS * bench.scale }
  for (const one of [ours, theirs]) {
    await one.run({ afterMs: end.afterMs / 2 })
    one.forget()
  }
  const result = await duel(
    ROUNDS,
    () => ours.run(end),
    () => theirs.run(end),
  )
  return [
    {
      what: `durable accepts: authenticated POST, two appends, fsync (${CONNECTIONS} connections, ${CUSTOMERS} organizations)`,
      measured: perSecond(result.ours),
      against: `bare Express 5 + Ajv, same body: ${perSecond(result.theirs)}`,
      ratio: times(result.ratio),
      wanted: '≥ 0.35 ×',
      met: result.ratio >= 0.35,
    },
    {
      what: 'the same: CPU of the server for each request; p99',
      measured: `${milliseconds(ours.cpuMs())}; ${milliseconds(ours.p99Ms())}`,
      against: `${milliseconds(theirs.cpuMs())}; ${milliseconds(theirs.p99Ms())}`,
      ratio: `${figure(ours.cpuMs() / theirs.cpuMs())} × the CPU`,
    },
  ]
}

/** Accepts a second of an ingress on this data. */
async function acceptsOn(bench: Bench, dataDir: string, customers: number, count: number): Promise<number> {
  await using load = startLoad(bench)
  await using ingress = startIngress(bench)
  const opened = await ingress.call<Opened>('open', { dataDir, customers })
  const one = contestant(
    load,
    ingress,
    opened.port,
    opened.customers.map(({ key }) => post(key)),
  )
  await one.run({ count: Math.ceil(count / 3) })
  // Awaited here: leaving this function ends both processes.
  return await one.run({ count })
}

async function grow(bench: Bench): Promise<Growth[]> {
  const organizations: Growth['values'][number][] = []
  for (const size of [1, 10, 100]) {
    const dataDir = await mkdtemp(join(bench.directory, 'accepts-'))
    // One organization may have 2,000 open debits.
    const count = Math.min(1400, GROWTH_REQUESTS * bench.scale)
    organizations.push({ size, value: await acceptsOn(bench, dataDir, size, count) })
  }
  const history: Growth['values'][number][] = []
  for (const size of [10_000, 100_000, 1_000_000].map((events) => events * bench.scale)) {
    const { dataDir } = await bench.histories.copyOf(size)
    history.push({ size, value: await acceptsOn(bench, dataDir, CUSTOMERS, GROWTH_REQUESTS * bench.scale) })
  }
  return [
    { what: 'accepts', unit: '/s', grows: 'organizations that post', values: organizations },
    { what: 'accepts', unit: '/s', grows: 'events stored before', values: history },
  ]
}

export const accepts: Part = {
  name: 'accepts',
  title: 'Accepting jobs',
  run: async (bench) => ({ rows: await compare(bench), growth: await grow(bench) }),
}

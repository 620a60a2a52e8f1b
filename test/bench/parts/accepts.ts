import type { Child } from '../kit/child.ts'
import { figure, milliseconds, perSecond, times } from '../kit/figures.ts'
import { startLoad, startTested } from '../kit/start.ts'
import type { Bench, Figures, Growth, Part } from '../part.ts'
import { contestant, loadInTurn, type Opened, post } from '../service/contestant.ts'

const CONNECTIONS = 64
const CUSTOMERS = 100
const ROUNDS = 3
const ROUND_MS = 2500
const GROWTH_REQUESTS = 3000

const startIngress = (bench: Bench): Child =>
  startTested(bench, new URL('../service/ingress-process.ts', import.meta.url))

async function compare(bench: Bench): Promise<Figures['rows']> {
  const dataDir = await bench.folder('accepts')
  await using load = startLoad(bench)
  await using ingress = startIngress(bench)
  await using express = startTested(bench, new URL('../service/express-process.ts', import.meta.url))
  const opened = await ingress.call<Opened>('open', { dataDir, customers: CUSTOMERS })
  const bare = await express.call<Opened>('open')
  const same = { requests: opened.customers.map(post), connections: CONNECTIONS }
  const ours = contestant(load, { ...same, child: ingress, port: opened.port })
  const theirs = contestant(load, { ...same, child: express, port: bare.port })
  const result = await loadInTurn(ROUNDS, ROUND_MS * bench.scale, ours, theirs)
  return [
    {
      what: `durable accepts: authenticated POST, debit and request, fsync (${CONNECTIONS} connections, ${CUSTOMERS} organizations)`,
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
      wanted: '≤ 0.15 ms more',
      met: ours.cpuMs() - theirs.cpuMs() <= 0.15,
    },
  ]
}

/** Accepts per second of an ingress on this data. */
async function acceptsOn(bench: Bench, dataDir: string, customers: number, count: number): Promise<number> {
  await using load = startLoad(bench)
  await using ingress = startIngress(bench)
  const opened = await ingress.call<Opened>('open', { dataDir, customers })
  const requests = opened.customers.map(post)
  const one = contestant(load, { child: ingress, port: opened.port, requests, connections: CONNECTIONS })
  await one.run({ count: Math.ceil(count / 3) })
  // Awaits the result here, because leaving this function ends both processes.
  return (await one.run({ count })).perSecond
}

async function grow(bench: Bench): Promise<Growth[]> {
  const organizations: Growth['values'][number][] = []
  for (const size of [1, 10, 100]) {
    const dataDir = await bench.folder('accepts')
    // Fewer requests than the 2,000 open debits that one organization may have.
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

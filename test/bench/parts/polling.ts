import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { cpuSeconds } from '../kit/cpu-time.ts'
import { figure, milliseconds, perSecond, times } from '../kit/figures.ts'
import { median } from '../kit/percentiles.ts'
import type { RawRequest } from '../kit/raw-connection.ts'
import { duel } from '../kit/rounds.ts'
import { startLoad, startTested } from '../kit/start.ts'
import type { Bench, Figures, Growth, Part, Row } from '../part.ts'
import type { Customer } from '../service/customers.ts'
import type { ServiceOpened, ServiceOpening } from '../service/service-process.ts'

const CONNECTIONS = 64
const CUSTOMERS = 100
const JOBS = 500
const ROUNDS = 3
const ROUND_MS = 2000
const OPENING = { customers: CUSTOMERS, slots: 64 }

const express = new URL('../service/express-process.ts', import.meta.url)
const service = new URL('../service/service-process.ts', import.meta.url)

const poll = (jobId: string, key: string): RawRequest => ({
  method: 'GET',
  path: `/v1/transcript/${jobId}`,
  headers: { 'x-api-key': key },
})

/** Owners poll their jobs, in the order in which the jobs completed. */
export const pollsOf = (ids: readonly string[], customers: readonly Customer[]): RawRequest[] =>
  ids.map((jobId, index) => poll(jobId, customers[index % customers.length]?.key ?? ''))

async function bodyOf(port: number, request: RawRequest): Promise<object> {
  const response = await fetch(`http://127.0.0.1:${port}${request.path}`, { headers: request.headers ?? {} })
  return (await response.json()) as object
}

async function compare(bench: Bench): Promise<Row[]> {
  const dataDir = await mkdtemp(join(bench.directory, 'polls-'))
  await using load = startLoad(bench)
  await using ours = startTested(bench, service)
  await using theirs = startTested(bench, express)
  const opened = await ours.call<ServiceOpened>('open', { dataDir, ...OPENING } satisfies ServiceOpening)
  const ids = await ours.call<string[]>('complete', { customers: opened.customers, jobs: JOBS })
  const requests = pollsOf(ids, opened.customers)
  const job = await bodyOf(opened.port, requests[0] as RawRequest)
  const bare = await theirs.call<{ port: number }>('open', { job })
  const cpu = { ours: [] as number[], theirs: [] as number[] }
  const measure = (port: number, pid: number, costs: number[]) => async () => {
    const before = cpuSeconds([pid])
    const end = { afterMs: ROUND_MS * bench.scale }
    const result = await load.run({ port, requests, connections: CONNECTIONS, end, status: 200 })
    costs.push(((cpuSeconds([pid]) - before) * 1000) / result.count)
    return result.perSecond
  }
  const measureOurs = measure(opened.port, ours.pid, cpu.ours)
  const measureTheirs = measure(bare.port, theirs.pid, cpu.theirs)
  await duel(1, measureOurs, measureTheirs)
  const result = await duel(ROUNDS, measureOurs, measureTheirs)
  return [
    {
      what: `authenticated GET poll of a completed job (${CONNECTIONS} connections, ${CUSTOMERS} organizations)`,
      measured: perSecond(result.ours),
      against: `bare Express 5 JSON route, same body: ${perSecond(result.theirs)}`,
      ratio: times(result.ratio),
      wanted: '≥ 1.0 ×',
      met: result.ratio >= 1,
    },
    {
      what: 'the same: CPU of the server for each request',
      measured: milliseconds(median(cpu.ours)),
      against: milliseconds(median(cpu.theirs)),
      ratio: `${figure(median(cpu.ours) / median(cpu.theirs))} × the CPU`,
    },
  ]
}

/** Polls of some jobs, among a growing number of jobs that ended earlier. */
async function grow(bench: Bench): Promise<Growth[]> {
  const values: Growth['values'][number][] = []
  for (const size of [10_000, 100_000, 1_000_000].map((events) => events * bench.scale)) {
    const { dataDir } = await bench.histories.copyOf(size)
    await using load = startLoad(bench)
    await using ours = startTested(bench, service)
    const { port, customers } = await ours.call<ServiceOpened>('open', { dataDir, ...OPENING } satisfies ServiceOpening)
    const ids = await ours.call<string[]>('complete', { customers, jobs: JOBS })
    const end = { afterMs: ROUND_MS * bench.scale }
    const requests = pollsOf(ids, customers)
    await load.run({ port, requests, connections: CONNECTIONS, end, status: 200 })
    const result = await load.run({ port, requests, connections: CONNECTIONS, end, status: 200 })
    values.push({ size, value: result.perSecond })
  }
  return [{ what: 'polls', unit: '/s', grows: 'events stored before', values }]
}

export const polling: Part = {
  name: 'polling',
  title: 'Polling jobs',
  run: async (bench): Promise<Figures> => ({ rows: await compare(bench), growth: await grow(bench) }),
}

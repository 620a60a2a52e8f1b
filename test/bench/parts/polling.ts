import { figure, milliseconds, perSecond, times } from '../kit/figures.ts'
import type { RawRequest } from '../kit/raw-connection.ts'
import { startLoad, startTested } from '../kit/start.ts'
import type { Bench, Figures, Growth, Part, Row } from '../part.ts'
import { contestant, loadInTurn } from '../service/contestant.ts'
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
  const dataDir = await bench.folder('polls')
  await using load = startLoad(bench)
  await using ours = startTested(bench, service)
  await using theirs = startTested(bench, express)
  const opened = await ours.call<ServiceOpened>('open', { dataDir, ...OPENING } satisfies ServiceOpening)
  const ids = await ours.call<string[]>('complete', { customers: opened.customers, jobs: JOBS })
  const requests = pollsOf(ids, opened.customers)
  const job = await bodyOf(opened.port, requests[0] as RawRequest)
  const bare = await theirs.call<{ port: number }>('open', { job })
  const same = { requests, connections: CONNECTIONS, status: 200 }
  const us = contestant(load, { ...same, child: ours, port: opened.port })
  const them = contestant(load, { ...same, child: theirs, port: bare.port })
  const result = await loadInTurn(ROUNDS, ROUND_MS * bench.scale, us, them)
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
      measured: milliseconds(us.cpuMs()),
      against: milliseconds(them.cpuMs()),
      ratio: `${figure(us.cpuMs() / them.cpuMs())} × the CPU`,
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

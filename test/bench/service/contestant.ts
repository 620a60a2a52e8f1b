import type { Child } from '../kit/child.ts'
import { cpuSeconds } from '../kit/cpu-time.ts'
import type { LoadResult } from '../kit/load-process.ts'
import { median } from '../kit/percentiles.ts'
import type { RawRequest } from '../kit/raw-connection.ts'
import type { startLoad } from '../kit/start.ts'
import type { Customer } from './customers.ts'
import { VIDEO_URL } from './noop-steps.ts'

/** The port and customers of a server under test, returned once it is open. */
export type Opened = { port: number; customers: Customer[] }

export type LoadOptions = { child: Pick<Child, 'pid'>; port: number; requests: RawRequest[]; connections: number }

const body = JSON.stringify({ url: VIDEO_URL, mode: 'native' })

export const post = ({ key }: Customer): RawRequest => ({
  method: 'POST',
  path: '/v1/transcript',
  headers: { 'Content-Type': 'application/json', 'x-api-key': key },
  body,
})

/** Loads one server, any number of times. */
export function contestant(load: ReturnType<typeof startLoad>, { child, port, requests, connections }: LoadOptions) {
  const results: (LoadResult & { cpuMs: number })[] = []
  const run = async (end: { count: number } | { afterMs: number }): Promise<number> => {
    const before = cpuSeconds([child.pid])
    const result = await load.run({ port, requests, connections, end, status: 202 })
    results.push({ ...result, cpuMs: ((cpuSeconds([child.pid]) - before) * 1000) / result.count })
    return result.perSecond
  }
  const cpuMs = () => median(results.map((result) => result.cpuMs))
  const p99Ms = () => median(results.map((result) => result.p99Ms))
  return { run, cpuMs, p99Ms, forget: () => results.splice(0) }
}

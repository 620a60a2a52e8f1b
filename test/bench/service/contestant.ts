import type { Child } from '../kit/child.ts'
import { cpuSeconds } from '../kit/cpu-time.ts'
import type { Load, LoadResult } from '../kit/load-process.ts'
import { median } from '../kit/percentiles.ts'
import type { RawRequest } from '../kit/raw-connection.ts'
import { type Duel, duel } from '../kit/rounds.ts'
import type { startLoad } from '../kit/start.ts'
import type { Score } from '../rivals/rival.ts'
import type { Customer } from './customers.ts'
import { VIDEO_URL } from './noop-steps.ts'

/** The port and customers of a server under test, returned once it is open. */
export type Opened = { port: number; customers: Customer[] }

export type LoadOptions = {
  child: Pick<Child, 'pid'>
  port: number
  requests: readonly RawRequest[]
  connections: number
  status?: number
}

const body = JSON.stringify({ url: VIDEO_URL, mode: 'native' })

export const post = ({ key }: Customer): RawRequest => ({
  method: 'POST',
  path: '/v1/transcript',
  headers: { 'Content-Type': 'application/json', 'x-api-key': key },
  body,
})

/** Loads one server, any number of times. */
export function contestant(
  load: ReturnType<typeof startLoad>,
  { child, port, requests, connections, status = 202 }: LoadOptions,
) {
  const results: (LoadResult & Score)[] = []
  const run = async (end: Load['end']): Promise<LoadResult & Score> => {
    const before = cpuSeconds([child.pid])
    const result = await load.run({ port, requests, connections, end, status })
    const scored = { ...result, cpuMs: ((cpuSeconds([child.pid]) - before) * 1000) / result.count }
    results.push(scored)
    return scored
  }
  const cpuMs = () => median(results.map((result) => result.cpuMs))
  const p99Ms = () => median(results.map((result) => result.p99Ms))
  return { run, cpuMs, p99Ms, forget: () => results.splice(0) }
}

type Loaded = ReturnType<typeof contestant>

/** Loads two servers in turn for this long, after a warm-up that does not count. */
export async function loadInTurn(rounds: number, afterMs: number, ours: Loaded, theirs: Loaded): Promise<Duel> {
  for (const one of [ours, theirs]) {
    await one.run({ afterMs: afterMs / 2 })
    one.forget()
  }
  const rateOf = (one: Loaded) => async () => (await one.run({ afterMs })).perSecond
  return duel(rounds, rateOf(ours), rateOf(theirs))
}

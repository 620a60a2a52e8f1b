import { join } from 'node:path'
import { figure, milliseconds, perSecond } from '../../kit/figures.ts'
import type { LoadResult } from '../../kit/load-process.ts'
import { median } from '../../kit/percentiles.ts'
import { startLoad, startTested } from '../../kit/start.ts'
import type { Bench, Row } from '../../part.ts'
import { type Opened, post } from '../../service/contestant.ts'
import { ask } from './ask.ts'

const EVENTS = 1_000_000
const CONNECTIONS = 16
const CUSTOMERS = 100
const NICENESS = 10
const ALONE_MS = 6000

/** The cost of a backup to a service that accepts jobs as fast as it can. */
export async function backupBeside(bench: Bench): Promise<Row[]> {
  const { dataDir, events } = await bench.histories.copyOf(EVENTS * bench.scale)
  await using load = startLoad(bench)
  await using ingress = startTested(bench, new URL('../../service/ingress-process.ts', import.meta.url))
  const { port, customers } = await ingress.call<Opened>('open', { dataDir, customers: CUSTOMERS })
  const requests = customers.map(post)
  const halfASecond = () => load.run({ port, requests, connections: CONNECTIONS, end: { afterMs: 500 }, status: 202 })
  const whileNot = async (isOver: () => boolean): Promise<LoadResult[]> => {
    const results = [await halfASecond()]
    while (!isOver()) results.push(await halfASecond())
    return results
  }
  const until = performance.now() + ALONE_MS
  const alone = (await whileNot(() => performance.now() > until)).slice(1)
  let isMade = false
  const backup = ask(dataDir, ['backup', '--to', join(bench.directory, 'backup')], NICENESS).finally(() => {
    isMade = true
  })
  const [{ seconds }, beside] = await Promise.all([backup, whileNot(() => isMade)])
  return [
    {
      what: `accepts beside a backup of ${figure(events)} events (nice -n ${NICENESS}, ${CONNECTIONS} connections): p99; of its worst half second`,
      measured: p99sOf(beside),
      against: `without one: ${p99sOf(alone)}`,
    },
    {
      what: 'the same: accepts meanwhile; the backup with its checks, from the start of the command to its end',
      measured: `${perSecond(median(beside.map((one) => one.perSecond)))}; ${figure(seconds)} s`,
      against: `without one: ${perSecond(median(alone.map((one) => one.perSecond)))}`,
    },
  ]
}

function p99sOf(results: readonly LoadResult[]): string {
  const all = results.map(({ p99Ms }) => p99Ms)
  return `${milliseconds(median(all))}; ${milliseconds(Math.max(...all))}`
}

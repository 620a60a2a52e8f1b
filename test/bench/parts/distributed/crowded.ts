import { startBusyLoops } from '../../kit/busy-loops.ts'
import { figure, perSecond } from '../../kit/figures.ts'
import type { Bench, Row } from '../../part.ts'
import type { Distributed } from '../../service/distributed.ts'

const LOOPS = 2
const JOBS = 1000

/** Accepts while other programs use the machine. They may be slow, but none may be refused while the store answers. */
export async function crowded({ scale }: Bench, distributed: Distributed, addsAtOnce: number): Promise<Row> {
  const jobs = Math.ceil(JOBS * scale)
  using _loops = startBusyLoops(LOOPS)
  const { seconds, refused } = await distributed.completeAll(jobs, addsAtOnce)
  return {
    what: `${addsAtOnce} adds at once with two busy loops beside: accepts refused`,
    measured: `${figure(refused)} of ${figure(jobs)} (${perSecond(jobs / seconds)} completed)`,
    wanted: '0',
    met: refused === 0,
  }
}

import { readFileSync } from 'node:fs'
import { processTree } from '#test/doubles/service/process-tree.ts'

/** The unit of /proc/PID/stat on every Linux there is, per second. */
const TICKS_PER_SECOND = 100

/** User and system time of one process, of its threads and of its children that have ended, in seconds. */
function cpuSecondsOf(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return ticks / TICKS_PER_SECOND
  } catch {
    return 0 // It ended in between; its parent has counted it.
  }
}

/** CPU time that these processes and all that descend from them have used so far, in seconds. */
export const cpuSeconds = (roots: readonly number[]): number =>
  roots
    .flatMap(processTree)
    .map(({ pid }) => cpuSecondsOf(pid))
    .reduce((sum, one) => sum + one, 0)

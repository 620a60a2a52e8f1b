import { readFileSync } from 'node:fs'
import { processTree } from '#test/doubles/service/process-tree.ts'

/** Units of /proc/PID/stat per second, the same on every Linux. */
const TICKS_PER_SECOND = 100

/** User and system time in seconds of a process, its threads and its ended children. */
function cpuSecondsOf(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return ticks / TICKS_PER_SECOND
  } catch {
    return 0 // It has ended meanwhile; its parent has counted it.
  }
}

/** CPU time in seconds that these processes and all their descendants have used so far. */
export const cpuSeconds = (roots: readonly number[]): number =>
  roots
    .flatMap(processTree)
    .map(({ pid }) => cpuSecondsOf(pid))
    .reduce((sum, one) => sum + one, 0)

import { statfsSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'

/** Numbers by which statfs names file systems that keep nothing. */
const IN_MEMORY = new Set([0x01021994, 0x858458f6])

/** @throws Error the folder lies in memory, where an fsync means nothing */
export function assertOnDisk(directory: string): void {
  if (!IN_MEMORY.has(statfsSync(directory).type)) return
  throw new Error(`${directory} is kept in memory: set TMPDIR to a folder on a disk`)
}

/** What the figures were measured on, in one line. */
export function machineLine(fsyncPerSecond: number): string {
  const [cpu] = cpus()
  const gigabytes = Math.round(totalmem() / 2 ** 30)
  return [
    `${availableParallelism()} cores (${cpu?.model ?? 'unknown'})`,
    `${gigabytes} GB`,
    `Node ${process.versions.node}`,
    `${Math.round(fsyncPerSecond).toLocaleString('en-US')} fsync/s`,
    `load average ${loadavg()[0]?.toFixed(1)} at the start`,
  ].join(', ')
}

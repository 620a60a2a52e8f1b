import { statfsSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { fsyncRate } from './fsync-rate.ts'

/** The numbers of file systems that store nothing on a disk, as statfs gives them. */
const IN_MEMORY = new Set([0x01021994, 0x858458f6])

/** @throws Error if the folder lies in memory, where an fsync means nothing */
export function assertOnDisk(directory: string): void {
  if (!IN_MEMORY.has(statfsSync(directory).type)) return
  throw new Error(`${directory} is kept in memory: set TMPDIR to a folder on a disk`)
}

/** The machine that the figures were measured on, in one line. */
export function machineLine(): string {
  const [cpu] = cpus()
  const gigabytes = Math.round(totalmem() / 2 ** 30)
  return `${availableParallelism()} cores (${cpu?.model ?? 'unknown'}), ${gigabytes} GB, Node ${process.versions.node}`
}

/** How busy the machine is: fsyncs per second of one page, and the load average. */
export type Conditions = { fsyncPerSecond: number; load: number }

export const conditionsOf = (directory: string): Conditions => ({
  fsyncPerSecond: fsyncRate(directory),
  load: loadavg()[0] ?? Number.NaN,
})

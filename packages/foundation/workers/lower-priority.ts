import { getPriority, setPriority } from 'node:os'

/** On a busy core, work of this priority gets about a tenth of the time of the event loop. */
const NICENESS = 10

/** Lowers the priority of a child process, so that requests come first. It keeps an even lower one. */
export function lowerPriority(pid: number): void {
  setPriority(pid, Math.max(NICENESS, getPriority(pid)))
}

/** Lowers the priority of the calling thread. Linux has one per thread; elsewhere it would be that of the process. */
export function lowerThreadPriority(): void {
  if (process.platform === 'linux') lowerPriority(0)
}

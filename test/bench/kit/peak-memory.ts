import { readFileSync } from 'node:fs'

/** The most memory that a process has had so far (VmHWM), bytes; 0 for one that has ended. */
export function peakBytes(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}

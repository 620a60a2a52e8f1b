import { readFileSync } from 'node:fs'

/** The most memory that a process has used so far (VmHWM), in bytes; 0 for an ended process. */
export function peakBytes(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}

import { readdirSync, readFileSync } from 'node:fs'

/** A process. Its start time distinguishes it from a later process with the same id. */
export type LivingProcess = { pid: number; startedAt: string }

type Stat = LivingProcess & { parent: number; state: string }

/** From /proc/PID/stat. Undefined for an ended process. */
function statOf(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { pid, state: fields[0] ?? '', parent: Number(fields[1]), startedAt: fields[19] ?? '' }
  } catch {
    return undefined
  }
}

/** A process and all its descendants, in whichever process groups its children are. */
export function processTree(root: number): LivingProcess[] {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (statOf(Number(name)) ?? []) : []))
  const tree = all.filter(({ pid }) => pid === root)
  for (const { pid } of tree) tree.push(...all.filter(({ parent }) => parent === pid))
  return tree
}

/** Whether the process still runs. A zombie, which only waits for its parent, does not. */
export function isAlive({ pid, startedAt }: LivingProcess): boolean {
  const stat = statOf(pid)
  return stat !== undefined && stat.startedAt === startedAt && stat.state !== 'Z'
}

/** Its command line; empty if it has ended. */
export function commandOf({ pid }: LivingProcess): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

export function endProcess(process_: LivingProcess): void {
  if (!isAlive(process_)) return
  try {
    process.kill(process_.pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}

/** Memory of a process and its descendants, bytes. Pages that they share are counted once (PSS). */
export function memoryOf(root: number): number {
  const kilobytes = processTree(root).map(({ pid }) => {
    try {
      return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))?.[1] ?? 0)
    } catch {
      return 0 // It has ended meanwhile.
    }
  })
  return kilobytes.reduce((sum, one) => sum + one, 0) * 1024
}

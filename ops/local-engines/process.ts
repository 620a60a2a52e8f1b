import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** A process. Its start time (clock ticks since boot) distinguishes it from a later one with the same id. */
export type ProcessIdentity = { pid: number; startedAt: string }

/** The state and the start time of the process with this id. Undefined: there is none. */
function statOf(pid: number): { state: string | undefined; startedAt: string } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { state: fields[0], startedAt: fields[19] ?? '' }
  } catch {
    return undefined
  }
}

/** The process with this id. Undefined: there is none, or it has ended and its parent has not noticed yet. */
export function identify(pid: number): ProcessIdentity | undefined {
  const stat = statOf(pid)
  return stat === undefined || stat.state === 'Z' ? undefined : { pid, startedAt: stat.startedAt }
}

/** Whether SIGSTOP has stopped it. */
export const isStopped = ({ pid }: ProcessIdentity): boolean => statOf(pid)?.state === 'T'

export function isAlive({ pid, startedAt }: ProcessIdentity): boolean {
  return identify(pid)?.startedAt === startedAt
}

/** Sends a signal to exactly this process. Does nothing if it has ended. */
export function signal(process_: ProcessIdentity, name: NodeJS.Signals): void {
  if (!isAlive(process_)) return
  try {
    process.kill(process_.pid, name)
  } catch {
    // It ended in between.
  }
}

export type SpawnOptions = {
  /** The file to which its output is appended. */
  log: string
  /** It continues when this process ends, and terminal signals do not reach it. */
  detached: boolean
}

/**
 * Starts a program without waiting for it.
 * @throws Error it cannot be started
 */
export async function spawnServer(command: readonly [string, ...string[]], options: SpawnOptions) {
  const [program, ...words] = command
  const log = openSync(options.log, 'a')
  try {
    const child = spawn(program, words, { stdio: ['ignore', log, log], detached: options.detached })
    await once(child, 'spawn')
    child.unref()
    const identity = identify(child.pid ?? 0)
    if (identity === undefined) throw new Error(`${program} ended at once; see ${options.log}`)
    return identity
  } finally {
    closeSync(log)
  }
}

/** Asks a process to end, and kills it after `graceMs`. Resolves when it has ended. */
export async function endProcess(process_: ProcessIdentity, graceMs: number): Promise<void> {
  signal(process_, 'SIGTERM')
  // A stopped process handles the signal only after it continues.
  signal(process_, 'SIGCONT')
  for (const end = Date.now() + graceMs; isAlive(process_) && Date.now() < end; ) await sleep(50)
  await killProcess(process_)
}

/** Kills a process. Resolves when it has ended. */
export async function killProcess(process_: ProcessIdentity): Promise<void> {
  signal(process_, 'SIGKILL')
  while (isAlive(process_)) await sleep(20)
}

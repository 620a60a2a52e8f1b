import { type ChildProcess, fork } from 'node:child_process'
import { lowerPriority } from '#packages/foundation/workers/lower-priority.ts'
import type { StoreChanges } from '#packages/history/retention/sweep.ts'
import type { AskedChange, Exported, FromSweep, SweepTask, ToSweep } from './sweep-process.ts'

/** The files that the process works on. */
export type BesideTask = Omit<SweepTask, 'cutoff'>

/**
 * Exports and sweeps in a child process; this process makes the changes. After an abort it waits only for the change in
 * progress.
 */
export const sweepInChildProcess =
  (task: BesideTask, changes: StoreChanges) =>
  (cutoff: number, signal: AbortSignal): Promise<Exported> =>
    runBeside<Exported>({ ...task, cutoff }, changes, signal)

/** Removes forgotten streams from an archive, in a child process. Resolves with the number of decisions to forget. */
export const forgetInChildProcess =
  (task: BesideTask) =>
  (signal: AbortSignal): Promise<number> =>
    runBeside<number>(task, undefined, signal)

async function runBeside<Done>(task: SweepTask, changes: StoreChanges | undefined, signal: AbortSignal): Promise<Done> {
  signal.throwIfAborted()
  // The child starts without this process's loaders: Node strips the types by itself.
  const child = fork(new URL('./sweep-process.ts', import.meta.url), { execArgv: [] })
  const end = (): void => void child.kill('SIGKILL')
  signal.addEventListener('abort', end, { once: true })
  if (child.pid !== undefined) lowerPriority(child.pid)
  let making: Promise<void> | undefined
  try {
    return await resultOf<Done>(child, task, (change) => {
      if (changes) making = make(changes, change).then((answer) => tell(child, answer))
    })
  } finally {
    signal.removeEventListener('abort', end)
    end()
    await making
  }
}

function resultOf<Done>(child: ChildProcess, task: SweepTask, onChange: (change: AskedChange) => void): Promise<Done> {
  const { promise, resolve, reject } = Promise.withResolvers<Done>()
  child.on('error', reject)
  child.once('exit', (code, signal) => reject(new Error(`the sweep ended early (${signal ?? `exit status ${code}`})`)))
  child.on('message', (message: FromSweep) => {
    if ('done' in message) resolve(message.done as Done)
    else if ('failed' in message) reject(failureOf(message.failed))
    else onChange(message.change)
  })
  tell(child, task)
  return promise
}

/** A process that has ended gets no more messages. */
function tell(child: ChildProcess, message: SweepTask | ToSweep): void {
  if (child.connected) child.send(message)
}

const failureOf = ({ message, code, stack }: Extract<FromSweep, { failed: object }>['failed']): Error =>
  Object.assign(new Error(message), { code, ...(stack !== undefined && { stack }) })

async function make(changes: StoreChanges, { name, given }: AskedChange): Promise<ToSweep> {
  try {
    const change = changes[name] as (...given: AskedChange['given']) => Promise<void>
    await change(...given)
    return { made: true }
  } catch (error) {
    return { error: String(error) }
  }
}

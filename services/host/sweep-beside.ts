import { type ChildProcess, fork } from 'node:child_process'
import { setPriority } from 'node:os'
import type { StoreChanges, Swept } from '#packages/retention/sweep.ts'
import type { AskedChange, FromSweep, SweepTask, ToSweep } from './sweep-process.ts'

/** Of the process, which yields to the service. */
const NICENESS = 10

type Sweep = (cutoff: number, signal: AbortSignal) => Promise<Swept & { exported: number }>

/** Exports and sweeps in a process of its own; the changes are made here. */
export const sweepBeside =
  (task: Omit<SweepTask, 'cutoff'>, changes: StoreChanges): Sweep =>
  async (cutoff, signal) => {
    // Without the loaders of this process: Node takes the types out by itself.
    const child = fork(new URL('./sweep-process.ts', import.meta.url), { execArgv: [], signal, killSignal: 'SIGKILL' })
    try {
      return await swept(child, { ...task, cutoff }, changes)
    } finally {
      child.kill('SIGKILL')
    }
  }

function swept(child: ChildProcess, task: SweepTask, changes: StoreChanges): ReturnType<Sweep> {
  const { promise, resolve, reject } = Promise.withResolvers<Swept & { exported: number }>()
  child.once('error', reject)
  child.once('exit', (code, signal) => reject(new Error(`the sweep ended early (${signal ?? `exit status ${code}`})`)))
  child.on('message', (message: FromSweep) => {
    if ('swept' in message) resolve(message.swept)
    else if ('failed' in message) reject(failureOf(message.failed))
    else void make(changes, message.change).then((answer) => child.send(answer))
  })
  if (child.pid !== undefined) setPriority(child.pid, NICENESS)
  child.send(task)
  return promise
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

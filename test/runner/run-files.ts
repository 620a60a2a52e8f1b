import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import type { Outcome, Report } from './report.ts'
import type { FromWorker } from './worker.ts'

export type RunOptions = {
  /** The command of a worker process, to which the files are added. */
  worker: readonly [string, ...string[]]
  signal: AbortSignal
  /**
   * How long a test process may be silent beyond the timeout of its current test, after its first message. Default: 5
   * minutes. Before its first message it always has 5 minutes.
   */
  silentMs?: number
  /** How long it may run after its last test. Default: 30 seconds. */
  leftOpenMs?: number
  /** How much of its output is kept, to be shown if it fails. Default: 32,768 characters. */
  maxOutputChars?: number
}

/** A process loads all of its files before its first message. */
const LOADED_WITHIN_MS = 300_000

/** The end of a stream's output. */
function tailOf(streams: (Readable | null)[], maxChars: number): () => string {
  let tail = ''
  for (const stream of streams)
    stream?.setEncoding('utf8').on('data', (text: string) => {
      tail = (tail + text).slice(-maxChars)
    })
  return () => tail.trim()
}

/**
 * Resolves once its last message has been read, because its exit may be known before. A process that could not be
 * started sends none.
 */
const allTold = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.once('disconnect', resolve)
    child.once('error', () => resolve())
  })

/** The problem of a worker that does not end. It is in the title, because some reports show only that. */
const leftOpen = (output: string): string => /still open: .*/.exec(output)?.[0] ?? 'it did not say what'

/** Ends a worker and everything it started. */
function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  } catch {
    // The group has ended already.
  }
}

/**
 * Runs test files, one after the other, in one process of their own, and reports their outcomes, file by file. A
 * process that falls silent, does not end by itself or ends badly is a failure of its own, and is killed.
 */
export async function runFiles(files: readonly string[], report: Report, options: RunOptions): Promise<void> {
  const { silentMs = LOADED_WITHIN_MS, leftOpenMs = 30_000, maxOutputChars = 32_768 } = options
  const [command, ...args] = options.worker
  const child = spawn(command, [...args, ...files], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], detached: true })
  const output = tailOf([child.stdout, child.stderr], maxOutputChars)
  const abort = (): void => killGroup(child)
  options.signal.addEventListener('abort', abort, { once: true })

  const pending: Outcome[] = []
  let current = files[0] ?? ''
  let ended = false
  let killedFor = ''
  const flush = (): void => {
    if (pending.length > 0) report.add(current, pending.splice(0))
  }
  const killAfter = (ms: number): NodeJS.Timeout =>
    setTimeout(() => {
      killedFor = ended
        ? `did not end by itself within ${ms / 1000} s of its last test: something was left open; ${leftOpen(output())}`
        : `said nothing for ${ms / 1000} s`
      killGroup(child)
    }, ms)
  let watch = killAfter(LOADED_WITHIN_MS)
  child.on('message', (message: FromWorker) => {
    clearTimeout(watch)
    ended = message.kind === 'ended'
    watch = killAfter(ended ? leftOpenMs : silentMs + (message.kind === 'began' ? message.timeoutMs : 0))
    if (message.kind === 'measured') report.measured(message.text)
    if (message.kind !== 'outcome') return
    if (message.outcome.file !== current) flush()
    current = message.outcome.file
    pending.push(message.outcome)
  })

  const lastMessage = allTold(child)
  const [code, signal] = await once(child, 'exit').catch((error: Error) => [error.message, null])
  await lastMessage
  clearTimeout(watch)
  options.signal.removeEventListener('abort', abort)
  killGroup(child)
  const how =
    killedFor ||
    (ended && code === 0 ? '' : `ended with ${signal ?? `exit code ${code}`}${ended ? '' : ' before its last test'}`)
  if (how)
    pending.push({
      state: 'failed',
      file: current,
      title: `the test process ${how}`,
      report: `${files.join(' ')}\n${output()}`,
      ms: 0,
    })
  flush()
}

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { jsonLines } from './json-lines.ts'

/** The worker died, hung or wrote something other than an answer. It has been killed. */
export class WorkerFault extends Error {}

/** The worker answered that it cannot do the work. It can take the next request. */
export class WorkerRefusal extends Error {}

/** The program of a worker. It limits itself and ends with its parent (see the worker scripts). */
export type WorkerProgram = {
  /** Absolute path of the interpreter. */
  command: string
  args: readonly string[]
  /** The worker's whole environment. Ours is not passed on, because it holds keys. */
  env: Readonly<Record<string, string>>
  maxAnswerBytes?: number
  /**
   * Each worker gets its own empty directory in here, as its working directory, HOME and TMPDIR. It is removed when the
   * worker has ended. Undefined: the worker writes no file.
   */
  directoriesIn?: string
}

export type WorkerRequestLimits = {
  signal: AbortSignal
  timeoutMs: number
  /**
   * Called with a question of the worker during its work. The worker waits until this resolves. If it rejects, the
   * worker is stopped, and the request fails with the reason.
   */
  onAsk?: (ask: unknown) => Promise<void>
  /** Called with each report of the worker beside its answer. */
  onTell?: (told: unknown) => void
}

export type WorkerProcess = {
  readonly pid: number | undefined
  /** False once it has ended or has been killed. */
  readonly alive: boolean
  /** Requests taken so far. */
  readonly requests: number
  /**
   * One request at a time. A request that is aborted or takes longer than `timeoutMs` kills the worker.
   * @throws WorkerFault, WorkerRefusal; the signal's reason; what `onAsk` rejects with
   */
  request(message: object, limits: WorkerRequestLimits): Promise<unknown>
  kill(): void
  /** Resolves when the process has ended and its directory is gone. */
  ended: Promise<void>
}

const stderrTailBytes = 2048

type Pending = {
  id: number
  resolve(result: unknown): void
  reject(error: unknown): void
  onAsk: WorkerRequestLimits['onAsk']
  onTell: WorkerRequestLimits['onTell']
  /** Why the worker was stopped. */
  stopped?: { reason: unknown }
}

/**
 * Starts a worker that speaks JSON lines. It reads `{id, …}`, writes any number of `{id, ask}` and `{id, tell}`, and
 * ends with `{id, result}` or `{id, error}`.
 */
export function startWorker(program: WorkerProgram): WorkerProcess {
  const { maxAnswerBytes = 8 * 1024 * 1024, directoriesIn } = program
  const directory = directoriesIn === undefined ? undefined : mkdtempSync(join(directoriesIn, 'worker-'))
  const child = spawned(program, directory)
  let alive = true
  let requests = 0
  let pending: Pending | undefined
  let stderr = ''
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve())
    child.once('exit', () => resolve())
  }).then(() => directory && rmSync(directory, { recursive: true, force: true, maxRetries: 3 }))
  const fail = (what: string) => {
    if (alive) endGroup(child)
    alive = false
    pending?.reject(new WorkerFault(`${what} ${withoutUrls(stderr.trim())}`.trim()))
    pending = undefined
  }
  const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`)
  child.once('error', (error) => fail(`cannot be started: ${error.message}`))
  child.once('exit', (code, signal) => fail(`ended (${signal ?? code})`))
  child.stdin.on('error', (error) => fail(`takes no input: ${error.message}`))
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-stderrTailBytes)
  })
  child.stdout.setEncoding('utf8').on('data', jsonLines({ maxBytes: maxAnswerBytes, onMessage: settle, onFault: fail }))

  function settle(message: Record<string, unknown>): void {
    const asked = pending
    if (!asked || message.id !== asked.id) {
      fail('wrote a line that is not an answer')
      return
    }
    if ('ask' in message) {
      void answerAsk(asked, message.ask)
      return
    }
    if ('tell' in message) {
      asked.onTell?.(message.tell)
      return
    }
    pending = undefined
    if (asked.stopped) asked.reject(asked.stopped.reason)
    else if (typeof message.error === 'string') asked.reject(new WorkerRefusal(message.error))
    else asked.resolve(message.result)
  }

  async function answerAsk(asked: Pending, ask: unknown): Promise<void> {
    if (!asked.onAsk) {
      fail('asked for something during a request that allows no asking')
      return
    }
    try {
      await asked.onAsk(ask)
    } catch (reason) {
      asked.stopped = { reason }
    }
    if (alive) send({ id: asked.id, go: asked.stopped === undefined })
  }

  async function request(message: object, { signal, timeoutMs, onAsk, onTell }: WorkerRequestLimits) {
    signal.throwIfAborted()
    if (!alive) throw new WorkerFault('has ended')
    const id = ++requests
    const onAbort = () => fail('was aborted')
    const timer = setTimeout(fail, timeoutMs, 'took too long')
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      return await new Promise<unknown>((resolve, reject) => {
        pending = { id, resolve, reject, onAsk, onTell }
        send({ ...message, id, cpuSeconds: Math.ceil(timeoutMs / 1000) + 5 })
      })
    } catch (error) {
      signal.throwIfAborted()
      throw error
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
  }

  return {
    pid: child.pid,
    get alive() {
      return alive
    },
    get requests() {
      return requests
    },
    request,
    kill: () => fail('was stopped'),
    ended: ended.then(() => undefined),
  }
}

function spawned({ command, args, env }: WorkerProgram, directory: string | undefined): ChildProcessWithoutNullStreams {
  const own = directory === undefined ? {} : { HOME: directory, TMPDIR: directory }
  // Its own process group: the Ctrl-C that makes the service drain must not reach a working worker.
  return spawn(command, args, {
    env: { ...env, ...own },
    ...(directory === undefined ? {} : { cwd: directory }),
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

/** Kills the worker and the processes that it started. */
function endGroup(child: ChildProcessWithoutNullStreams): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    child.kill('SIGKILL') // just forked, it does not lead a group yet
  }
}

/** Removes URLs, which may be signed or contain a password. */
const withoutUrls = (text: string): string => text.replace(/\b[a-z][a-z\d+.-]*:\/\/\S+/gi, '(address)')

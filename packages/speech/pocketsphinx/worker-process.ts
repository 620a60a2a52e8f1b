import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The worker died, hung or wrote something that is no answer; it has been killed. */
export class WorkerFault extends Error {}

/** The worker is well, and says that it cannot do what was asked. */
export class WorkerRefusal extends Error {}

export type WorkerProcess = {
  readonly pid: number | undefined
  /** False once it has ended or has been killed. */
  readonly alive: boolean
  /** Requests taken so far. */
  readonly requests: number
  /**
   * One request at a time. A request that is aborted or takes longer than `timeoutMs` kills the worker.
   * @throws WorkerFault, WorkerRefusal; the signal's reason
   */
  request(message: object, limits: { signal: AbortSignal; timeoutMs: number }): Promise<unknown>
  kill(): void
  /** Resolves when the process has ended. */
  ended: Promise<void>
}

export type WorkerProcessOptions = {
  /** Python interpreter with pocketsphinx. */
  python: string
  /** Address space. */
  maxMemoryBytes?: number
  maxAnswerBytes?: number
  script?: string
}

const ownScript = fileURLToPath(new URL('./worker.py', import.meta.url))
/** All a worker sees of our environment: keys live in the real one. */
const environment = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C.UTF-8' }
const stderrTailBytes = 2048

type Pending = { id: number; resolve(result: unknown): void; reject(error: Error): void }

/** Starts a Python worker that speaks JSON lines; it limits itself (see worker.py) and ends with this process. */
export function startWorker(options: WorkerProcessOptions): WorkerProcess {
  const { python, maxMemoryBytes = 400 * 1024 * 1024, maxAnswerBytes = 8 * 1024 * 1024, script = ownScript } = options
  // a process group of its own: the Ctrl-C that makes the service drain must not reach a worker at work
  const child = spawn(python, ['-EsB', script, String(maxMemoryBytes)], {
    env: environment,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let alive = true
  let requests = 0
  let pending: Pending | undefined
  let answer = ''
  let stderr = ''
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve())
    child.once('exit', () => resolve())
  })
  const fail = (what: string) => {
    alive = false
    child.kill('SIGKILL')
    pending?.reject(new WorkerFault(`${what} ${stderr.trim()}`.trim()))
    pending = undefined
  }
  child.once('error', (error) => fail(`cannot be started: ${error.message}`))
  child.once('exit', (code, signal) => fail(`ended (${signal ?? code})`))
  child.stdin.on('error', (error) => fail(`takes no input: ${error.message}`))
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-stderrTailBytes)
  })
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    answer += text
    const lines = answer.split('\n')
    answer = lines.pop() ?? ''
    for (const line of lines) settle(line)
    if (answer.length > maxAnswerBytes) fail('answers too much')
  })

  function settle(line: string): void {
    const message = parsed(line)
    const asked = pending
    if (!asked || message?.id !== asked.id) {
      fail('wrote something that is no answer')
      return
    }
    pending = undefined
    if (typeof message.error === 'string') asked.reject(new WorkerRefusal(message.error))
    else asked.resolve(message.result)
  }

  async function request(message: object, { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number }) {
    signal.throwIfAborted()
    if (!alive) throw new WorkerFault('has ended')
    const id = ++requests
    const onAbort = () => fail('was aborted')
    const timer = setTimeout(fail, timeoutMs, 'took too long')
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      return await new Promise<unknown>((resolve, reject) => {
        pending = { id, resolve, reject }
        const cpuSeconds = Math.ceil(timeoutMs / 1000) + 5
        child.stdin.write(`${JSON.stringify({ ...message, id, cpuSeconds })}\n`)
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
    ended,
  }
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined // told by the caller as a fault of the worker
  }
}

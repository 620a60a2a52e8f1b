import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { jsonLines } from '#packages/foundation/workers/json-lines.ts'

/** A program for launcher.py to start. */
export type Order = {
  id: number
  /** The program and its arguments. */
  command: string[]
  cwd: string
  limits: { as: number; cpu: number; fsize: number }
  maxOutputBytes: number
}

/** The launcher's message when the program has ended; `stdout` in base64. */
export type Ended = { notStarted: string } | ExitOfProgram
type ExitOfProgram = {
  notStarted?: never
  code: number | null
  signal: string | null
  tooMuchOutput: boolean
  stdout: string
  stderr: string
}

const MAX_LINE_BYTES = 64 * 1024 * 1024
/** How long a kill, or the end of the launcher, may take. */
const PATIENCE_MS = 10_000
const STDERR_TAIL = 2000

/** The whole environment of launcher and programs. Ours holds keys, and proxies with passwords. */
const environment = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C.UTF-8' }

const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
/** -I and -S: Python ignores its environment and site packages, and so also starts faster. */
const python = ['python3', '-I', '-S', '-B'] as const
const [command, ...args] = [...python, script('without_network.py'), ...python, script('launcher.py')] as const

/** One process of launcher.py. It ends with this process, and keeps it alive only while a program runs. */
export class LauncherProcess implements AsyncDisposable {
  isAlive = true
  readonly #child: ChildProcessWithoutNullStreams
  readonly #pending = new Map<number, (ended: Ended) => void>()

  constructor() {
    const child = spawn(command, args, { cwd: '/', env: environment })
    this.#child = child
    child.once('error', ({ message }) => this.#fail(message))
    child.once('exit', () => {
      this.isAlive = false
    })
    let stderr = ''
    child.once('close', (code, signal) => this.#fail(`the launcher ended (${signal ?? code}) ${stderr}`.trim()))
    // a broken input shows in the exit of the process
    child.stdin.on('error', () => {})
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-STDERR_TAIL)
    })
    const onMessage = (message: Record<string, unknown>) => this.#end(Number(message.id), message as Ended)
    const read = jsonLines({ maxBytes: MAX_LINE_BYTES, onMessage, onFault: () => child.kill('SIGKILL') })
    child.stdout.setEncoding('utf8').on('data', read)
    child.unref()
    for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as unknown as Socket).unref()
  }

  /** Resolves when the program, or this process, has ended. */
  start(order: Order): Promise<Ended> {
    return new Promise((resolve) => {
      this.#pending.set(order.id, resolve)
      this.#child.ref()
      this.#send(order)
    })
  }

  /** Kills a program and all that it started. If the launcher does not answer, kills the whole launcher. */
  kill(id: number): void {
    this.#send({ id, kill: true })
    setTimeout(() => this.#pending.has(id) && this.#child.kill('SIGKILL'), PATIENCE_MS).unref()
  }

  /** Ends it and its programs. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.isAlive) return
    this.#child.ref()
    const exited = once(this.#child, 'exit')
    this.#child.stdin.end()
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), PATIENCE_MS)
    await exited
    clearTimeout(timer)
  }

  #send(message: object): void {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`)
  }

  #end(id: number, ended: Ended): void {
    this.#pending.get(id)?.(ended)
    this.#pending.delete(id)
    if (this.#pending.size === 0) this.#child.unref()
  }

  #fail(notStarted: string): void {
    this.isAlive = false
    for (const id of this.#pending.keys()) this.#end(id, { notStarted })
  }
}

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

/** A program that is kept running. */
export type Supervised = {
  name: string
  /** Arguments of node. The program sends a message over IPC once it serves. */
  words: readonly string[]
  env: Readonly<Record<string, string | undefined>>
}

export type SupervisorOptions = {
  /** Prints a line of a program, with its name, on standard output or standard error. */
  say(name: string, line: string, channel: 'stdout' | 'stderr'): void
  /** Aborted: all programs must end. */
  stop: AbortSignal
  /** How long a program may take to end before it is killed, milliseconds. */
  endWithinMs: number
  /** The pause before the first restart, milliseconds. It doubles up to `longestPauseMs`. */
  firstPauseMs?: number
  longestPauseMs?: number
}

/** After running this long, a program gets the first pause again, milliseconds. */
const STEADY_MS = 30_000

/** Keeps programs running, each in its own process. On the stop, asks all to end and waits. */
export class Supervisor {
  readonly #options: Required<SupervisorOptions>
  readonly #runs: Promise<void>[] = []

  constructor(options: SupervisorOptions) {
    this.#options = { firstPauseMs: 500, longestPauseMs: 10_000, ...options }
  }

  /** Starts a program, and restarts it whenever it ends. Resolves when it first serves, or when all are stopped. */
  async start(supervised: Supervised): Promise<void> {
    const { promise: serving, resolve } = Promise.withResolvers<void>()
    this.#runs.push(this.#keep(supervised, resolve).finally(resolve))
    await serving
  }

  /** Resolves when all programs have ended, after the stop. */
  async ended(): Promise<void> {
    await Promise.all(this.#runs)
  }

  async #keep(supervised: Supervised, onServing: () => void): Promise<void> {
    const { stop, say, firstPauseMs, longestPauseMs } = this.#options
    for (let pauseMs = firstPauseMs; !stop.aborted; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      const from = performance.now()
      const how = await this.#live(supervised, onServing)
      if (stop.aborted) return
      if (performance.now() - from >= STEADY_MS) pauseMs = firstPauseMs
      say(supervised.name, `${how}; starts again in ${pauseMs} ms`, 'stderr')
      await sleep(pauseMs, undefined, { signal: stop }).catch(() => undefined)
    }
  }

  /** One run of a program. @returns how it ended */
  async #live({ name, words, env }: Supervised, onServing: () => void): Promise<string> {
    const { stop, say, endWithinMs } = this.#options
    const stdio = ['ignore', 'pipe', 'pipe', 'ipc'] as const
    const child = spawn(process.execPath, words, { env, stdio: [...stdio] })
    for (const channel of ['stdout', 'stderr'] as const)
      createInterface({ input: child[channel] as Readable }).on('line', (line) => say(name, line, channel))
    child.once('message', onServing)
    const over = new AbortController()
    const end = (): void => void endChild(child, endWithinMs, over.signal)
    stop.addEventListener('abort', end, { once: true })
    if (stop.aborted) end()
    try {
      const [code, signal] = await once(child, 'close')
      return signal === null ? `has ended with ${code}` : `was ended by ${signal}`
    } catch (error) {
      return `could not be started: ${error}`
    } finally {
      over.abort()
      stop.removeEventListener('abort', end)
    }
  }
}

async function endChild(child: ChildProcess, withinMs: number, over: AbortSignal): Promise<void> {
  child.kill('SIGTERM')
  await sleep(withinMs, undefined, { signal: over }).then(
    () => child.kill('SIGKILL'),
    () => undefined,
  )
}

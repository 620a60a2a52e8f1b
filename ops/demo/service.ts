import { type ChildProcess, spawn } from 'node:child_process'
import { on, once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

export type ServiceOptions = {
  env: NodeJS.ProcessEnv
  /** Arguments after `npm start --`. */
  args?: readonly string[]
  /** Receives all output of the service. */
  logFile: string
}

/** How long the service may take to answer /health, and to drain and end, milliseconds. */
const START_MS = 30_000
const STOP_MS = 15_000

/** A service that runs in a process of its own. */
export type RunningService = AsyncDisposable & {
  /** Such as `http://127.0.0.1:8080`. */
  base: string
  /** Sends SIGTERM and waits. @throws Error it does not drain and end with exit status 0 in time */
  stop(): Promise<void>
}

async function lastLines(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.trim().split('\n').slice(-12).join('\n')
}

/** The address that the service prints: with PORT=0 only the service knows it. */
async function addressOf(child: ChildProcess, signal: AbortSignal): Promise<string> {
  let printed = ''
  for await (const [chunk] of on(child.stdout ?? child, 'data', { signal })) {
    printed = (printed + chunk).slice(-8_192)
    const [base] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? []
    if (base) return base
  }
  throw new Error('it printed no address')
}

async function untilHealthy(base: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const answer = await fetch(`${base}/health`, { signal }).catch(() => undefined)
    if (answer?.ok) return
    await sleep(100, undefined, { signal })
  }
}

/**
 * Runs `npm start`, and waits until the service is healthy.
 * @throws Error it ends or does not answer in time; the message has the last lines of its log
 */
export async function startService({ env, args = [], logFile }: ServiceOptions): Promise<RunningService> {
  const command = ['--import', 'tsx/esm', 'services/host/main.ts', ...args]
  const child = spawn(process.execPath, command, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const log = createWriteStream(logFile)
  child.stdout.pipe(log, { end: false })
  child.stderr.pipe(log, { end: false })
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  const over = new AbortController()
  const exited = once(child, 'exit').then(([code, signal]) => {
    process.off('exit', kill)
    over.abort()
    return signal ?? `exit status ${code}`
  })
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    const how = await Promise.race([exited, sleep(STOP_MS, 'late' as const, { ref: false })])
    if (how === 'late') kill()
    await exited
    log.end()
    if (how !== 'exit status 0')
      throw new Error(`the service ${how === 'late' ? `did not end within ${STOP_MS / 1000} s` : `ended with ${how}`}`)
  }
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(START_MS)])
  try {
    const base = await addressOf(child, signal)
    await untilHealthy(base, signal)
    return { base, stop, [Symbol.asyncDispose]: async () => (over.signal.aborted ? undefined : stop()) }
  } catch (cause) {
    const why = over.signal.aborted ? `it ended with ${await exited}` : `it did not answer within ${START_MS / 1000} s`
    kill()
    throw new Error(`the service could not be started: ${why}\n${await lastLines(logFile)}`, { cause })
  }
}

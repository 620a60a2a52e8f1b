import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export type ConfinedOptions = {
  /** Working directory of the child, ideally a random directory of its own. */
  cwd: string
  /** Kills the child and whatever it started; the call then throws the signal's reason. */
  signal: AbortSignal
  /** Wall-clock limit, milliseconds. */
  timeoutMs: number
  /** Bytes read from standard output; one more kills the child. */
  maxOutputBytes?: number
  /** The largest file the child may write, bytes. */
  maxFileBytes?: number
  /** Address space of each process, bytes. */
  maxMemoryBytes?: number
  /** Processor time of each process, seconds. */
  cpuSeconds?: number
}

/** Why a confined child gave no result. `exit`: it ended by itself, with an error. */
export type ConfinedReason = 'timeout' | 'output_too_large' | 'file_too_large' | 'killed' | 'exit' | 'not_started'

/** A confined child ended without a result. */
export class ConfinedError extends Error {
  readonly reason: ConfinedReason
  readonly exitCode: number | null
  /** The last few kilobytes the child wrote to standard error. */
  readonly stderr: string

  constructor(command: string, reason: ConfinedReason, exitCode: number | null, stderr: string, cause?: unknown) {
    super(`${command}: ${reason}${exitCode === null ? '' : ` ${exitCode}`}: ${stderr.trim().slice(-500)}`, { cause })
    this.name = 'ConfinedError'
    this.reason = reason
    this.exitCode = exitCode
    this.stderr = stderr
  }
}

const MEBIBYTE = 1024 * 1024
const STDERR_TAIL_BYTES = 8192

/** The whole environment of a child: ours holds keys, and proxies with passwords. */
const environment = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C.UTF-8' }

/** -I and -S: Python ignores its environment and site packages, which also makes it start faster. */
const withoutNetwork = ['python3', '-I', '-S', fileURLToPath(new URL('./without_network.py', import.meta.url))]

/**
 * Runs a program that reads untrusted data: no shell, no standard input, an empty environment, no network, and
 * limits on time, memory, processor time, output and file size (util-linux `prlimit`). The child leads a process group
 * of its own, which is killed as a whole when the call ends for any reason.
 * @returns what it wrote to standard output and the tail of standard error, once it has ended with exit code 0
 * @throws ConfinedError when it ended otherwise or met a limit; the signal's reason when aborted
 */
export async function runConfined(
  command: string,
  args: readonly string[],
  options: ConfinedOptions,
): Promise<{ stdout: Buffer; stderr: string }> {
  options.signal.throwIfAborted()
  const child = spawn('prlimit', [...limitsOf(options), '--', ...withoutNetwork, command, ...args], {
    cwd: options.cwd,
    env: environment,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stopped: ConfinedReason | 'aborted' | undefined
  const stop = (reason: ConfinedReason | 'aborted') => {
    stopped ??= reason
    killGroup(child)
  }
  const timer = setTimeout(stop, options.timeoutMs, 'timeout')
  const onAbort = () => stop('aborted')
  options.signal.addEventListener('abort', onAbort, { once: true })
  const stdout = collectHead(child, options.maxOutputBytes ?? MEBIBYTE, () => stop('output_too_large'))
  const stderr = collectTail(child)
  try {
    const { code, signal, error } = await endOf(child)
    if (stopped === 'aborted') throw options.signal.reason
    const fail = (reason: ConfinedReason) => new ConfinedError(command, reason, code, stderr(), error)
    if (stopped) throw fail(stopped)
    if (error) throw fail('not_started')
    if (signal) throw fail(signal === 'SIGXFSZ' ? 'file_too_large' : 'killed')
    if (code !== 0) throw fail('exit')
    return { stdout: stdout(), stderr: stderr() }
  } finally {
    clearTimeout(timer)
    options.signal.removeEventListener('abort', onAbort)
    killGroup(child)
  }
}

function limitsOf({ maxMemoryBytes, cpuSeconds, maxFileBytes }: ConfinedOptions): string[] {
  return [
    `--as=${maxMemoryBytes ?? 2048 * MEBIBYTE}`,
    `--cpu=${cpuSeconds ?? 600}`,
    `--fsize=${maxFileBytes ?? 16 * MEBIBYTE}`,
    '--core=0',
    '--nofile=256',
  ]
}

type End = { code: number | null; signal: NodeJS.Signals | null; error?: Error }

/** Resolves at the exit of the child: a grandchild that keeps a pipe open would delay `close` for ever. */
function endOf(child: ChildProcess): Promise<End> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: null, signal: null, error }))
    child.once('exit', (code, signal) => {
      killGroup(child)
      child.once('close', () => resolve({ code, signal }))
    })
  })
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // ESRCH: the group has ended already
  }
}

function collectHead(child: ChildProcess, maxBytes: number, onExcess: () => void): () => Buffer {
  const chunks: Buffer[] = []
  let bytes = 0
  child.stdout?.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > maxBytes) onExcess()
    else chunks.push(chunk)
  })
  return () => Buffer.concat(chunks)
}

function collectTail(child: ChildProcess): () => string {
  let tail = Buffer.alloc(0)
  child.stderr?.on('data', (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-STDERR_TAIL_BYTES)
  })
  return () => tail.toString('utf8')
}

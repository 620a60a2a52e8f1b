import { ConfinedError, type ConfinedReason } from './confined-error.ts'
import { type Ended, LauncherProcess } from './launcher-process.ts'

export type ConfinedOptions = {
  /** Working directory of the program, ideally a random directory of its own. */
  cwd: string
  /** Kills the program and whatever it started. The call then throws the signal's reason. */
  signal: AbortSignal
  /** Wall-clock limit, milliseconds. */
  timeoutMs: number
  /** Most bytes read from standard output. One more kills the program. At most 16 MiB. */
  maxOutputBytes?: number
  /** The largest file the program may write, bytes. */
  maxFileBytes?: number
  /** Address space of each process, bytes. */
  maxMemoryBytes?: number
  /** Processor time of each process, seconds. */
  cpuSeconds?: number
}

const MEBIBYTE = 1024 * 1024

/**
 * Runs programs that read untrusted data: no shell, no standard input, an empty environment, no network, and limits
 * on time, memory, processor time, output and file size. Each leads its own process group, which is killed as a whole
 * when the call ends for any reason, or this process does. The first call starts a small process that starts the
 * programs. Forking a large process takes hundreds of milliseconds and blocks it meanwhile.
 */
export class Launcher implements AsyncDisposable {
  #process: LauncherProcess | undefined
  #runs = 0
  #isDisposed = false

  /**
   * @returns what the program wrote to standard output and the tail of standard error, once it has ended with exit
   *   code 0
   * @throws ConfinedError if it ended otherwise or met a limit; the signal's reason when aborted
   */
  async run(
    command: string,
    args: readonly string[],
    options: ConfinedOptions,
  ): Promise<{ stdout: Buffer; stderr: string }> {
    options.signal.throwIfAborted()
    const id = ++this.#runs
    const launcher = this.#started()
    let stopped: 'timeout' | 'aborted' | undefined
    const stop = (why: 'timeout' | 'aborted') => {
      stopped ??= why
      launcher.kill(id)
    }
    const timer = setTimeout(stop, options.timeoutMs, 'timeout')
    const onAbort = () => stop('aborted')
    options.signal.addEventListener('abort', onAbort, { once: true })
    try {
      const ended = await launcher.start({
        id,
        // malformed text could not be passed on; spawn does the same
        command: [command, ...args].map((part) => part.toWellFormed()),
        cwd: options.cwd,
        limits: limitsOf(options),
        maxOutputBytes: options.maxOutputBytes ?? MEBIBYTE,
      })
      if (stopped === 'aborted') throw options.signal.reason
      return resultOf(command, ended, stopped)
    } finally {
      clearTimeout(timer)
      options.signal.removeEventListener('abort', onAbort)
    }
  }

  /** Kills the programs that still run. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true
    await this.#process?.[Symbol.asyncDispose]()
  }

  #started(): LauncherProcess {
    if (this.#isDisposed) throw new Error('the launcher has been closed')
    if (!this.#process?.isAlive) this.#process = new LauncherProcess()
    return this.#process
  }
}

const limitsOf = ({ maxMemoryBytes, cpuSeconds, maxFileBytes }: ConfinedOptions) => ({
  as: maxMemoryBytes ?? 2048 * MEBIBYTE,
  cpu: cpuSeconds ?? 600,
  fsize: maxFileBytes ?? 16 * MEBIBYTE,
})

function resultOf(command: string, ended: Ended, stopped: 'timeout' | undefined): { stdout: Buffer; stderr: string } {
  if (ended.notStarted !== undefined) throw new ConfinedError(command, stopped ?? 'not_started', null, ended.notStarted)
  const reason = stopped ?? reasonOf(ended)
  if (reason) throw new ConfinedError(command, reason, ended.code, ended.stderr)
  return { stdout: Buffer.from(ended.stdout, 'base64'), stderr: ended.stderr }
}

function reasonOf({ code, signal, tooMuchOutput }: Exclude<Ended, { notStarted: string }>): ConfinedReason | undefined {
  if (tooMuchOutput) return 'output_too_large'
  if (signal !== null) return signal === 'SIGXFSZ' ? 'file_too_large' : 'killed'
  return code === 0 ? undefined : 'exit'
}

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { machineEnvironment } from '#test/doubles/machine-environment.ts'
import { scriptArguments } from '#test/doubles/script-arguments.ts'
import type { SpeechEndpoint } from '#test/doubles/speech/speech-endpoint.ts'
import type { World } from '#test/doubles/world/world.ts'
import { type EngineRoom, fewProcesses, openEngineRoom, startScript } from './engine-room.ts'
import { commandOf, endProcess, isAlive, type LivingProcess, memoryOf, processTree } from './process-tree.ts'
import { until } from './until.ts'

export type ServiceOptions = {
  /** The outside world behind EGRESS_PROXY. */
  world?: World
  /** The endpoint at SPEECH_BASE_URL; unset: the local engine. */
  speech?: SpeechEndpoint
  /** Additional variables, such as JOB_WINDOW_SECONDS. */
  env?: Record<string, string>
  /** Words after `--`, such as `--sandbox`. */
  args?: string[]
  /** With SERVICE_SCRIPT=start:distributed: each service in its usual process, in place of a few that share. */
  apart?: boolean
}

export type ProcessEnd = { code: number | null; signal: string | null }

const project = fileURLToPath(new URL('../../../', import.meta.url))

/** Secrets that must never appear in a log. */
export const speechApiKey = 'sk-scenario-secret'

/** The longest a start may take on a busy machine, seconds. It is longer with one process for each part. */
const START_SECONDS = startScript === 'start' ? 120 : 240

/** Options of one run of the service. */
export type LifeOptions = {
  /** Additional variables. */
  env?: Record<string, string>
  /** A file descriptor that gets the log in place of `output`. */
  log?: number
}

/** One run of the service: from its start to its end. */
type Life = {
  child: ChildProcess
  pid: number
  base: string
  exited: Promise<ProcessEnd>
  over: boolean
  watchdog: ChildProcess
}

/**
 * The service as an operator has it, in one process or in one for each part, on data of its own. It may be killed and
 * started again on the same data. Disposing leaves no process and no file behind.
 */
export class Service implements AsyncDisposable {
  readonly dataDir: string
  readonly #options: ServiceOptions
  readonly #directory: string
  readonly #room: EngineRoom
  #life: Life | undefined
  #left: LivingProcess[] = []
  /** Everything it has printed, on both channels, in all its runs. */
  output = ''

  private constructor(directory: string, room: EngineRoom, options: ServiceOptions) {
    this.#directory = directory
    this.#room = room
    this.#options = options
    this.dataDir = join(directory, 'data')
  }

  /** Starts a service on a fresh directory and waits until it is healthy. */
  static async start(options: ServiceOptions = {}): Promise<Service> {
    const service = await Service.prepare(options)
    try {
      await service.start()
      return service
    } catch (error) {
      await service[Symbol.asyncDispose]()
      throw error
    }
  }

  /** A service that has not been started yet. */
  static async prepare(options: ServiceOptions = {}): Promise<Service> {
    return new Service(await mkdtemp(join(tmpdir(), 'scenario-')), await openEngineRoom(), options)
  }

  /** Such as `http://127.0.0.1:41234`. @throws Error while it does not run */
  get base(): string {
    return this.#running.base
  }

  /** The id of the process that was started. @throws Error while it does not run */
  get pid(): number {
    return this.#running.pid
  }

  get runs(): boolean {
    return this.#life !== undefined && !this.#life.over
  }

  get #running(): Life {
    if (this.#life === undefined || this.#life.over) throw new Error('the service does not run')
    return this.#life
  }

  /**
   * Its environment. From this process it inherits PATH, HOME, the target of its exports, and the folder of compiled
   * code.
   */
  get env(): Record<string, string> {
    const { world, speech, env } = this.#options
    return {
      ...machineEnvironment(),
      NO_COLOR: '1',
      ...exports(),
      DATA_DIR: this.dataDir,
      PORT: '0',
      ...this.#room.env,
      ...(world && { EGRESS_PROXY: world.proxyUrl }),
      ...(speech && { SPEECH_BASE_URL: speech.baseUrl, SPEECH_API_KEY: speechApiKey }),
      ...env,
    }
  }

  /** Starts it, also after an earlier run, and waits until it is healthy. @throws Error with its output */
  async start(options: LifeOptions = {}): Promise<void> {
    const life = this.spawn(options)
    try {
      await until(
        'the service is healthy',
        async () => {
          if (life.over) throw new Error('the service ended at its start')
          return (
            life.base !== '' &&
            fetch(`${life.base}/health`).then(
              ({ ok }) => ok,
              () => false,
            )
          )
        },
        { seconds: START_SECONDS, everyMs: 10 },
      )
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${this.output.slice(-4000)}`, { cause: error })
    }
  }

  /** Starts it without waiting for anything. */
  spawn({ env = {}, log }: LifeOptions = {}): Life {
    if (this.runs) throw new Error('the service runs already')
    const { args = [], apart } = this.#options
    const processes = startScript === 'start' || apart ? [] : fewProcesses
    const child = spawn(process.execPath, [...scriptArguments(startScript), ...args, ...processes], {
      cwd: project,
      env: { ...this.env, ...env },
      stdio: ['ignore', 'pipe', log ?? 'pipe'],
      detached: true,
    })
    const pid = child.pid ?? 0
    const exited = once(child, 'close').then(([code, signal]) => {
      life.over = true
      life.watchdog.kill('SIGKILL')
      return { code, signal }
    })
    const life: Life = { child, pid, base: '', exited, over: false, watchdog: watchdogOf(pid) }
    let printed = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.output += text
      printed += text
      life.base ||= /base URL\s+(http:\S+)/.exec(printed)?.[1] ?? ''
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.output += text
    })
    this.#life = life
    return life
  }

  /** Memory of the service and its children, bytes. */
  memory(): number {
    return memoryOf(this.#running.pid)
  }

  /** Running processes that it has started with `word` in their command lines. */
  children(word: string): LivingProcess[] {
    const own = processTree(this.#running.pid).filter(({ pid }) => pid !== this.#running.pid)
    return own.filter((one) => isAlive(one) && commandOf(one).includes(word))
  }

  /** Sends a signal to the service alone, as an operator does, and waits for its end. */
  async end(signal: NodeJS.Signals): Promise<ProcessEnd & { seconds: number }> {
    const { pid, exited } = this.#running
    const children = processTree(pid).filter((one) => one.pid !== pid)
    this.#left = [...this.#left.filter(isAlive), ...children]
    const from = performance.now()
    process.kill(pid, signal)
    const exit = await exited
    return { ...exit, seconds: (performance.now() - from) / 1000 }
  }

  /** Kills it and all its parts at once, like a loss of power, and waits for its end. */
  async cut(): Promise<void> {
    const ending = this.end('SIGKILL')
    for (const one of this.#left) if (isPart(one)) endProcess(one)
    await ending
  }

  /** How many processes of its earlier runs are still running. */
  get orphans(): number {
    return this.#left.filter(isAlive).length
  }

  /** Runs `npm run org -- …words` on the same data. Never throws. */
  org(...words: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    return this.command('org', ...words)
  }

  /**
   * Runs `npm run SCRIPT -- …words` with the service's environment, without the time that npm itself takes. Never
   * throws.
   */
  command(script: string, ...words: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const options = { cwd: project, env: this.env, timeout: 240_000 }
    return new Promise((resolve) => {
      execFile(process.execPath, [...scriptArguments(script), ...words], options, (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr }),
      )
    })
  }

  /** What such a command prints. @throws Error if it fails */
  async printed(script: string, ...words: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.command(script, ...words)
    if (code !== 0) throw new Error(`${script} ${words.join(' ')} ended with ${code}: ${stdout}${stderr}`)
    return stdout
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.runs) await this.cut()
    for (const one of this.#left) endProcess(one)
    await this.#room[Symbol.asyncDispose]()
    await rm(this.#directory, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Whether this is one of the service's own processes, and not a program that one of them runs. */
const isPart = (one: LivingProcess): boolean => /services\/host\/(main|service)\.ts/.test(commandOf(one))

/** Set if `npm run test:telemetry` runs the scenarios: their services export to its collector. */
const exports = (): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('OTEL_')))

/** Ends the service when this process ends, even by a kill: the pipe between them closes then. */
function watchdogOf(pid: number): ChildProcess {
  const watchdog = spawn('sh', ['-c', `read line; kill -KILL ${pid}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  watchdog.unref()
  ;(watchdog.stdin as unknown as { unref(): void }).unref()
  return watchdog
}

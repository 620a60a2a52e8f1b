import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { freePorts } from '#ops/local-engines/ports.ts'
import { steps } from '#packages/domain/job/events.ts'
import type { PartName } from '#services/host/serve.ts'
import { scriptArguments } from '#test/doubles/script-arguments.ts'
import { commandOf, endProcess, isAlive, type LivingProcess, processTree } from '#test/doubles/service/process-tree.ts'
import { until } from '#test/doubles/service/until.ts'

/** In the order in which a job meets them. */
export const serviceNames = [
  'ingress',
  'orchestrator',
  ...steps,
  'projections',
  'retention',
  'webhooks',
  'watches',
] as const
export type ServiceName = (typeof serviceNames)[number]

/** Where Node keeps compiled code: as in test/main.ts, many processes start with the same modules. */
const COMPILED = resolve('node_modules/.cache/compiled')
const START_SECONDS = 240
/** The longest a service may take to stop. Ten seconds are promised, and other processes share the machine. */
const STOP_SECONDS = 60

type Started = { child: ChildProcess; exited: Promise<number | null> }

/** The services in processes of their own, as `npm run start:distributed` starts and supervises them. */
export class Deployment implements AsyncDisposable {
  readonly base: string
  readonly #directory: string
  readonly #env: Record<string, string>
  readonly #all: Started[] = []
  #left: LivingProcess[] = []
  /** Everything that they printed. */
  output = ''

  private constructor(directory: string, port: number, env: Record<string, string>) {
    this.#directory = directory
    this.#env = env
    this.base = `http://127.0.0.1:${port}`
  }

  /** Starts all services and waits until jobs can be posted. @throws Error with the end of their output */
  static async start(env: Record<string, string>): Promise<Deployment> {
    const directory = await mkdtemp(join(tmpdir(), 'faults-'))
    const [port = 0] = await freePorts(1)
    const ours = {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '/',
      NO_COLOR: '1',
      LOG_LEVEL: process.env.LOG_LEVEL ?? 'info',
      NODE_COMPILE_CACHE: COMPILED,
    }
    const deployment = new Deployment(directory, port, {
      ...ours,
      DATA_DIR: join(directory, 'data'),
      PORT: `${port}`,
      ...env,
    })
    try {
      deployment.#spawn('start:distributed')
      await deployment.isReady(START_SECONDS)
      return deployment
    } catch (error) {
      const said = deployment.output.slice(-6000)
      await deployment[Symbol.asyncDispose]()
      throw new Error(`${(error as Error).message}\n${said}`, { cause: error })
    }
  }

  /** Waits until the ingress reports that it is ready, and every service runs. */
  async isReady(seconds: number): Promise<void> {
    await until(
      'the services are ready',
      async () => {
        const ready = await fetch(`${this.base}/ready`, { signal: AbortSignal.timeout(5000) }).then(
          ({ ok }) => ok,
          () => false,
        )
        return ready && serviceNames.every((name) => this.processesOf(name).length > 0)
      },
      { seconds, everyMs: 200 },
    )
  }

  /** Every process that serves it now, alone or with other services. */
  processesOf(name: PartName): LivingProcess[] {
    const isIts = new RegExp(`^\\S*node .*services/host/main\\.ts (\\S+,)?${name}(,\\S+)?( |$)`)
    const trees = this.#all.flatMap(({ child }) => processTree(child.pid ?? 0))
    return trees.filter((one) => isAlive(one) && isIts.test(commandOf(one)))
  }

  /** Kills (kill -9) every process of a service, and waits until another one runs in its place. */
  async kill(name: ServiceName): Promise<void> {
    const killed = this.processesOf(name)
    if (killed.length === 0) throw new Error(`${name} does not run`)
    this.#left.push(...killed.flatMap(({ pid }) => processTree(pid)))
    for (const one of killed) endProcess(one)
    await until(`${name} runs again`, () => this.processesOf(name).length >= killed.length)
  }

  /** Kills (kill -9) every process of a service. None runs in its place until this is disposed of. */
  async takeDown(name: ServiceName): Promise<AsyncDisposable> {
    // While the supervisor is stopped, it notices nothing.
    const watching = this.#all[0]?.child
    watching?.kill('SIGSTOP')
    for (const one of this.processesOf(name)) endProcess(one)
    await until(`${name} has ended`, () => this.processesOf(name).length === 0)
    return {
      [Symbol.asyncDispose]: async () => {
        watching?.kill('SIGCONT')
        await until(`${name} runs again`, () => this.processesOf(name).length > 0)
      },
    }
  }

  /** Kills (kill -9) one supervised process of a service. Another one takes its place. */
  async killWatched(name: ServiceName): Promise<void> {
    const killed = this.#watched(name)
    this.#left.push(...processTree(killed.pid))
    const before = this.processesOf(name).length
    endProcess(killed)
    await until(`${name} runs again`, () => !isAlive(killed) && this.processesOf(name).length >= before)
  }

  /** Freezes one supervised process of a service, until this is disposed of. */
  freezeWatched(name: ServiceName): Disposable {
    const { pid } = this.#watched(name)
    process.kill(pid, 'SIGSTOP')
    return { [Symbol.dispose]: () => void process.kill(pid, 'SIGCONT') }
  }

  #watched(name: ServiceName): LivingProcess {
    const watched = new Set(processTree(this.#all[0]?.child.pid ?? 0).map(({ pid }) => pid))
    const found = this.processesOf(name).find(({ pid }) => watched.has(pid))
    if (found === undefined) throw new Error(`${name} is not watched`)
    return found
  }

  /** Another process of a service, besides the supervised one. Disposing of it stops it. */
  async another(name: ServiceName): Promise<AsyncDisposable> {
    const before = this.processesOf(name).length
    const started = this.#spawn('start', name)
    await until(`a second ${name} runs`, () => this.processesOf(name).length > before)
    return {
      [Symbol.asyncDispose]: async () => {
        const status = await this.#stop([started])
        if (status !== 0) throw new Error(`the second ${name} stopped with status ${status}`)
      },
    }
  }

  /** Stops it as an operator does. @returns the exit status */
  stop(): Promise<number> {
    return this.#stop(this.#all.filter(({ child }) => child.exitCode === null && child.signalCode === null))
  }

  /** @returns the worst exit status */
  async #stop(running: readonly Started[]): Promise<number> {
    this.#left.push(...running.flatMap(({ child }) => processTree(child.pid ?? 0)))
    for (const { child } of running) child.kill('SIGTERM')
    const codes = Promise.all(running.map(({ exited }) => exited))
    let ended: (number | null)[] | undefined
    void codes.then((all) => {
      ended = all
    })
    const all = await until('everything has stopped', () => ended, { seconds: STOP_SECONDS })
    return Math.max(0, ...all.map((code) => code ?? 128))
  }

  /** Processes that outlive their parent. */
  get orphans(): LivingProcess[] {
    return this.#left.filter(isAlive)
  }

  #spawn(script: string, ...words: string[]): Started {
    const child = spawn(process.execPath, [...scriptArguments(script), ...words], {
      env: { ...this.#env, SERVICE_PORT: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output += text
      })
    const started = { child, exited: once(child, 'close').then(([code]) => code as number | null) }
    this.#all.push(started)
    return started
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const trees = this.#all.flatMap(({ child }) => processTree(child.pid ?? 0))
    // The supervisor first, because it would start the others again.
    for (const one of [...trees, ...this.#left]) endProcess(one)
    await Promise.all(this.#all.map(({ exited }) => exited))
    await rm(this.#directory, { recursive: true, force: true, maxRetries: 5 })
  }
}

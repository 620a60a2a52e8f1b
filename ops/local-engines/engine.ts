import { existsSync, readFileSync, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isServed } from './ports.ts'
import { endProcess, isAlive, isStopped, killProcess, type ProcessIdentity, signal, spawnServer } from './process.ts'

/** How to run a server on this machine. */
export type EngineKind = {
  /** Also the name of its folder. */
  name: string
  ports: readonly number[]
  /** Prepares its folder. Called before each start. */
  prepare(): Promise<void>
  command: readonly [string, ...string[]]
  /** Whether it serves, judged by its output since the start. */
  isReady(said: string): Promise<boolean>
}

export type EngineOptions = {
  /** Contains the folder of each engine. */
  folder: string
  /** See SpawnOptions. */
  detached: boolean
  /** How long it may take to serve. Default: 3 minutes. */
  startMs?: number
  /** How long it may take to end before it is killed. Default: 10 seconds. */
  endMs?: number
}

/** A server on this machine: one process with its own folder and ports. Its data survives it. */
export class Engine {
  readonly kind: EngineKind
  readonly #options: EngineOptions
  #process: ProcessIdentity | undefined

  /** @param running the process, if an earlier program of ours started it */
  constructor(kind: EngineKind, options: EngineOptions, running?: ProcessIdentity) {
    this.kind = kind
    this.#options = options
    this.#process = running
  }

  get folder(): string {
    return join(this.#options.folder, this.kind.name)
  }

  get log(): string {
    return join(this.folder, 'log')
  }

  /** Undefined while it is stopped. */
  get process(): ProcessIdentity | undefined {
    return this.#process && isAlive(this.#process) ? this.#process : undefined
  }

  /**
   * Starts it and waits until it serves. Does nothing if it runs.
   * @throws Error it cannot be started, or one of its ports is taken
   */
  async start(): Promise<void> {
    if (this.process !== undefined) return
    const { name, ports, command } = this.kind
    await mkdir(this.folder, { recursive: true })
    for (const port of ports)
      if (!(await isFreeSoon(port))) throw new Error(`port ${port} of ${name} is taken by another program`)
    await this.kind.prepare()
    const from = existsSync(this.log) ? statSync(this.log).size : 0
    this.#process = await spawnServer(command, { log: this.log, detached: this.#options.detached })
    await this.#whenReady(from)
  }

  async #whenReady(from: number): Promise<void> {
    const { startMs = 180_000 } = this.#options
    const said = (): string => readFileSync(this.log).subarray(from).toString()
    for (const end = Date.now() + startMs; ; await sleep(50)) {
      if (await this.kind.isReady(said())) return
      const trouble =
        this.process === undefined ? 'has ended' : Date.now() > end ? `does not serve after ${startMs / 1000} s` : ''
      if (trouble === '') continue
      await this.kill()
      throw new Error(`${this.kind.name} ${trouble}; it said:\n${said().slice(-2000)}`)
    }
  }

  /** Asks it to end, waits, and kills it if it does not end. */
  async stop(): Promise<void> {
    if (this.#process) await endProcess(this.#process, this.#options.endMs ?? 10_000)
  }

  /** Ends it as a power failure would. */
  async kill(): Promise<void> {
    if (this.#process) await killProcess(this.#process)
  }

  /** Freezes it: its connections stay open and receive no answers. */
  async freeze(): Promise<void> {
    if (this.process === undefined) return
    signal(this.process, 'SIGSTOP')
    // On a busy machine its threads continue until one of them sees the signal.
    while (isAlive(this.process) && !isStopped(this.process)) await sleep(5)
  }

  /** Lets it continue after `freeze`. */
  thaw(): void {
    if (this.process) signal(this.process, 'SIGCONT')
  }
}

/** Waits for the port to become free: the system closes a killed process' connections only after a moment. */
async function isFreeSoon(port: number): Promise<boolean> {
  for (const end = Date.now() + 6000; Date.now() < end; await sleep(50)) if (!(await isServed(port))) return true
  return false
}

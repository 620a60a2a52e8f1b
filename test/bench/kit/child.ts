import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { FromChild } from './serve-calls.ts'

export type ChildOptions = {
  /** The folder for its standard error: a file, as for a service's log. */
  directory: string
  /** The folder for its CPU profiles, if they are wanted. */
  profileDirectory?: string | undefined
  /** Additional flags of Node. */
  flags?: readonly string[]
  /** Additional environment variables. */
  env?: Readonly<Record<string, string>>
  /** The name of its log and its profile. Default: the module's name. */
  name?: string
}

type Waiting = { resolve(result: unknown): void; reject(error: Error): void }

/** The longest that a call may take, milliseconds, so that the bench never waits for ever. */
const ANSWERS_WITHIN_MS = 300_000

/** How long a child may take to end by itself, milliseconds. */
const END_WITHIN_MS = 15_000

/** A process of the bench: a module that serves calls (`serveCalls`). Disposing ends it. */
export class Child implements AsyncDisposable {
  readonly #process: ChildProcess
  readonly #errors: string
  readonly #exited: Promise<unknown>
  readonly #waiting = new Map<number, Waiting>()
  #calls = 0
  #ended = false

  /** @param module a file of the bench, by its URL */
  constructor(module: URL, options: ChildOptions) {
    const { directory, profileDirectory, flags = [], env = {}, name = basename(module.pathname, '.ts') } = options
    this.#errors = join(directory, `${name}-${performance.now()}.log`)
    const errors = openSync(this.#errors, 'w')
    const profile = profileDirectory ? ['--cpu-prof', `--cpu-prof-dir=${join(profileDirectory, name)}`] : []
    this.#process = fork(module, {
      execArgv: [...profile, '--no-maglev', ...flags, '--import', 'tsx/esm'],
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', errors, 'ipc'],
    })
    closeSync(errors)
    this.#exited = once(this.#process, 'exit').then(() => this.#end())
    this.#process.on('message', (message: FromChild) => this.#answered(message))
  }

  get pid(): number {
    return this.#process.pid ?? 0
  }

  /** @throws Error what the child threw, or that it has ended, with the end of its output */
  call<T>(name: string, argument: unknown = {}): Promise<T> {
    if (this.#ended) return Promise.reject(this.#failure())
    const call = this.#calls++
    this.#process.send({ call, name, argument })
    const late = setTimeout(
      () => this.#answered({ call, error: `${name} was not answered in time` }),
      ANSWERS_WITHIN_MS,
    )
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(call, { resolve: (result) => resolve(result as T), reject })
    }).finally(() => clearTimeout(late))
  }

  #answered({ call, result, error }: FromChild): void {
    const waiting = this.#waiting.get(call)
    this.#waiting.delete(call)
    if (error === undefined) waiting?.resolve(result)
    else waiting?.reject(new Error(error))
  }

  #end(): void {
    this.#ended = true
    for (const { reject } of this.#waiting.values()) reject(this.#failure())
    this.#waiting.clear()
  }

  #failure(): Error {
    return new Error(`a process of the bench has ended:\n${readFileSync(this.#errors, 'utf8').slice(-4000)}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#ended) return
    this.#process.disconnect()
    const late = setTimeout(() => this.#process.kill('SIGKILL'), END_WITHIN_MS)
    await this.#exited
    clearTimeout(late)
  }
}

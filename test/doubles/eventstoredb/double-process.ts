import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('./main.ts', import.meta.url))

/** The double as a process of its own. It can be killed, frozen and started again on the same data and port. */
export class DoubleProcess implements AsyncDisposable {
  readonly #folder: string
  #child: ChildProcess | undefined
  #port = 0
  #copies = 0

  static async start(): Promise<DoubleProcess> {
    const double = new DoubleProcess(await mkdtemp(join(tmpdir(), 'event-store-double-')))
    await double.start()
    return double
  }

  private constructor(folder: string) {
    this.#folder = folder
  }

  get url(): string {
    return `esdb://127.0.0.1:${this.#port}?tls=false`
  }

  /** The same URL, but the client asks the node which one leads. */
  get discoverUrl(): string {
    return `esdb+discover://127.0.0.1:${this.#port}?tls=false`
  }

  async start(): Promise<void> {
    const options = ['--import', 'tsx/esm', main, '--data', this.#folder, '--port', String(this.#port)]
    this.#child = spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'inherit'] })
    for await (const line of createInterface(this.#child.stdout as NodeJS.ReadableStream)) {
      this.#port = JSON.parse(line).port
      return
    }
    throw new Error('the double of EventStoreDB did not start')
  }

  /** Sends SIGKILL and waits for the end. */
  async kill(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }

  /** Copies its current data, also while it runs. @returns what {@link putBack} takes */
  copy(): string {
    const copy = join(this.#folder, `copy-${this.#copies++}.sqlite`)
    using log = new DatabaseSync(join(this.#folder, 'log.sqlite'), { readOnly: true })
    log.exec(`VACUUM INTO '${copy}'`)
    return copy
  }

  /** Kills it and starts it again on a copy of its data; without a copy, on no data. */
  async putBack(copy?: string): Promise<void> {
    await this.kill()
    const log = join(this.#folder, 'log.sqlite')
    for (const suffix of ['', '-wal', '-shm']) await rm(`${log}${suffix}`, { force: true })
    if (copy !== undefined) await copyFile(copy, log)
    await this.start()
  }

  freeze(): void {
    this.#child?.kill('SIGSTOP')
  }

  thaw(): void {
    this.#child?.kill('SIGCONT')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    await rm(this.#folder, { recursive: true })
  }
}

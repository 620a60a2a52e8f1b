import { rmSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { Checked, CheckOptions } from './views-check-thread.ts'

/** The first check runs this long after the views became readable, milliseconds. So it does not slow down a start. */
const FIRST_AFTER_MS = 5000

/** The time from the end of one check to the beginning of the next, milliseconds. */
const EVERY_MS = 60 * 60 * 1000

/** Checks the whole file of the views at intervals, for damage that no read has found. */
export class ViewsCheck {
  readonly #path: string
  readonly #onDamage: (what: string) => void
  #timer: NodeJS.Timeout | undefined
  #worker: Worker | undefined

  /** @param onDamage called with what is wrong, in a few words */
  constructor(path: string, onDamage: (what: string) => void) {
    this.#path = path
    this.#onDamage = onDamage
  }

  /** Does nothing if it was started. */
  start(): void {
    this.#timer ??= this.#after(FIRST_AFTER_MS)
  }

  /** Documents were removed. A damaged file that was set aside may still contain them, and cannot be cleaned. */
  removed(): void {
    rmSync(`${this.#path}.damaged`, { force: true })
  }

  #after(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#look(), ms).unref()
  }

  #look(): void {
    const worker = new Worker(new URL('./views-check-thread.ts', import.meta.url), {
      workerData: { path: this.#path } satisfies CheckOptions,
      execArgv: [],
    })
    this.#worker = worker
    worker.unref()
    // A failed thread has found nothing; the next check will do.
    worker.on('error', () => undefined)
    worker.on('message', (what: Checked) => {
      if (what !== null && this.#worker === worker) this.#onDamage(what)
    })
    worker.on('exit', () => {
      if (this.#worker === worker) this.#timer = this.#after(EVERY_MS)
    })
  }

  /** No damage is reported from now on. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const worker = this.#worker
    this.#worker = undefined
    void worker?.terminate()
  }
}

import { Worker } from 'node:worker_threads'
import type { Checked, CheckOptions } from './views-check-thread.ts'

/** The first look comes so long after the views are read: a start does not get longer by it, milliseconds. */
const FIRST_AFTER_MS = 5000

/** From the end of one look to the beginning of the next, milliseconds. */
const EVERY_MS = 60 * 60 * 1000

/** Looks through the whole file of the views, now and then, for damage that nobody has met. */
export class ViewsCheck {
  readonly #path: string
  readonly #onDamage: (what: string) => void
  #timer: NodeJS.Timeout | undefined
  #worker: Worker | undefined

  /** @param onDamage told what is wrong, in a few words */
  constructor(path: string, onDamage: (what: string) => void) {
    this.#path = path
    this.#onDamage = onDamage
  }

  /** Does nothing where it was started. */
  start(): void {
    this.#timer ??= this.#after(FIRST_AFTER_MS)
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
    // A thread that failed has found nothing: the next look is as good.
    worker.on('error', () => undefined)
    worker.on('message', (what: Checked) => {
      if (what !== null && this.#worker === worker) this.#onDamage(what)
    })
    worker.on('exit', () => {
      if (this.#worker === worker) this.#timer = this.#after(EVERY_MS)
    })
  }

  /** No damage is told from now on. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const worker = this.#worker
    this.#worker = undefined
    void worker?.terminate()
  }
}

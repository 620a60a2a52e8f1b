import { rmSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { Unwiped } from './unwiped.ts'
import type { Checked, CheckOptions } from './views-check-thread.ts'
import { Wiper } from './wiper.ts'

/**
 * The first check comes this long after the views became readable, so that it does not slow down a start, milliseconds.
 */
const FIRST_AFTER_MS = 5000

/** From the end of one check to the beginning of the next, milliseconds. */
const EVERY_MS = 60 * 60 * 1000

/** Checks the whole file of the views, now and then, for damage that no read has found, and for remains of removed rows. */
export class ViewsCheck {
  readonly wiper: Wiper
  readonly #path: string
  readonly #unwiped: Unwiped
  readonly #onDamage: (what: string) => void
  #timer: NodeJS.Timeout | undefined
  #worker: Worker | undefined

  /** @param onDamage called with what is wrong, in a few words */
  constructor(path: string, database: DatabaseSync, onDamage: (what: string) => void) {
    this.#path = path
    this.wiper = new Wiper('views', path)
    this.#unwiped = new Unwiped(database, 'views')
    this.#onDamage = onDamage
  }

  /** Does nothing where it was started. */
  start(): void {
    this.#timer ??= this.#after(FIRST_AFTER_MS)
  }

  /** Documents were removed: a damaged file that was set aside may have them too, and cannot be mended. */
  removed(): void {
    rmSync(`${this.#path}.damaged`, { force: true })
    this.wiper.want()
  }

  get #isWipeWanted(): boolean {
    try {
      return this.#unwiped.isWanted
    } catch {
      // The check tells whether the file is damaged.
      return false
    }
  }

  #after(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#look(), ms).unref()
  }

  #look(): void {
    // A process may have ended before it had wiped what it removed.
    if (this.#isWipeWanted) this.wiper.want()
    const worker = new Worker(new URL('./views-check-thread.ts', import.meta.url), {
      workerData: { path: this.#path } satisfies CheckOptions,
      execArgv: [],
    })
    this.#worker = worker
    worker.unref()
    // A thread that failed has found nothing: the next check is as good.
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
    this.wiper.stop()
    const worker = this.#worker
    this.#worker = undefined
    void worker?.terminate()
  }
}

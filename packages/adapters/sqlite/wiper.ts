import { type ChildProcess, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('./wipe-process.ts', import.meta.url))

/** The pause after a wipe is so many times its duration: a large file is not read all the time. */
const PAUSES = 20

/** Until a wipe that could not be finished is tried again, milliseconds. */
const AGAIN_AFTER_MS = 60_000

/** Lets removed rows leave a file for good, soon after they are removed: removals close to each other share it. */
export class Wiper {
  readonly #path: string
  #child: ChildProcess | undefined
  #timer: NodeJS.Timeout | undefined
  /** Whether rows may have been removed since the last wipe began. */
  #isWanted = false
  /** Not before this time of `performance.now`. */
  #from = 0
  #isStopped = false
  /** Whether a wipe was cut off, which may have written to the file without a note of it (see FileWatch). */
  #isUnnoted = false

  constructor(path: string) {
    this.#path = path
  }

  /** Rows were removed: a damaged file that was set aside may have them too, and cannot be mended. */
  removed(): void {
    rmSync(`${this.#path}.damaged`, { force: true })
    this.want()
  }

  get isAtWork(): boolean {
    return this.#child !== undefined
  }

  /** Whether the file may have been changed by a wipe that was cut off since this was asked last. */
  takeUnnoted(): boolean {
    const isUnnoted = this.#isUnnoted
    this.#isUnnoted = false
    return isUnnoted
  }

  want(): void {
    this.#isWanted = true
    this.#plan()
  }

  #plan(): void {
    if (!this.#isWanted || this.#isStopped || this.#child !== undefined || this.#timer !== undefined) return
    this.#timer = setTimeout(() => this.#wipe(), Math.max(0, this.#from - performance.now())).unref()
  }

  #wipe(): void {
    const began = performance.now()
    this.#timer = undefined
    this.#isWanted = false
    const ended = (isDone: boolean): void => {
      if (this.#child !== child) return
      this.#child = undefined
      const now = performance.now()
      this.#isWanted ||= !isDone
      this.#isUnnoted ||= !isDone
      this.#from = now + (isDone ? PAUSES * (now - began) : AGAIN_AFTER_MS)
      this.#plan()
    }
    const child = spawn(process.execPath, [program, this.#path], { stdio: 'ignore', env: {} })
    child.unref()
    this.#child = child
    child.on('error', () => ended(false))
    child.on('exit', (code) => ended(code === 0))
  }

  /** A wipe that is under way is ended: that does no harm to the file. */
  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#child?.kill('SIGKILL')
  }
}

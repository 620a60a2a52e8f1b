import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { WipedFile } from './unwiped.ts'

const program = fileURLToPath(new URL('./wipe-process.ts', import.meta.url))

/** The pause after a wipe is so many times its duration: a large file is not read all the time. */
const PAUSES = 20

/** The least pause after a wipe that could not be finished, milliseconds. */
const AGAIN_AFTER_MS = 60_000

/** Lets removed rows leave a file for good, soon after they are removed: removals close to each other share it. */
export class Wiper {
  readonly #what: WipedFile
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

  constructor(what: WipedFile, path: string) {
    this.#what = what
    this.#path = path
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
      this.#from = now + Math.max(isDone ? 0 : AGAIN_AFTER_MS, PAUSES * (now - began))
      this.#plan()
    }
    const child = startWipe(this.#what, this.#path)
    child.unref()
    ;(child.stdin as Socket).unref()
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

/** Its input ends with this process, and it with its input. */
function startWipe(what: WipedFile, path: string): ChildProcess {
  const child = spawn(process.execPath, [program, what, path], { stdio: ['pipe', 'ignore', 'ignore'], env: {} })
  child.stdin?.on('error', () => undefined)
  return child
}

/**
 * Wipes the file once, if rows were removed since it was last wiped. @returns whether nothing is left
 */
export async function wipeOnce(what: WipedFile, path: string): Promise<boolean> {
  const child = startWipe(what, path)
  return new Promise((resolve, reject) => child.on('error', reject).on('exit', (code) => resolve(code === 0)))
}

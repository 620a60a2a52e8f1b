import type { Clock } from '#packages/ports/clock.ts'

export type TurnLimits = {
  /** Turns of one name under way at once. */
  atOnce: number
  /** Turns of one name that begin within a second. */
  perSecond: number
}

/** The limits of a receiver, by its host and by its address. */
export const receiverLimits: TurnLimits = { atOnce: 4, perSecond: 10 }

type Line = { running: number; waiting: Set<() => void> /** When the newest ones begin. */; begins: number[] }

/** Above so many lines, those in which nothing happens are dropped. */
const MANY_LINES = 1000

/** Lets the work of each name, such as a host, begin in order: so many at once, and so many in a second. */
export class Turns {
  readonly #clock: Clock
  readonly #limits: TurnLimits
  readonly #lines = new Map<string, Line>()

  constructor(clock: Clock, limits: TurnLimits) {
    this.#clock = clock
    this.#limits = limits
  }

  /** Waits for a turn, which lasts until it is disposed of. @throws the signal's reason */
  async acquire(name: string, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted()
    const line = this.#lineOf(name)
    if (line.running < this.#limits.atOnce) line.running++
    else await this.#place(line, signal)
    const turn = { [Symbol.dispose]: () => this.#leave(line) }
    try {
      await this.#pace(line, signal)
      return turn
    } catch (error) {
      turn[Symbol.dispose]()
      throw error
    }
  }

  /** Who leaves hands its place to the first that waits. */
  #leave(line: Line): void {
    const [first] = line.waiting
    if (first === undefined) line.running--
    else first()
  }

  #place(line: Line, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = (): void => {
        line.waiting.delete(begin)
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = (): void => {
        line.waiting.delete(begin)
        reject(signal.reason)
      }
      line.waiting.add(begin)
      signal.addEventListener('abort', leave, { once: true })
    })
  }

  async #pace({ begins }: Line, signal: AbortSignal): Promise<void> {
    const now = this.#clock.now()
    const oldest = begins.length < this.#limits.perSecond ? undefined : begins.shift()
    const at = oldest === undefined ? now : Math.max(now, oldest + 1000)
    begins.push(at)
    if (at > now) await this.#clock.sleep(at - now, signal)
  }

  #lineOf(name: string): Line {
    const known = this.#lines.get(name)
    if (known !== undefined) return known
    if (this.#lines.size >= MANY_LINES) this.#dropIdle()
    const line: Line = { running: 0, waiting: new Set(), begins: [] }
    this.#lines.set(name, line)
    return line
  }

  #dropIdle(): void {
    const before = this.#clock.now() - 1000
    for (const [name, { running, begins }] of this.#lines)
      if (running === 0 && (begins.at(-1) ?? 0) < before) this.#lines.delete(name)
  }
}

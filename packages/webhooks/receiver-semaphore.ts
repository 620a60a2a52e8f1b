import type { Clock } from '#packages/ports/clock.ts'

export type ReceiverLimits = {
  /** Turns of one name under way at once. */
  atOnce: number
  /** Turns of one name that begin within a second. */
  perSecond: number
}

/** The limits of a receiver, by its host and by its address. */
export const receiverLimits: ReceiverLimits = { atOnce: 4, perSecond: 10 }

/** A place among the simultaneous turns. Dispose of it when the work is over. */
export type Turn = Disposable & {
  /** Waits until the work may begin. @throws the signal's reason */
  begin(): Promise<void>
}

type Waiting = { begin(): void; fail(reason: unknown): void }

/** `waiting`: by owner, who take turns. `begins`: the beginnings of the newest ones. */
type Line = { running: number; waiting: Map<string, Set<Waiting>>; begins: number[] }

/** Above this number, idle lines are dropped. */
const MANY_LINES = 1000

/**
 * Limits the work of each name, such as a host: at once, and per second. Owners of work, such as organizations, take
 * turns: one with much work at a host does not delay the others there.
 */
export class ReceiverSemaphore {
  readonly #clock: Clock
  readonly #limits: ReceiverLimits
  readonly #lines = new Map<string, Line>()
  /** Waiting callers by signal. One listener per signal suffices; with many, adding each one would search the rest. */
  readonly #waiting = new Map<AbortSignal, Set<Waiting>>()

  constructor(clock: Clock, limits: ReceiverLimits) {
    this.#clock = clock
    this.#limits = limits
  }

  /** Waits for a place. @throws the signal's reason */
  async acquire({ name, owner }: { name: string; owner: string }, signal: AbortSignal): Promise<Turn> {
    signal.throwIfAborted()
    const line = this.#lineOf(name)
    if (line.running < this.#limits.atOnce) line.running++
    else await this.#place(line, owner, signal)
    return { begin: () => this.#pace(line, signal), [Symbol.dispose]: () => leave(line) }
  }

  #place({ waiting }: Line, owner: string, signal: AbortSignal): Promise<void> {
    const all = this.#waitingFor(signal)
    return new Promise((resolve, reject) => {
      const own = waiting.get(owner) ?? new Set()
      const end = (): void => {
        all.delete(mine)
        own.delete(mine)
        if (own.size === 0) waiting.delete(owner)
      }
      const mine = {
        begin() {
          end()
          // Moves behind the others.
          if (waiting.delete(owner)) waiting.set(owner, own)
          resolve()
        },
        fail(reason: unknown) {
          end()
          reject(reason)
        },
      }
      all.add(mine)
      waiting.set(owner, own.add(mine))
    })
  }

  #waitingFor(signal: AbortSignal): Set<Waiting> {
    const known = this.#waiting.get(signal)
    if (known !== undefined) return known
    const all = new Set<Waiting>()
    this.#waiting.set(signal, all)
    const failAll = (): void => {
      this.#waiting.delete(signal)
      for (const one of [...all]) one.fail(signal.reason)
    }
    signal.addEventListener('abort', failAll, { once: true })
    return all
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
    const line: Line = { running: 0, waiting: new Map(), begins: [] }
    this.#lines.set(name, line)
    return line
  }

  #dropIdle(): void {
    const before = this.#clock.now() - 1000
    for (const [name, { running, begins }] of this.#lines)
      if (running === 0 && (begins.at(-1) ?? 0) < before) this.#lines.delete(name)
  }
}

/** Gives the place of the leaving caller to the first that waits. */
function leave(line: Line): void {
  const [next] = line.waiting.values()
  const [first] = next ?? []
  if (first === undefined) line.running--
  else first.begin()
}

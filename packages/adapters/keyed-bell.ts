import type { Clock } from '#packages/ports/clock.ts'
import { Bell } from './bell.ts'

/** A bell for each thing that is waited for. */
export class KeyedBell {
  readonly #bells = new Map<string, Bell>()

  /** Whether anybody waits. */
  get waitedFor(): boolean {
    return this.#bells.size > 0
  }

  ring(key: string): void {
    const bell = this.#bells.get(key)
    this.#bells.delete(key)
    bell?.ring()
  }

  ringAll(): void {
    for (const key of [...this.#bells.keys()]) this.ring(key)
  }

  async wait(key: string, signal: AbortSignal): Promise<void> {
    const bell = this.#bells.get(key) ?? new Bell()
    this.#bells.set(key, bell)
    await bell.wait(signal)
    if (bell.waiting === 0 && this.#bells.get(key) === bell) this.#bells.delete(key)
  }
}

export type Watched<T> = {
  bell: KeyedBell
  key: string
  read(): T
  enough(value: T): boolean
}

export type Patience = {
  clock: Clock
  timeoutMs: number
  /** Ends the wait early. */
  signal?: AbortSignal | undefined
  /** Asked at every ring: true ends the wait. */
  closed(): boolean
}

/**
 * Reads at every ring until the value is enough, the time is over or the wait is ended; gives what was read last.
 * (No AbortSignal.any here: Node keeps what it makes for as long as its sources live, and these waits are many.)
 */
export async function readUntil<T>(watched: Watched<T>, { clock, timeoutMs, signal, closed }: Patience): Promise<T> {
  const { bell, key, read, enough } = watched
  let value = read()
  if (enough(value) || timeoutMs <= 0 || signal?.aborted) return value
  const end = new AbortController()
  const over = (): void => end.abort()
  signal?.addEventListener('abort', over)
  // Rejected only by the abort below.
  const timer = clock.sleep(timeoutMs, end.signal).then(over, () => undefined)
  try {
    while (!enough(value) && !end.signal.aborted) {
      await bell.wait(key, end.signal)
      if (closed()) break
      value = read()
    }
  } finally {
    signal?.removeEventListener('abort', over)
    end.abort()
    await timer
  }
  return value
}

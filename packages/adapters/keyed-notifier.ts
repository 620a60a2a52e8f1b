import type { Clock } from '#packages/ports/clock.ts'
import { Notifier } from './notifier.ts'

/** A notifier for each key. */
export class KeyedNotifier {
  readonly #notifiers = new Map<string, Notifier>()

  /** Whether there are waiters. */
  get waitedFor(): boolean {
    return this.#notifiers.size > 0
  }

  notify(key: string): void {
    const notifier = this.#notifiers.get(key)
    this.#notifiers.delete(key)
    notifier?.notify()
  }

  notifyAll(): void {
    for (const key of [...this.#notifiers.keys()]) this.notify(key)
  }

  async wait(key: string, signal: AbortSignal): Promise<void> {
    const notifier = this.#notifiers.get(key) ?? new Notifier()
    this.#notifiers.set(key, notifier)
    await notifier.wait(signal)
    if (notifier.waiting === 0 && this.#notifiers.get(key) === notifier) this.#notifiers.delete(key)
  }
}

export type Wait<T> = {
  notifier: KeyedNotifier
  key: string
  read(): T
  enough(value: T): boolean
  clock: Clock
  timeoutMs: number
  /** Ends the wait early. */
  signal?: AbortSignal | undefined
  /** Called at every notification: true ends the wait. */
  closed(): boolean
}

/**
 * Reads at every notification until the value is enough, the time is over or the wait is ended. Returns the last value.
 * (It avoids AbortSignal.any: Node keeps such signals for as long as their sources live, and there are many waits.)
 */
export async function readUntil<T>(wait: Wait<T>): Promise<T> {
  const { notifier, key, read, enough, clock, timeoutMs, signal, closed } = wait
  let value = read()
  if (enough(value) || timeoutMs <= 0 || signal?.aborted) return value
  const end = new AbortController()
  const over = (): void => end.abort()
  signal?.addEventListener('abort', over)
  // Only the abort below rejects it.
  const timer = clock.sleep(timeoutMs, end.signal).then(over, () => undefined)
  try {
    while (!enough(value) && !end.signal.aborted) {
      await notifier.wait(key, end.signal)
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

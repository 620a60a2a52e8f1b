import { setImmediate } from 'node:timers/promises'
import type { Clock } from '#packages/ports/clock.ts'

type Sleeper = { at: number; wake: () => void }

/** Runs everything that is ready to run. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) await setImmediate()
}

/** A clock that a test moves. */
export class ManualClock implements Clock {
  #now: number
  readonly #sleepers = new Set<Sleeper>()

  constructor(now = Date.UTC(2026, 10, 21, 12)) {
    this.#now = now
  }

  now(): number {
    return this.#now
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason)
        return
      }
      const onAbort = (): void => {
        this.#sleepers.delete(sleeper)
        reject(signal?.reason)
      }
      const wake = (): void => {
        this.#sleepers.delete(sleeper)
        signal?.removeEventListener('abort', onAbort)
        resolve()
      }
      const sleeper: Sleeper = { at: this.#now + Math.max(0, ms), wake }
      this.#sleepers.add(sleeper)
      signal?.addEventListener('abort', onAbort, { once: true })
    })
  }

  /** Moves time on by `ms` milliseconds. Wakes sleepers in order, and lets each do its work. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms
    await settle()
    for (let next = this.#nextBefore(end); next !== undefined; next = this.#nextBefore(end)) {
      this.#now = Math.max(this.#now, next.at)
      next.wake()
      await settle()
    }
    this.#now = end
  }

  /**
   * Moves time on at once, as if the machine had been asleep: every sleeper that is due by then wakes up late, and
   * once.
   */
  async jump(ms: number): Promise<void> {
    this.#now += ms
    await this.advance(0)
  }

  #nextBefore(end: number): Sleeper | undefined {
    const due = [...this.#sleepers].filter(({ at }) => at <= end)
    return due.reduce<Sleeper | undefined>((first, one) => (first && first.at <= one.at ? first : one), undefined)
  }
}

import { Notifier } from './notifier.ts'

/** A value that changes. A follower sees the newest value, and may miss those in between. */
export class Newest<T> {
  #value: { is: T } | undefined
  readonly #changes = new Notifier()

  set(value: T): void {
    this.#value = { is: value }
    this.#changes.notify()
  }

  /** The value once there is one, and after each change, until the signal is aborted. */
  async *follow(signal: AbortSignal): AsyncIterable<T> {
    let seen: unknown
    while (!signal.aborted) {
      const value = this.#value
      if (value === undefined || value === seen) {
        await this.#changes.wait(signal)
        continue
      }
      seen = value
      yield value.is
    }
  }
}

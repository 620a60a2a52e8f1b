import TinyQueue from 'tinyqueue'

/** Something that is to happen. */
export type Appointment = { at: number; order: number; act: (() => void) | undefined }

/** Lets everything that is ready to run, run: an immediate comes when no microtask is left. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Virtual time. It moves on only when nothing is left that could run now. */
export class Scheduler {
  /** Milliseconds since 1970: what an exact clock would show. */
  now: number
  readonly start: number
  #order = 0
  readonly #queue = new TinyQueue<Appointment>([], (one, other) => one.at - other.at || one.order - other.order)

  constructor(start: number) {
    this.now = start
    this.start = start
  }

  /** Does something after `ms` milliseconds. Taking `act` away from what is returned cancels it. */
  after(ms: number, act: () => void): Appointment {
    const appointment = { at: this.now + Math.max(0, Math.ceil(ms)), order: this.#order++, act }
    this.#queue.push(appointment)
    return appointment
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve))
  }

  /** Runs until `done` says so or `until` has come. Returns whether it was done. */
  async run(done: () => boolean, until: number): Promise<boolean> {
    await settle()
    while (!done()) {
      const next = this.#queue.pop()
      if (next === undefined) return false
      const { act } = next
      if (act === undefined) continue
      if (next.at > until) {
        this.#queue.push(next)
        this.now = until
        return false
      }
      this.now = next.at
      act()
      await settle()
    }
    return true
  }
}

import TinyQueue from 'tinyqueue'

/** A scheduled action. */
export type Appointment = { at: number; order: number; act: (() => void) | undefined }

/** After this many steps the run pauses for a turn of the event loop, in which Node notices unhandled rejections. */
const STEPS_PER_TURN = 50

/** Virtual time. It advances only when nothing is left that could run now. */
export class Scheduler {
  /** Milliseconds since 1970, as an exact clock would show. */
  now: number
  readonly start: number
  /** How much of the time was skipped, milliseconds. */
  skippedMs = 0
  #order = 0
  #steps = 0
  readonly #queue = new TinyQueue<Appointment>([], (one, other) => one.at - other.at || one.order - other.order)

  constructor(start: number) {
    this.now = start
    this.start = start
  }

  /** Runs `act` after `ms` milliseconds. Setting `act` of the result to undefined cancels it. */
  after(ms: number, act: () => void): Appointment {
    const appointment = { at: this.now + Math.max(0, Math.ceil(ms)), order: this.#order++, act }
    this.#queue.push(appointment)
    return appointment
  }

  /** Skips `ms` milliseconds, like a machine that sleeps: everything that is scheduled comes this much later. */
  skip(ms: number): void {
    this.now += ms
    this.skippedMs += ms
    for (const appointment of this.#queue.data) appointment.at += ms
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve))
  }

  /** Runs everything that is ready to run: a tick and an immediate come when no microtask is left. */
  #settle(): Promise<void> {
    const turn = this.#steps++ % STEPS_PER_TURN === 0
    return new Promise((resolve) => {
      if (turn) setImmediate(resolve)
      else process.nextTick(resolve)
    })
  }

  /** Runs until `done` returns true or `until` has come. Returns whether it was done. */
  async run(done: () => boolean, until: number): Promise<boolean> {
    await this.#settle()
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
      await this.#settle()
    }
    return true
  }
}

import type { Clock } from '#packages/ports/clock.ts'
import type { Appointment, Scheduler } from './scheduler.ts'

/** One life of a process, from its start until it ends. What it waits for when it dies never comes. */
export class Life {
  readonly name: string
  readonly scheduler: Scheduler
  /** Its clock, which has a constant error. */
  readonly clock: Clock
  /** Aborted when it is asked to stop. */
  readonly stopping = new AbortController()
  /** Aborted when it has died. */
  readonly death = new AbortController()
  #pausedUntil = 0

  constructor(name: string, scheduler: Scheduler, skewMs: number) {
    this.name = name
    this.scheduler = scheduler
    this.clock = {
      now: () => scheduler.now + skewMs,
      sleep: (ms, signal) => this.#sleep(ms, signal),
    }
  }

  get alive(): boolean {
    return !this.death.signal.aborted
  }

  get paused(): boolean {
    return this.scheduler.now < this.#pausedUntil
  }

  die(): void {
    this.death.abort()
  }

  /**
   * The end of the run. Until a source is aborted, Node keeps signals made by AbortSignal.any and their listeners in
   * memory.
   */
  end(): void {
    this.die()
    this.stopping.abort()
  }

  /** Nothing reaches it for this long; then everything does. */
  pause(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.scheduler.now + ms)
  }

  /** Something reaches it after `ms` milliseconds, if it lives then and as soon as it is awake. */
  deliver(ms: number, act: () => void): Appointment {
    const appointment = this.scheduler.after(ms, () => {
      if (!this.alive) return
      if (!this.paused) return act()
      const later = this.deliver(this.#pausedUntil - this.scheduler.now, () => act())
      appointment.act = undefined
      this.#postponed.set(appointment, later)
    })
    return appointment
  }

  readonly #postponed = new WeakMap<Appointment, Appointment>()

  #cancel(appointment: Appointment): void {
    for (let one: Appointment | undefined = appointment; one !== undefined; one = this.#postponed.get(one)) {
      one.act = undefined
    }
  }

  #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const onAbort = (): void => {
        this.#cancel(appointment)
        reject(signal?.reason)
      }
      const appointment = this.deliver(ms, () => {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      })
      signal?.addEventListener('abort', onAbort, { once: true })
    })
  }
}

import type { Logger } from './log.ts'

/** A possible cause of a held event loop: a request, by its route. The route may become known later. */
export type Section = { readonly route: string }

/** The loop counts as held if nothing else could run for longer than this, milliseconds. */
const HELD_MS = 100

/** The interval of the timer while there is work, milliseconds. */
const EVERY_MS = 25

/** The interval at rest, milliseconds. Each check wakes a sleeping process. A held loop is noticed late by as much. */
const REST_MS = 500

/** Without requests or other work for this long it rests, milliseconds. */
const RESTS_AFTER_MS = 1000

/** How much CPU time of this thread between two checks counts as other work, milliseconds. */
const WORK_MS = 10

/**
 * Logs what holds the event loop. A timer that fires late shows that something did. The suspects are the requests that
 * began, received their body or were answered since the timer last fired. Without any, it was background work.
 */
export class LoopMonitor implements Disposable {
  readonly #log: Logger
  readonly #restMs: number
  readonly #sections = new Set<Section>()
  #everyMs = 0
  #timer: NodeJS.Timeout | undefined
  #workedAt = Number.NEGATIVE_INFINITY
  #lookedAt = performance.now()
  #cpu = process.threadCpuUsage()

  constructor(log: Logger, restMs = REST_MS) {
    this.#log = log
    this.#restMs = restMs
    this.#lookEvery(this.#restMs)
  }

  /** Call it when work for this section begins, continues or ends. */
  note(section: Section): void {
    if (this.#everyMs === this.#restMs) {
      this.#look()
      this.#lookEvery(EVERY_MS)
    }
    this.#sections.add(section)
  }

  #lookEvery(ms: number): void {
    if (ms === this.#everyMs) return
    clearInterval(this.#timer)
    this.#everyMs = ms
    this.#timer = setInterval(() => this.#look(), ms).unref()
  }

  #look(): void {
    const now = performance.now()
    const cpu = process.threadCpuUsage()
    const cpuMs = Math.round((cpu.user + cpu.system - this.#cpu.user - this.#cpu.system) / 1000)
    const heldMs = Math.round(now - this.#lookedAt - this.#everyMs)
    if (heldMs > HELD_MS) {
      const routes = [...new Set(Array.from(this.#sections, ({ route }) => route || 'no route'))]
      // The processor time of the previous interval counts too. If `cpuMs` is much less than `heldMs`, this thread
      // waited for the disk or for a processor.
      this.#log.warn({ heldMs, cpuMs, everyMs: this.#everyMs, routes }, 'the event loop was held')
    }
    if (this.#sections.size > 0 || cpuMs >= WORK_MS) this.#workedAt = now
    this.#lookEvery(now - this.#workedAt < RESTS_AFTER_MS ? EVERY_MS : this.#restMs)
    this.#sections.clear()
    this.#lookedAt = now
    this.#cpu = cpu
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}

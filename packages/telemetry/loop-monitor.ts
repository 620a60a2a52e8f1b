import type { Logger } from './log.ts'

/** What may hold the event loop: a request, by its route. The route may become known later. */
export type Section = { readonly route: string }

export type LoopMonitorOptions = {
  /** The loop counts as held when nothing else could run for longer than this, milliseconds. */
  heldMs: number
  /** The interval of the timer, milliseconds. */
  everyMs: number
}

const defaults: LoopMonitorOptions = { heldMs: 100, everyMs: 25 }

/**
 * Logs what holds the event loop. A timer that fires late shows that something did; the suspects are the requests that
 * began, received their body or were answered since the timer last fired. Without any it was background work.
 */
export class LoopMonitor implements Disposable {
  readonly #log: Logger
  readonly #heldMs: number
  readonly #timer: NodeJS.Timeout
  readonly #sections = new Set<Section>()
  #lookedAt = performance.now()
  #cpu = process.threadCpuUsage()

  constructor(log: Logger, given: Partial<LoopMonitorOptions> = {}) {
    const { heldMs, everyMs } = { ...defaults, ...given }
    this.#log = log
    this.#heldMs = heldMs
    this.#timer = setInterval(() => this.#look(everyMs), everyMs).unref()
  }

  /** Call it when work for this begins, continues or ends. */
  note(section: Section): void {
    this.#sections.add(section)
  }

  #look(everyMs: number): void {
    const now = performance.now()
    const cpu = process.threadCpuUsage()
    const heldMs = Math.round(now - this.#lookedAt - everyMs)
    if (heldMs > this.#heldMs) {
      const used = cpu.user + cpu.system - this.#cpu.user - this.#cpu.system
      const routes = [...new Set(Array.from(this.#sections, ({ route }) => route || 'no route'))]
      // If `cpuMs` is much less, this thread waited for the disk or for a processor.
      this.#log.warn({ heldMs, cpuMs: Math.round(used / 1000), routes }, 'the event loop was held')
    }
    this.#sections.clear()
    this.#lookedAt = now
    this.#cpu = cpu
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}

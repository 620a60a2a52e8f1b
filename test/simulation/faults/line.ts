import type { Random } from '#test/doubles/random.ts'
import type { Life } from '../time/life.ts'
import type { World } from '../world.ts'
import { type Fault, type Latency, usualLatency } from './faults.ts'

export type CallKind = 'append' | 'read' | 'views' | 'publish'

const failureOf: Record<CallKind, Fault> = {
  append: 'append refused',
  read: 'read failed',
  views: 'views failed',
  publish: 'publication failed',
}

/** How a call over the line fares. */
type Fate = 'none' | 'refused' | 'late' | 'lost'

/**
 * An answer that never comes. Each call has its own, because a shared one would keep all its waiters, and their worlds,
 * in memory.
 */
const never = (): Promise<never> => new Promise(() => {})

/** How long a failed call delays its process, milliseconds: the longest pause before a call is repeated. */
const FAILED_CALL_COSTS_MS = 1500

/** The connection of one life of a process with its ports. Every call passes through it, and may be lost. */
export class Line {
  readonly life: Life
  readonly world: World
  readonly random: Random

  constructor(world: World, life: Life) {
    this.world = world
    this.life = life
    this.random = world.random.fork(life.name)
  }

  strikes(fault: Fault): boolean {
    return this.world.faults.strikes(fault, this.random)
  }

  /** Makes one call. `effect` is what it does at the other end. */
  call<T>(kind: CallKind, what: string, effect: () => Promise<T>): Promise<T> {
    const { life, world } = this
    if (!life.alive) return never()
    if (this.strikes('crash before a call')) return this.#crash(`before: ${what}`)
    const { there, back } = this.#latency()
    const fate = this.#fate(kind, what)
    return new Promise((resolve, reject) => {
      const refuse = (): void => this.#arrive(back, () => reject(new Error(`no answer: ${what}`)))
      const act = (): void => {
        if (fate === 'late') this.#later(effect)
        if (fate === 'refused' || fate === 'late' || world.record.isCutOff(life.name, kind)) {
          refuse()
          return
        }
        world.trace.add(life.name, what)
        const arrive = (tell: () => void): void => {
          if (life.alive && this.strikes('crash after a call')) void this.#crash(`after: ${what}`)
          else if (fate === 'lost') refuse()
          else this.#arrive(back, tell)
        }
        effect().then(
          (value) => arrive(() => resolve(value)),
          (error) => arrive(() => reject(error)),
        )
      }
      if (there === 0) act()
      else world.scheduler.after(there, act)
    })
  }

  /** A refused call takes effect all the same, when its caller no longer waits for it. */
  #later(effect: () => Promise<unknown>): void {
    this.world.scheduler.after(this.random.between(10, 3000), () => void effect().catch(() => undefined))
  }

  /** A call that cannot fail except by a crash before or after it. */
  async crashPoint(what: string): Promise<void> {
    if (!this.life.alive) return never()
    if (this.strikes('crash before a call')) return this.#crash(`before: ${what}`)
    if (this.strikes('crash after a call')) return this.#crash(`after: ${what}`)
  }

  /** Resolves `ms` milliseconds later, unless this life is over by then. */
  arrival(ms: number): Promise<void> {
    return new Promise((resolve) => this.#arrive(ms, resolve))
  }

  #arrive(ms: number, act: () => void): void {
    if (ms > 0 || this.life.paused) this.life.deliver(ms, act)
    else if (this.life.alive) act()
  }

  #latency(): Latency {
    // Calls of an ingress are slow more often, so that repeats of a request overtake one another.
    const times = this.life.name.startsWith('ingress') ? 8 : 1
    if (!this.world.faults.strikes('call slow', this.random, times)) return usualLatency(this.random)
    const slow = this.random.pick([50, 300, 1000, 4000])
    this.world.record.hinder(this.life.name, slow)
    return this.random.chance(0.5) ? { there: slow, back: 0 } : { there: 0, back: slow }
  }

  #fate(kind: CallKind, what: string): Fate {
    let fate: Fate = 'none'
    // In a blackout writes to the views fail often: the note of stuck jobs has to survive that.
    const times = kind === 'views' && this.world.settings.blackout ? 20 : 1
    if (this.world.faults.strikes(failureOf[kind], this.random, times)) fate = 'refused'
    else if (kind === 'append' && this.strikes('append late')) fate = 'late'
    else if (kind === 'append' && this.strikes('answer lost')) fate = 'lost'
    if (fate === 'none') return fate
    this.world.trace.add(this.life.name, `${fate}: ${what}`)
    this.world.record.hinder(this.life.name, FAILED_CALL_COSTS_MS)
    return fate
  }

  #crash(when: string): Promise<never> {
    this.world.trace.add(this.life.name, `crashes ${when}`)
    this.life.die()
    return never()
  }
}

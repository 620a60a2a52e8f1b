import type { Clock } from '#packages/ports/clock.ts'
import type { Views, ViewsRebuild } from '#packages/ports/views.ts'
import type { Generations } from './generations.ts'

type Parts = {
  generations: Generations
  clock: Clock
  /** How long a process may read the old ones after the switch, milliseconds. */
  staleAfterMs: number
  live: number
  next: number
  views: Views
}

/** A new generation of the views, built beside the live one. */
export class MongoRebuild implements ViewsRebuild {
  readonly views: Views
  readonly #parts: Parts
  #isLive = false

  constructor(parts: Parts) {
    this.views = parts.views
    this.#parts = parts
  }

  async takeOver(): Promise<boolean> {
    const { generations, clock, staleAfterMs, live, next } = this.#parts
    this.#isLive ||= await generations.replace(live, next)
    if (!this.#isLive) return false
    await clock.sleep(2 * staleAfterMs)
    await generations.remove((other) => other <= live)
    return true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.views[Symbol.asyncDispose]()
    const { generations, next } = this.#parts
    await generations.forgetBeside(next)
    if (!this.#isLive) await generations.remove((other) => other === next)
  }
}

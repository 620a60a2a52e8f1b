import { failures } from '#packages/domain/job/failure.ts'
import { PaceError } from '#packages/errors/pace-error.ts'
import { StepError } from '#packages/errors/step-error.ts'
import { LastHour, type PlatformMinutes } from '#packages/platforms/last-hour.ts'
import type { Clock } from '#packages/ports/clock.ts'

/** How the lookups of this process ended in the last hour. */
export class LookupHour {
  readonly #clock: Clock
  readonly #hour = new LastHour()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** @param failure undefined: it succeeded */
  count(platform: string | undefined, failure?: unknown): void {
    if (platform === undefined || failure instanceof PaceError) return
    const timedOut = failure instanceof DOMException && failure.name === 'TimeoutError'
    if (failure !== undefined && !timedOut && !(failure instanceof StepError)) return
    const isBad = timedOut || (failure instanceof StepError && !failures[failure.code].isPlatformAnswer)
    this.#hour.count(platform, this.#clock.now(), isBad)
  }

  parts(): PlatformMinutes[] {
    return this.#hour.parts(this.#clock.now())
  }
}

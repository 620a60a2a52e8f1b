import { failures } from '#packages/domain/job/failure.ts'
import { PaceError } from '#packages/errors/pace-error.ts'
import { StepError } from '#packages/errors/step-error.ts'
import type { Clock } from '#packages/ports/clock.ts'

const PART_MS = 5 * 60_000
const PARTS = 12

export type Ended = { ended: number; failed: number }

/** How the lookups of this process have gone in the last hour, by platform. */
export class LookupHour {
  readonly #clock: Clock
  readonly #parts = new Map<number, Map<string, Ended>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** @param failure undefined: it has succeeded */
  count(platform: string | undefined, failure?: unknown): void {
    if (platform === undefined || failure instanceof PaceError) return
    const timedOut = failure instanceof DOMException && failure.name === 'TimeoutError'
    if (failure !== undefined && !timedOut && !(failure instanceof StepError)) return
    const isBad = timedOut || (failure instanceof StepError && !failures[failure.code].isPlatformAnswer)
    const number = Math.floor(this.#clock.now() / PART_MS)
    for (const old of this.#parts.keys()) if (old <= number - PARTS) this.#parts.delete(old)
    const part = this.#parts.get(number) ?? new Map<string, Ended>()
    const { ended, failed } = part.get(platform) ?? { ended: 0, failed: 0 }
    part.set(platform, { ended: ended + 1, failed: failed + (isBad ? 1 : 0) })
    this.#parts.set(number, part)
  }

  of(platform: string): Ended {
    const oldest = Math.floor(this.#clock.now() / PART_MS) - PARTS
    const parts = [...this.#parts].flatMap(([number, part]) => (number > oldest ? (part.get(platform) ?? []) : []))
    return {
      ended: parts.reduce((sum, { ended }) => sum + ended, 0),
      failed: parts.reduce((sum, { failed }) => sum + failed, 0),
    }
  }
}

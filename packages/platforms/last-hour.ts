/**
 * How reads of a platform ended in the five minutes after an instant. `failed`: reads that failed at the platform, or
 * on the way to it.
 */
export type PlatformMinutes = { platform: string; from: number; ended: number; failed: number }

const PART_MS = 5 * 60_000
const HOUR_MS = 60 * 60_000

/** How reads of each platform ended in the last hour, in slots of five minutes. Instants are milliseconds. */
export class LastHour {
  readonly #parts = new Map<string, PlatformMinutes>()

  /** Continues from saved slots. */
  restore(parts: readonly PlatformMinutes[]): void {
    for (const part of parts) this.#parts.set(keyOf(part), { ...part })
  }

  count(platform: string, at: number, isFailure: boolean): void {
    const fresh = { platform, from: at - (at % PART_MS), ended: 0, failed: 0 }
    const part = this.#parts.get(keyOf(fresh)) ?? fresh
    part.ended++
    if (isFailure) part.failed++
    this.#parts.set(keyOf(part), part)
  }

  parts(now: number): PlatformMinutes[] {
    for (const [key, { from }] of this.#parts) if (from + PART_MS <= now - HOUR_MS) this.#parts.delete(key)
    return [...this.#parts.values()].map((part) => ({ ...part }))
  }
}

const keyOf = ({ platform, from }: PlatformMinutes): string => `${platform} ${from}`

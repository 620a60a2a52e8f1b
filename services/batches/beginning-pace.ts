import type { Clock } from '#packages/ports/clock.ts'

/** The most items of one organization in progress at once. */
export const MOST_AT_WORK = 20

/**
 * How many items of each organization may begin. The rate per minute is that of heavy requests; the first begins at
 * once.
 */
export class BeginningPace {
  readonly #clock: Clock
  readonly #tokens = new Map<string, { left: number; at: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** @param perMinute items that may begin in a minute */
  room(orgId: string, perMinute: number): number {
    const now = this.#clock.now()
    const { left, at } = this.#tokens.get(orgId) ?? { left: MOST_AT_WORK, at: now }
    const filled = Math.min(MOST_AT_WORK, left + ((now - at) / 60_000) * perMinute)
    this.#tokens.set(orgId, { left: filled, at: now })
    return Math.floor(filled)
  }

  take(orgId: string, count: number): void {
    const tokens = this.#tokens.get(orgId)
    if (tokens !== undefined) tokens.left -= count
  }

  /** Forgets organizations that have no open batch. */
  keepOnly(isThere: (orgId: string) => boolean): void {
    for (const orgId of this.#tokens.keys()) if (!isThere(orgId)) this.#tokens.delete(orgId)
  }
}

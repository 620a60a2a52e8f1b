import { failures, isFailureCode } from '#packages/domain/job/failure.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'

/** How long an organization counts as failing after such a failure, milliseconds. */
const FAILING_MS = 5 * 60_000

/** The organizations with a recent job failure of our own making, folded from the feed. */
export class FailingOrganizations {
  readonly #clock: Clock
  /** When the last such job of each organization failed, milliseconds since 1970. Latest last. */
  readonly #failedAt = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Applies one event. */
  apply(event: StoredEvent): void {
    if (event.type !== 'JobFailed') return
    const { orgId, code } = event.data
    if (!isFailureCode(code) || !failures[code].isOurs) return
    this.#failedAt.delete(orgId)
    this.#failedAt.set(orgId, event.recordedAt)
    this.#forget()
  }

  get size(): number {
    this.#forget()
    return this.#failedAt.size
  }

  #forget(): void {
    const oldest = this.#clock.now() - FAILING_MS
    for (const [orgId, failedAt] of this.#failedAt) {
      if (failedAt > oldest) return
      this.#failedAt.delete(orgId)
    }
  }
}

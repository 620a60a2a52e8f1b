import { failures, isFailureCode } from '#packages/domain/job/failure.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'

/** An organization counts as failing for so long after such a failure. */
const FAILING_MS = 5 * 60_000

/** The organizations with a job that has failed lately by a fault of ours, folded from the feed. */
export class FailingOrganizations {
  readonly #clock: Clock
  /** By organization, when its last such job failed, milliseconds since 1970: the latest comes last. */
  readonly #failedAt = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Takes in one event. */
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

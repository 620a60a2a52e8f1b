import type { Following } from '#packages/event-sourcing/following.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { RefusedError } from '#packages/ports/unreachable.ts'
import type { Logger } from '#packages/telemetry/log.ts'

/** One thing that a service cannot work without. */
export type Dependency = {
  /** What it is, in words: `the event store`. */
  name: string
  /** Resolves when it answers, with what is wrong with it in words, or with nothing. @throws it does not answer */
  look(): Promise<string | undefined>
}

/** An answer serves everybody who asks within this time: `/ready` may be asked by anybody. */
const VALID_MS = 1000

/** Who answers later does not answer. */
const ANSWER_WITHIN_MS = 2000

/** A follower may be this far behind for a moment, under load. */
const MAY_BE_BEHIND_MS = 5000

/** Whether a service can do its work now, and what is wrong where it cannot. */
export class Readiness {
  readonly #clock: Clock
  readonly #log: Logger
  readonly #dependencies: readonly Dependency[]
  #last: { problems: Promise<string[]>; askedAt: number } | undefined

  constructor({ clock, log }: { clock: Clock; log: Logger }, dependencies: readonly Dependency[]) {
    this.#clock = clock
    this.#log = log
    this.#dependencies = dependencies
  }

  /** In words; none where it is ready. */
  problems(): Promise<string[]> {
    const now = this.#clock.now()
    if (this.#last === undefined || now - this.#last.askedAt >= VALID_MS)
      this.#last = { problems: this.#look(), askedAt: now }
    return this.#last.problems
  }

  async #look(): Promise<string[]> {
    const looks = await Promise.all(this.#dependencies.map((dependency) => this.#lookAt(dependency)))
    return looks.filter((problem) => problem !== undefined)
  }

  async #lookAt({ name, look }: Dependency): Promise<string | undefined> {
    const end = new AbortController()
    const late = this.#clock.sleep(ANSWER_WITHIN_MS, end.signal).then(
      () => `${name} does not answer`,
      () => undefined,
    )
    try {
      return await Promise.race([look(), late])
    } catch (error) {
      // Its message may tell an address; the log is for operators, this answer for anybody.
      this.#log.warn({ err: error, dependency: name }, 'something that is needed does not answer')
      return error instanceof RefusedError ? error.message : `${name} does not answer`
    } finally {
      end.abort()
    }
  }
}

/** A follower as something that is needed. */
export const caughtUp = (name: string, following: Following): Dependency => ({
  name: `the follower ${name}`,
  async look() {
    const { behindMs } = following
    if (behindMs === undefined || behindMs < MAY_BE_BEHIND_MS) return undefined
    if (behindMs === Number.POSITIVE_INFINITY) return `the follower ${name} has not caught up with the events yet`
    return `the follower ${name} has been behind the events for ${Math.floor(behindMs / 1000)} s`
  },
})

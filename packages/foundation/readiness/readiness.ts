import type { FeedLag } from '#packages/events/store/feed-lag.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { RefusedError } from '#packages/ports/unreachable.ts'
import type { Logger } from '#packages/telemetry/log.ts'

/** Something that a service cannot work without. */
export type Dependency = {
  /** Its name in messages: `the event store`. */
  name: string
  /** Resolves when it answers: with its problem in words, or with undefined. @throws if it does not answer */
  look(): Promise<string | undefined>
}

/** An external problem, for operators. The service still works. */
export type Warning = {
  /** The code for monitoring, such as `speech_endpoint_failing`. */
  code: string
  /** In words, without an address: `/ready` is public. */
  message: string
}

/** An external service that may have problems. It knows them without a check. */
export type Warned = { readonly warnings: readonly Warning[] }

/** How long a result is reused, milliseconds: `/ready` is public. */
const VALID_MS = 1000

/** A dependency that takes longer than this counts as not answering, milliseconds. */
const ANSWER_WITHIN_MS = 2000

/** How far a follower may be behind for a moment, under load, milliseconds. */
const MAY_BE_BEHIND_MS = 5000

/** Whether a service can do its work now, and the problems if it cannot. */
export class Readiness {
  readonly #clock: Clock
  readonly #log: Logger
  readonly #dependencies: readonly Dependency[]
  readonly #outside: readonly Warned[]
  readonly #lastAnswers = new Map<string, boolean>()
  #last: { problems: Promise<string[]>; askedAt: number } | undefined

  /** @param outside external services that may have problems without stopping this service */
  constructor(
    { clock, log }: { clock: Clock; log: Logger },
    dependencies: readonly Dependency[],
    outside: readonly Warned[] = [],
  ) {
    this.#clock = clock
    this.#log = log
    this.#dependencies = dependencies
    this.#outside = outside
  }

  /** The problems, in words; an empty list if the service is ready. */
  problems(): Promise<string[]> {
    const now = this.#clock.now()
    if (this.#last === undefined || now - this.#last.askedAt >= VALID_MS)
      this.#last = { problems: this.#look(), askedAt: now }
    return this.#last.problems
  }

  /** External problems; usually none. */
  get warnings(): Warning[] {
    return this.#outside.flatMap(({ warnings }) => warnings)
  }

  /** Whether each dependency, by its name, was free of problems in the last finished check. */
  get lastAnswers(): ReadonlyMap<string, boolean> {
    return this.#lastAnswers
  }

  async #look(): Promise<string[]> {
    const looks = await Promise.all(this.#dependencies.map((dependency) => this.#lookAt(dependency)))
    for (const [i, { name }] of this.#dependencies.entries()) this.#lastAnswers.set(name, looks[i] === undefined)
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
      // The message may contain an address: it goes to the log, for operators, and not into the public answer.
      this.#log.warn({ err: error, dependency: name }, 'a dependency does not answer')
      return error instanceof RefusedError ? error.message : `${name} does not answer`
    } finally {
      end.abort()
    }
  }
}

/** A follower as a dependency. */
export const caughtUp = (name: string, lag: FeedLag): Dependency => ({
  name: `the follower ${name}`,
  async look() {
    const { behindMs } = lag
    if (behindMs === undefined || behindMs < MAY_BE_BEHIND_MS) return undefined
    if (behindMs === Number.POSITIVE_INFINITY) return `the follower ${name} has not caught up with the events yet`
    return `the follower ${name} has been behind the events for ${Math.floor(behindMs / 1000)} s`
  },
})

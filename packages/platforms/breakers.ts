import { BrokenCircuitError, CircuitState, ConsecutiveBreaker, circuitBreaker, handleWhen } from 'cockatiel'
import { LRUCache } from 'lru-cache'
import type { Exit } from '#packages/egress/exits.ts'
import { StepError } from '#packages/errors/step-error.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { SocialPlatform } from './url-family.ts'

/** A platform that refuses to answer one of our exit addresses, for operators. */
export type BlockedExit = {
  platform: SocialPlatform
  exit: string
  /** `open`: not asked at all; `half-open`: being tried again. */
  state: 'open' | 'half-open'
  /** ISO 8601, UTC. */
  since: string
}

export type BreakerOptions = {
  clock: Clock
  log: Logger
  /** Refusals in a row that open a breaker. */
  refusals?: number
  /** How long an open one asks nothing, milliseconds. */
  restMs?: number
}

/** More exit addresses than these are not remembered: proxies with sessions have one for each job. */
const MAX_BREAKERS = 1000

/** Says that the platform, not the video, is in the way. */
const isRefusal = (error: unknown): boolean =>
  error instanceof StepError &&
  (error.code === 'platform_blocked' || (error.code === 'upstream_error' && error.transient))

/**
 * Circuit breakers, one for each platform and exit address: a platform that refuses one of them is left alone there for
 * a while, and nowhere else.
 */
export class Breakers {
  readonly #options: BreakerOptions
  readonly #breakers: LRUCache<string, Breaker>

  constructor(options: BreakerOptions) {
    this.#options = options
    this.#breakers = new LRUCache({ max: MAX_BREAKERS })
  }

  /** @throws what the work throws; StepError transient `platform_blocked` while the breaker is open */
  async run<T>(platform: SocialPlatform, exit: Exit, work: () => Promise<T>): Promise<T> {
    const breaker = this.#of(platform, exit.address)
    try {
      return await breaker.policy.execute(work)
    } catch (error) {
      if (!(error instanceof BrokenCircuitError)) throw error
      const retryAfterSeconds = Math.ceil((this.#options.restMs ?? REST_MS) / 1000)
      throw new StepError('platform_blocked', { transient: true, retryAfterSeconds, cause: error })
    }
  }

  /** Who refuses us now. */
  blocked(): BlockedExit[] {
    return [...this.#breakers.values()].flatMap(({ platform, exit, policy, since }) => {
      if (policy.state === CircuitState.Closed) return []
      const state = policy.state === CircuitState.HalfOpen ? 'half-open' : 'open'
      return { platform, exit, state, since: new Date(since()).toISOString() }
    })
  }

  #of(platform: SocialPlatform, exit: string): Breaker {
    const key = `${platform} ${exit}`
    const known = this.#breakers.get(key)
    if (known) return known
    const breaker = createBreaker(platform, exit, this.#options)
    this.#breakers.set(key, breaker)
    return breaker
  }
}

const REST_MS = 30_000

type Breaker = ReturnType<typeof createBreaker>

function createBreaker(platform: SocialPlatform, exit: string, { clock, log, refusals = 5, restMs }: BreakerOptions) {
  let since = clock.now()
  const breaker = new ConsecutiveBreaker(refusals)
  const policy = circuitBreaker(handleWhen(isRefusal), { breaker, halfOpenAfter: restMs ?? REST_MS })
  policy.onBreak(() => {
    since = clock.now()
    log.warn({ platform, exit }, 'a platform refuses this exit address; it is left alone for a while')
  })
  policy.onReset(() => log.info({ platform, exit }, 'the platform answers this exit address again'))
  return { platform, exit, policy, since: () => since }
}

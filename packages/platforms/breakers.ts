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
const MAX_EXITS = 1000
/** Nor more organizations at one of them. */
const MAX_ORGANIZATIONS = 100
/** Organizations that a platform must refuse before it is left alone for all: URLs of one may be made to be refused. */
const MANY = 2

/** Says that the platform, not the video, is in the way. */
const isRefusal = (error: unknown): boolean =>
  error instanceof StepError &&
  (error.code === 'platform_blocked' || (error.code === 'upstream_error' && error.transient))

/**
 * Circuit breakers, one for each platform, exit address and organization: a platform that refuses an organization at one
 * address is left alone there for a while, by others too once it refuses a second one, and nowhere else.
 */
export class Breakers {
  readonly #options: BreakerOptions
  /** By platform and exit address, then by organization. */
  readonly #exits: LRUCache<string, LRUCache<string, Breaker>>

  constructor(options: BreakerOptions) {
    this.#options = options
    this.#exits = new LRUCache({ max: MAX_EXITS })
  }

  /** @throws what the work throws; StepError transient `platform_blocked` while the breaker is open */
  async run<T>(platform: SocialPlatform, by: By, work: () => Promise<T>): Promise<T> {
    const { address, organization = 'operators' } = by
    const all = this.#at(platform, address)
    if ([...all.values()].filter((breaker) => this.#rests(breaker)).length >= MANY) throw this.#leftAlone()
    const breaker = all.get(organization) ?? createBreaker(platform, address, this.#options)
    all.set(organization, breaker)
    try {
      return await breaker.policy.execute(work)
    } catch (error) {
      throw error instanceof BrokenCircuitError ? this.#leftAlone(error) : error
    }
  }

  #leftAlone(cause?: Error): StepError {
    const retryAfterSeconds = Math.ceil((this.#options.restMs ?? REST_MS) / 1000)
    return new StepError('platform_blocked', { transient: true, retryAfterSeconds, ...(cause && { cause }) })
  }

  /** Open, and not yet to be tried again. */
  #rests({ policy, since }: Breaker): boolean {
    const { clock, restMs = REST_MS } = this.#options
    return policy.state === CircuitState.Open && clock.now() - since() < restMs
  }

  /** Who refuses us now. */
  blocked(): BlockedExit[] {
    return [...this.#exits.values()].flatMap((all) => {
      const [first] = [...all.values()]
        .filter(({ policy }) => policy.state !== CircuitState.Closed)
        .toSorted((a, b) => a.since() - b.since())
      if (!first) return []
      const { platform, exit, policy, since } = first
      const state = policy.state === CircuitState.HalfOpen ? 'half-open' : 'open'
      return { platform, exit, state, since: new Date(since()).toISOString() }
    })
  }

  #at(platform: SocialPlatform, exit: string): LRUCache<string, Breaker> {
    const key = `${platform} ${exit}`
    const known = this.#exits.get(key) ?? new LRUCache<string, Breaker>({ max: MAX_ORGANIZATIONS })
    this.#exits.set(key, known)
    return known
  }
}

/** By which way out, and for whom; undefined: an operator. */
type By = Pick<Exit, 'address'> & { organization?: string | undefined }

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

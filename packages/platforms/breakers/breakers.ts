import { LRUCache } from 'lru-cache'
import type { EgressRoute } from '#packages/egress/egress-routes.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { Way } from '../platform-definition.ts'
import type { SocialPlatform } from '../registry.ts'
import { isPlatformAnswer, PlatformRefusal } from './platform-refusal.ts'
import { OPERATORS, RefusalRow } from './refusal-row.ts'

/** A platform that refuses to answer one of our exit addresses. Operators see it. */
export type BlockedRoute = {
  platform: SocialPlatform
  exit: string
  /** The way of reading that is refused there. The other way may still be answered. */
  way: Way
  /**
   * `open`: only recently answered organizations make single requests. `half-open`: single requests of any
   * organization test whether the platform answers again.
   */
  state: 'open' | 'half-open'
  /** ISO 8601, UTC. */
  since: string
}

export type BreakerOptions = {
  clock: Clock
  log: Logger
  /** Whether the organization is established. Only its refusals may open a breaker for others. */
  isEstablished: (organization: string) => Promise<boolean>
  /** How many different videos must be refused in a row to open a breaker. */
  refusals?: number
  /** How long an open breaker refuses requests, milliseconds. */
  restMs?: number
}

/** A request to a platform, as breakers see it. */
export type Asked = Pick<EgressRoute, 'address'> & {
  /** Default: `yt-dlp`. Searches and profiles use its breaker too. */
  way?: Way
  /** Undefined for a request by an operator. */
  organization?: string | undefined
  /**
   * The requested video or profile: repeated refusals of the same one count once. Undefined for a search: its outcome
   * says nothing about videos or profiles.
   */
  subject?: string
}

/** The most exit addresses in memory. Proxies with sessions have one per job. */
const MAX_EXITS = 1000

/**
 * A breaker is dropped after this long without a new refusal, milliseconds. A second way is seldom used, and would stay
 * listed for ever.
 */
const KNOWN_MS = 600_000

/**
 * For how long after its last answer an organization may make requests while a breaker is open for all, milliseconds.
 */
const LATELY_MS = 600_000
const MAX_ANSWERED = 10_000

/**
 * Circuit breakers, one per platform, exit address and way of reading. A breaker opens for an organization after the
 * platform refused it several different videos in a row. It opens for all organizations once three established ones, or
 * an operator, were refused in this way. One answer of the platform closes it. Until then, organizations that were
 * answered recently continue, with one request at a time. They pause only for their own refusals.
 */
export class Breakers {
  readonly #clock: Clock
  readonly #log: Logger
  readonly #refusals: number
  readonly #restMs: number
  readonly #isEstablished: BreakerOptions['isEstablished']
  /** When an organization was last answered, milliseconds since 1970, by platform, exit address, way and organization. */
  readonly #answeredAt = new LRUCache<string, number>({ max: MAX_ANSWERED })
  /** By platform, exit address and way. An answer removes the entry. */
  readonly #standings = new LRUCache<string, Standing>({ max: MAX_EXITS })

  constructor({ clock, log, isEstablished, refusals = 5, restMs = 30_000 }: BreakerOptions) {
    this.#clock = clock
    this.#log = log
    this.#isEstablished = isEstablished
    this.#refusals = refusals
    this.#restMs = restMs
  }

  /** @throws what the work throws; StepError transient `platform_blocked` while the breaker is open */
  async run<T>(platform: SocialPlatform, asked: Asked, work: () => Promise<T>): Promise<T> {
    const key = keyOf(platform, asked)
    const organization = asked.organization ?? OPERATORS
    const row = this.#knownOf(key)?.row
    const now = this.#clock.now()
    const open = row?.openFor(organization, now, this.#readsWell(key, organization))
    if (open !== undefined) throw leftAlone(open - now)
    const ended = row?.tries(organization)
    try {
      const result = await work()
      if (asked.subject !== undefined) {
        this.#answered(key)
        this.#answeredAt.set(`${key} ${organization}`, this.#clock.now())
      }
      return result
    } catch (error) {
      if (asked.subject !== undefined) await this.#failed(platform, asked, error)
      throw error
    } finally {
      ended?.()
    }
  }

  /** The platforms that refuse us now, each with the exit address. */
  blocked(): BlockedRoute[] {
    const now = this.#clock.now()
    const known = [...this.#standings.values()].filter(this.#isKnown)
    return known.flatMap(({ platform, exit, way, row }) => {
      const since = row.openSince
      if (since === undefined) return []
      return [
        { platform, exit, way, state: row.isResting(now) ? 'open' : 'half-open', since: new Date(since).toISOString() },
      ]
    })
  }

  readonly #isKnown = ({ refusedAt }: Standing): boolean => this.#clock.now() - refusedAt < KNOWN_MS

  #knownOf(key: string): Standing | undefined {
    const standing = this.#standings.get(key)
    return standing && this.#isKnown(standing) ? standing : undefined
  }

  #readsWell(key: string, organization: string): boolean {
    const answeredAt = this.#answeredAt.get(`${key} ${organization}`)
    return answeredAt !== undefined && this.#clock.now() - answeredAt < LATELY_MS
  }

  #answered(key: string): void {
    const standing = this.#standings.get(key)
    if (standing === undefined) return
    this.#standings.delete(key)
    const { platform, exit, way, row } = standing
    if (row.openSince !== undefined)
      this.#log.info({ platform, exit, way }, 'the platform answers this exit address again')
  }

  async #failed(platform: SocialPlatform, asked: Asked, error: unknown): Promise<void> {
    const { address: exit, way = 'yt-dlp', organization = OPERATORS, subject = '' } = asked
    const key = keyOf(platform, asked)
    if (error instanceof StepError && isPlatformAnswer(error)) this.#answered(key)
    if (!(error instanceof PlatformRefusal)) return
    // if the age of an organization is unknown, its refusals count for itself alone
    const isEstablished = organization !== OPERATORS && (await this.#isEstablished(organization).catch(() => false))
    const now = this.#clock.now()
    const row = this.#knownOf(key)?.row ?? new RefusalRow(this.#refusals, this.#restMs)
    this.#standings.set(key, { platform, exit, way, row, refusedAt: now })
    const opened = row.add({ organization, subject, isEstablished }, now)
    if (opened !== undefined)
      this.#log.warn(
        { platform, exit, way, for: opened },
        'a platform refuses this exit address; requests to it pause for a while',
      )
  }
}

type Standing = Pick<BlockedRoute, 'platform' | 'exit' | 'way'> & { row: RefusalRow; refusedAt: number }

const keyOf = (platform: SocialPlatform, { address, way = 'yt-dlp' }: Asked): string => `${platform} ${way} ${address}`

function leftAlone(ms: number): StepError {
  return new StepError('platform_blocked', { transient: true, retryAfterSeconds: Math.max(1, Math.ceil(ms / 1000)) })
}

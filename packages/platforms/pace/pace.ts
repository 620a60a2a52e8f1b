import type { EgressRoute } from '#packages/egress/egress-routes.ts'
import { PaceError } from '#packages/foundation/errors/pace-error.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { RATE_WINDOW_SECONDS, type RateCounter, type RateCounters } from '#packages/ports/rate-counters.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import { OPERATORS } from '../breakers/refusal-row.ts'
import type { Reading } from '../reading/reading.ts'
import type { SocialPlatform } from '../registry.ts'
import { WaitingLine } from './waiting-line.ts'

/** Reads of each platform that may begin in a minute at one exit address. 0: no limit. */
export type ReadsPerMinute = Readonly<Record<SocialPlatform, number>>

export type PaceOptions = {
  clock: Clock
  telemetry: Telemetry
  /** For this process alone. */
  counters: RateCounters
  readsPerMinute: ReadsPerMinute
}

/** The exit through which a platform is read. */
type Exit = Pick<EgressRoute, 'address' | 'hasSession'>

/** The reads at one exit: those that wait, and what the counter reported for the current minute. */
type Lane = { line: WaitingLine; counted: number; endsAt: number; deciding: Promise<unknown> }

const MINUTE_MS = RATE_WINDOW_SECONDS * 1000
/** The longest wait of a read. Callers wait for it, and jobs hold a slot that others need. */
const MAX_WAIT_MS = 5_000
/** How long the place of a job that was sent away is kept after its turn, milliseconds. */
const KEPT_MS = 10_000
/** The most places kept in one line. Further jobs rejoin at the end when they return. */
const MAX_WAITING = 1_000

/**
 * How often this process reads each platform from each exit address. Organizations take turns. Exits with
 * sessions have no pace: there every job has its own address.
 */
export class Pace {
  readonly #options: PaceOptions
  readonly #counter: RateCounter
  /** The lanes by platform and exit address. There are few, because only exits without sessions have a pace. */
  readonly #lanes = new Map<string, Lane>()

  constructor(options: PaceOptions) {
    this.#options = options
    this.#counter = options.counters('pace')
  }

  /** Reads when it is the reading's turn. @throws PaceError if that is too late; what the read throws */
  async run<T>(platform: SocialPlatform, exit: Exit, reading: Reading, read: () => Promise<T>): Promise<T> {
    const perMinute = this.#paceAt(platform, exit)
    if (perMinute !== undefined) await this.#turn(platform, exit, perMinute, reading)
    return read()
  }

  /** How long another read of the organization would wait for its turn now, seconds. */
  waitSeconds(platform: SocialPlatform, exit: Exit, organization: string): number {
    const perMinute = this.#paceAt(platform, exit)
    if (perMinute === undefined) return 0
    const lane = this.#lane(platform, exit)
    return this.#waitMs(lane, perMinute, organization) / 1000
  }

  /** How many reads of a platform wait, including those of jobs that were sent away. */
  waiting(platform: SocialPlatform): number {
    const now = this.#options.clock.now()
    const ours = [...this.#lanes].filter(([key]) => key.startsWith(`${platform} `))
    return ours.reduce((sum, [, { line }]) => sum + line.size(now), 0)
  }

  /** Reads per minute. Undefined: no pace. */
  #paceAt(platform: SocialPlatform, { hasSession }: Exit): number | undefined {
    return hasSession ? undefined : this.#options.readsPerMinute[platform] || undefined
  }

  async #turn(platform: SocialPlatform, exit: Exit, perMinute: number, reading: Reading): Promise<void> {
    const { clock, telemetry } = this.#options
    const { owner, organization = OPERATORS, comesBackUntil = 0, isOptional = false, onWait, signal } = reading
    const most = isOptional ? Math.ceil(perMinute / 2) : perMinute
    const lane = this.#lane(platform, exit)
    try {
      for (;;) {
        const waitMs = await this.#decide(lane, `${platform} ${exit.address}`, most, [organization, owner])
        if (waitMs === 0) break
        lane.line.join(organization, owner, clock.now() + waitMs + KEPT_MS)
        if (isOptional || waitMs > MAX_WAIT_MS) throw new PaceError(waitMs)
        onWait?.(true)
        await clock.sleep(waitMs, signal).finally(() => onWait?.(false))
      }
    } catch (error) {
      const now = clock.now()
      const backAt = error instanceof PaceError ? now + error.retryAfterSeconds * 1000 : Number.POSITIVE_INFINITY
      const keepsPlace = backAt < comesBackUntil && lane.line.size(now) <= MAX_WAITING
      if (!keepsPlace) lane.line.leave(organization, owner)
      if (error instanceof PaceError) telemetry.add(metrics.paceRefused, 1, { [names.platform]: platform })
      throw error
    }
  }

  /** Counts the read if its turn has come. One decision at a time, so that each knows the previous count. */
  #decide(lane: Lane, key: string, perMinute: number, [organization, owner]: [string, string]): Promise<number> {
    const { clock } = this.#options
    const decided = lane.deciding.then(async () => {
      const waitMs = this.#waitMs(lane, perMinute, organization, owner)
      if (waitMs > 0) return waitMs
      const { counted, endsInMs } = await this.#counter.count(key, perMinute)
      Object.assign(lane, { counted, endsAt: clock.now() + endsInMs })
      if (counted > perMinute) return endsInMs
      lane.line.begin(organization, owner)
      return 0
    })
    // a counter that failed once must not refuse every read after it
    lane.deciding = decided.catch(() => {})
    return decided
  }

  /**
   * The time until a read's turn.
   * @param owner undefined for a read that does not wait yet.
   * @returns milliseconds; 0: it is its turn
   */
  #waitMs({ line, counted, endsAt }: Lane, perMinute: number, organization: string, owner?: string): number {
    const now = this.#options.clock.now()
    const isOver = now >= endsAt
    if (isOver) line.newMinute()
    const left = isOver ? perMinute : Math.max(0, perMinute - counted)
    const ahead = line.ahead(organization, owner, now)
    if (ahead < left) return 0
    return (isOver ? MINUTE_MS : endsAt - now) + Math.floor((ahead - left) / perMinute) * MINUTE_MS
  }

  #lane(platform: SocialPlatform, { address }: Exit): Lane {
    const key = `${platform} ${address}`
    const lane = this.#lanes.get(key) ?? {
      line: new WaitingLine(),
      counted: 0,
      endsAt: 0,
      deciding: Promise.resolve(),
    }
    this.#lanes.set(key, lane)
    return lane
  }
}

import { mostUnpaid, UNPAID_WORK } from '#packages/domain/job/unpaid.ts'
import {
  type DailyUseDocument,
  dayOf,
  nothingUsed,
  nothingUsedByOne,
  type OrganizationUseDocument,
  organizationUseId,
} from '#packages/events/views/daily-use.ts'
import { TtlCache } from '#packages/foundation/concurrency/ttl-cache.ts'
import { ServiceError } from '#packages/foundation/errors/service-error.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Views } from '#packages/ports/views.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import type { JobRequest } from './job-request.ts'

/** The operator's limit on how much of a paid resource the jobs of one day may use. */
type Cap = {
  variable: string
  most: number
  usedOf(use: DailyUseDocument): number
  /** Whether a job may use the resource. */
  concerns(request: JobRequest): boolean
  usedUp: string
  /** The sentence that says which jobs are still accepted. Empty if there are none. */
  still: string
}

const DAY_MS = 24 * 60 * 60 * 1000

/** The configured caps. */
function capsOf({ speechMinutesPerDay, llmTokensPerDay }: CapOptions): Cap[] {
  const caps: Cap[] = []
  if (llmTokensPerDay !== undefined)
    caps.push({
      variable: 'LLM_TOKENS_PER_DAY',
      most: llmTokensPerDay,
      usedOf: ({ tokens }) => tokens,
      concerns: ({ kind }) => kind === 'extraction',
      usedUp: "The language model's tokens for today are used up",
      still: '',
    })
  if (speechMinutesPerDay !== undefined)
    caps.push({
      variable: 'SPEECH_MINUTES_PER_DAY',
      most: speechMinutesPerDay * 60,
      usedOf: ({ speechSeconds }) => speechSeconds,
      // A job does not know in advance whether a video has captions. Without them, every mode but `native` transcribes
      // speech.
      concerns: ({ mode }) => mode !== 'native',
      usedUp: 'The speech-to-text for today is used up',
      still: ' Transcripts of captions are still made, with mode "native".',
    })
  return caps
}

export type CapOptions = {
  /**
   * The minutes of sound transcribed in a day (UTC) above which jobs that may need more are refused. Undefined: no cap.
   */
  speechMinutesPerDay: number | undefined
  /** Tokens of the language model in a day (UTC), above which extractions are refused. Undefined: no cap. */
  llmTokensPerDay: number | undefined
  /**
   * The share of each cap that one organization may use up; 1 is all of it. Undefined: half if others have used the
   * same in the last days, else all.
   */
  capSharePerOrganization: number | undefined
  /** How long the usage of a day is cached, milliseconds. */
  staleAfterMs: number
}

/** A limit that a day has reached. `name`: for the log, once a day for each organization. */
type Reached = {
  name: string
  usedUp: string
  /** As for a cap. */
  still: string
  used: number
  most: number
  /** The organization that the limit is for. Undefined: all organizations together. */
  orgId?: string
}

/** Organizations with a cached usage of the day. */
const CACHED_ORGANIZATIONS = 10_000

/** The share of a cap that one organization may use up if others use it. */
const SHARE_BESIDE_OTHERS = 0.5

/** Days within which others must have used a resource to keep half of it. */
const DAYS_OF_OTHERS = 7

/** The part of a cap that the unpaid jobs of one organization may use up. */
const UNPAID_PART = 0.1

/**
 * Limits per day (UTC) for jobs that use paid services: the operator's daily caps, one organization's share of them,
 * and one organization's unpaid jobs, which are limited even without caps. They refuse new jobs once the work of the
 * day has reached them. Jobs that were accepted before go on, so a day may exceed a limit by the work under way.
 */
export class DailyCaps {
  readonly #clock: Clock
  readonly #log: Logger
  readonly #caps: readonly Cap[]
  readonly #share: number | undefined
  readonly #uses: TtlCache<DailyUseDocument>
  readonly #organizationUses: TtlCache<OrganizationUseDocument>
  /** The limits that were logged as reached on one day. */
  #logged = { day: '', names: new Set<string>() }

  constructor({ views, clock, log }: { views: Views; clock: Clock; log: Logger }, options: CapOptions) {
    this.#clock = clock
    this.#log = log
    this.#caps = capsOf(options)
    this.#share = options.capSharePerOrganization
    const readFrom =
      <Use extends DailyUseDocument>(collection: string, nothing: Use) =>
      async (id: string): Promise<Use> => {
        try {
          return (await views.get<Use>(collection, id)) ?? nothing
        } catch (error) {
          log.warn({ err: error }, 'the use of the day cannot be read: the daily caps refuse nobody')
          return nothing
        }
      }
    const ttlMs = options.staleAfterMs
    this.#uses = new TtlCache(clock, readFrom('dailyUse', nothingUsed), { ttlMs, maxEntries: 2 * DAYS_OF_OTHERS })
    this.#organizationUses = new TtlCache(clock, readFrom('organizationUse', nothingUsedByOne), {
      ttlMs,
      maxEntries: CACHED_ORGANIZATIONS,
    })
  }

  /**
   * The request in the form that may be accepted now. If its organization has used up its unpaid jobs of the day,
   * mode "auto" is limited to captions.
   * @throws ServiceError unavailable: a limit that this job may add to is reached; `Retry-After` is the end of the
   *   day
   */
  async admit(request: JobRequest, orgId: string): Promise<JobRequest> {
    if (request.mode === 'native') return request
    const now = this.#clock.now()
    const day = dayOf(now)
    const caps = this.#caps.filter(({ concerns }) => concerns(request))
    const own = await this.#organizationUses.get(organizationUseId(orgId, day))
    const reached = (await this.#wholeReached(caps, day)) ?? (await this.#shareReached(caps, own, orgId, now))
    if (reached !== undefined) throw this.#refusal(reached, now)
    const unpaid = unpaidReached(caps, own, orgId)
    if (unpaid === undefined) return request
    const refusal = this.#refusal(unpaid, now)
    if (request.mode !== 'auto') throw refusal
    return { ...request, mode: 'native' }
  }

  async #wholeReached(caps: readonly Cap[], day: string): Promise<Reached | undefined> {
    if (caps.length === 0) return undefined
    const use = await this.#uses.get(day)
    const cap = caps.find(({ most, usedOf }) => usedOf(use) >= most)
    if (cap === undefined) return undefined
    const { variable: name, still, most } = cap
    return { name, usedUp: `${cap.usedUp} (${name})`, still, used: cap.usedOf(use), most }
  }

  async #shareReached(
    caps: readonly Cap[],
    own: OrganizationUseDocument,
    orgId: string,
    now: number,
  ): Promise<Reached | undefined> {
    for (const { variable: name, still, usedOf, ...cap } of caps) {
      const used = usedOf(own)
      const most = cap.most * (this.#share ?? SHARE_BESIDE_OTHERS)
      if (used < most) continue
      if (this.#share === undefined && !(await this.#isUsedByOthers(usedOf, orgId, now))) continue
      return { name, usedUp: `${cap.usedUp} (${name}, the share of one organization)`, still, used, most, orgId }
    }
    return undefined
  }

  /** Called only for an organization that has used much itself. */
  async #isUsedByOthers(usedOf: Cap['usedOf'], orgId: string, now: number): Promise<boolean> {
    for (let back = 0; back < DAYS_OF_OTHERS; back++) {
      const day = dayOf(now - back * DAY_MS)
      const [all, own] = await Promise.all([
        this.#uses.get(day),
        this.#organizationUses.get(organizationUseId(orgId, day)),
      ])
      if (usedOf(all) > usedOf(own)) return true
    }
    return false
  }

  /** Logs a reached limit, once a day for each organization. */
  #refusal({ name, usedUp, still, used, most, orgId }: Reached, now: number): ServiceError {
    const day = dayOf(now)
    if (this.#logged.day !== day) this.#logged = { day, names: new Set() }
    if (!this.#logged.names.has(`${name} ${orgId ?? ''}`)) {
      this.#logged.names.add(`${name} ${orgId ?? ''}`)
      const what = orgId === undefined ? 'a daily cap is reached' : 'an organization has used up its part of the day'
      this.#log.warn({ cap: name, most, used, day, orgId }, `${what}: jobs are refused`)
    }
    const resetAt = (Math.floor(now / DAY_MS) + 1) * DAY_MS
    const from = new Date(resetAt).toISOString().replace('.000Z', 'Z')
    const message = `${usedUp}; there is more from ${from} on.${still} Nothing was charged.`
    return new ServiceError('unavailable', message, { retryAfterSeconds: Math.ceil((resetAt - now) / 1000) })
  }
}

/** The unpaid jobs of an organization: their number, and their usage of the caps. */
function unpaidReached(
  caps: readonly Cap[],
  { unpaidJobs: used, chargedJobs, unpaid }: OrganizationUseDocument,
  orgId: string,
): Reached | undefined {
  const still = ' Mode "auto" and "native" still make transcripts of captions.'
  const most = mostUnpaid(chargedJobs)
  if (used >= most) return { name: 'unpaid jobs', usedUp: `${UNPAID_WORK}, ${used} today`, still, used, most, orgId }
  const cap = caps.find(({ most, usedOf }) => usedOf(unpaid) >= most * UNPAID_PART)
  if (cap === undefined) return undefined
  const usedUp = `${UNPAID_WORK} (${cap.variable}, the part for them)`
  const name = `${cap.variable}, unpaid`
  return { name, usedUp, still, used: cap.usedOf(unpaid), most: cap.most * UNPAID_PART, orgId }
}

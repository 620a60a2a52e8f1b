import { ServiceError } from '#packages/errors/service-error.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Views } from '#packages/ports/views.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { type DailyUseDocument, dayOf, nothingUsed, organizationUseId } from '#packages/views/daily-use.ts'
import { TtlCache } from '#packages/work/ttl-cache.ts'
import type { JobRequest } from './job-request.ts'

/** The operator's limit on how much of a paid resource the jobs of one day may use. */
type Cap = {
  variable: string
  most: number
  usedOf(use: DailyUseDocument): number
  /** Whether a job may use the resource. */
  concerns(request: JobRequest): boolean
  usedUp: string
  /** The sentence that says which jobs are still accepted; empty where there are none. */
  still: string
}

const DAY_MS = 24 * 60 * 60 * 1000

/** The caps that are set. */
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
      // Whether a video has captions is not known before its job: all but `native` fall back on speech without them.
      concerns: ({ mode }) => mode !== 'native',
      usedUp: 'The speech-to-text for today is used up',
      still: ' Transcripts of captions are still made, with mode "native".',
    })
  return caps
}

export type CapOptions = {
  /** Minutes of sound transcribed in a day (UTC) after which jobs that may need more are refused; undefined: no cap. */
  speechMinutesPerDay: number | undefined
  /** Tokens to and from the language model in a day (UTC) after which extractions are refused; undefined: no cap. */
  llmTokensPerDay: number | undefined
  /** The part of each cap that one organization may use up; 1: all of it. */
  capSharePerOrganization: number
  /** How long the use of a day is cached, milliseconds. */
  staleAfterMs: number
}

/** A cap that a day has reached, or its share of one organization. */
type Reached = { cap: Cap; most: number; used: number; orgId?: string }

/** Organizations whose use of a day is cached. */
const CACHED_ORGANIZATIONS = 10_000

/**
 * The operator's daily caps. They refuse new jobs once the work of this day (UTC) has reached a cap, and those of an
 * organization whose work has reached its share of it. Jobs that were accepted before go on, so a day may exceed its cap
 * by the work under way. Without a cap nothing is read, and use by organization only where one may not use up all.
 */
export class DailyCaps {
  readonly #clock: Clock
  readonly #log: Logger
  readonly #caps: readonly Cap[]
  readonly #share: number
  readonly #uses: TtlCache<DailyUseDocument>
  readonly #organizationUses: TtlCache<DailyUseDocument>
  /** What was logged as reached on one day. */
  #told = { day: '', names: new Set<string>() }

  constructor({ views, clock, log }: { views: Views; clock: Clock; log: Logger }, options: CapOptions) {
    this.#clock = clock
    this.#log = log
    this.#caps = capsOf(options)
    this.#share = options.capSharePerOrganization
    const readFrom = (collection: string) => async (id: string) => {
      try {
        return (await views.get<DailyUseDocument>(collection, id)) ?? nothingUsed
      } catch (error) {
        log.warn({ err: error }, 'the use of the day cannot be read: the daily caps refuse nobody')
        return nothingUsed
      }
    }
    const ttlMs = options.staleAfterMs
    this.#uses = new TtlCache(clock, readFrom('dailyUse'), { ttlMs, maxEntries: 2 })
    this.#organizationUses = new TtlCache(clock, readFrom('organizationUse'), {
      ttlMs,
      maxEntries: CACHED_ORGANIZATIONS,
    })
  }

  /** @throws ServiceError unavailable: a cap that this job may add to is reached; `Retry-After` is the end of the day */
  async assertLeft(request: JobRequest, orgId: string): Promise<void> {
    const concerned = this.#caps.filter(({ concerns }) => concerns(request))
    if (concerned.length === 0) return
    const now = this.#clock.now()
    const reached = await this.#reached(concerned, dayOf(now), orgId)
    if (reached === undefined) return
    this.#tell(reached, dayOf(now))
    throw refusal(reached, now)
  }

  async #reached(caps: readonly Cap[], day: string, orgId: string): Promise<Reached | undefined> {
    const use = await this.#uses.get(day)
    const whole = caps.find(({ most, usedOf }) => usedOf(use) >= most)
    if (whole !== undefined) return { cap: whole, most: whole.most, used: whole.usedOf(use) }
    if (this.#share >= 1) return undefined
    const own = await this.#organizationUses.get(organizationUseId(orgId, day))
    const cap = caps.find(({ most, usedOf }) => usedOf(own) >= most * this.#share)
    return cap && { cap, most: cap.most * this.#share, used: cap.usedOf(own), orgId }
  }

  /** Logs a reached cap once a day, and the share of an organization once a day. */
  #tell({ cap: { variable }, most, used, orgId }: Reached, day: string): void {
    const name = `${variable} ${orgId ?? ''}`
    if (this.#told.day !== day) this.#told = { day, names: new Set() }
    if (this.#told.names.has(name)) return
    this.#told.names.add(name)
    const what = orgId === undefined ? 'a daily cap is reached' : 'an organization has used up its share of a daily cap'
    this.#log.warn({ cap: variable, most, used, day, orgId }, `${what}: jobs are refused`)
  }
}

function refusal({ cap: { variable, usedUp, still }, orgId }: Reached, now: number): ServiceError {
  const resetAt = (Math.floor(now / DAY_MS) + 1) * DAY_MS
  const from = new Date(resetAt).toISOString().replace('.000Z', 'Z')
  const why = orgId === undefined ? variable : `${variable}, the share of one organization`
  const message = `${usedUp} (${why}); there is more from ${from} on.${still} Nothing was charged.`
  return new ServiceError('unavailable', message, { retryAfterSeconds: Math.ceil((resetAt - now) / 1000) })
}

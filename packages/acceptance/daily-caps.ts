import { ServiceError } from '#packages/errors/service-error.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Views } from '#packages/ports/views.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { type DailyUseDocument, dayOf, nothingUsed } from '#packages/views/daily-use.ts'
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
  /** How long the use of a day is cached, milliseconds. */
  staleAfterMs: number
}

/**
 * The operator's daily caps. They refuse new jobs once the work of this day (UTC) has reached a cap. Jobs that were
 * accepted before go on, so a day may exceed its cap by the work under way. Without a cap nothing is read.
 */
export class DailyCaps {
  readonly #clock: Clock
  readonly #log: Logger
  readonly #caps: readonly Cap[]
  readonly #uses: TtlCache<DailyUseDocument>
  /** The day for which each cap was last logged as reached. */
  readonly #told = new Map<string, string>()

  constructor({ views, clock, log }: { views: Views; clock: Clock; log: Logger }, options: CapOptions) {
    this.#clock = clock
    this.#log = log
    this.#caps = capsOf(options)
    const read = async (day: string): Promise<DailyUseDocument> => {
      try {
        return (await views.get<DailyUseDocument>('dailyUse', day)) ?? nothingUsed
      } catch (error) {
        log.warn({ err: error }, 'the use of the day cannot be read: the daily caps refuse nobody')
        return nothingUsed
      }
    }
    this.#uses = new TtlCache(clock, read, { ttlMs: options.staleAfterMs, maxEntries: 2 })
  }

  /** @throws ServiceError unavailable: a cap that this job may add to is reached; `Retry-After` is the end of the day */
  async assertLeft(request: JobRequest): Promise<void> {
    const concerned = this.#caps.filter(({ concerns }) => concerns(request))
    if (concerned.length === 0) return
    const now = this.#clock.now()
    const use = await this.#uses.get(dayOf(now))
    const reached = concerned.find(({ most, usedOf }) => usedOf(use) >= most)
    if (reached === undefined) return
    this.#tell(reached, use, dayOf(now))
    throw refusal(reached, now)
  }

  /** Logs a reached cap once a day. */
  #tell({ variable, most, usedOf }: Cap, use: DailyUseDocument, day: string): void {
    if (this.#told.get(variable) === day) return
    this.#told.set(variable, day)
    this.#log.warn({ cap: variable, most, used: usedOf(use), day }, 'a daily cap is reached: jobs are refused')
  }
}

function refusal({ variable, usedUp, still }: Cap, now: number): ServiceError {
  const resetAt = (Math.floor(now / DAY_MS) + 1) * DAY_MS
  const from = new Date(resetAt).toISOString().replace('.000Z', 'Z')
  const message = `${usedUp} (${variable}); there is more from ${from} on.${still} Nothing was charged.`
  return new ServiceError('unavailable', message, { retryAfterSeconds: Math.ceil((resetAt - now) / 1000) })
}

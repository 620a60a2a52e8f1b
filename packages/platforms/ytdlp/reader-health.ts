import { StepError } from '#packages/errors/step-error.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Warned, Warning } from '#packages/readiness/readiness.ts'
import { Unanswered } from '#packages/readiness/unanswered.ts'
import type { SocialPlatform } from '../registry.ts'

/** One failure may be about the video that is asked for. */
const IN_A_ROW = 3

/** How yt-dlp stands, and the platforms as it reaches them. That a platform refuses us is told by its breakers. */
export class ReaderHealth implements Warned {
  readonly #clock: Clock
  readonly #ytdlp: Unanswered
  readonly #platforms = new Map<SocialPlatform, Unanswered>()

  constructor(clock: Clock) {
    this.#clock = clock
    this.#ytdlp = new Unanswered(clock, { code: 'ytdlp_failing', message: 'yt-dlp does not answer', inARow: IN_A_ROW })
  }

  get warnings(): Warning[] {
    return [this.#ytdlp, ...this.#platforms.values()].flatMap(({ warnings }) => warnings)
  }

  /** yt-dlp has answered. @param failure what it made of the platform's answer; undefined: what was asked for */
  answered(platform: SocialPlatform, failure?: StepError): void {
    this.#ytdlp.answered()
    if (failure?.code === 'platform_blocked') return
    const health = this.#platform(platform)
    if (failure?.code === 'upstream_error') health.failed(failure.code)
    else health.answered()
  }

  /** yt-dlp has not answered. @param error of its pool, or the reason for which nobody waits any more */
  failed(error: unknown): void {
    if (error instanceof StepError && error.code === 'internal_error') this.#ytdlp.failed(error.code)
  }

  #platform(platform: SocialPlatform): Unanswered {
    const known = this.#platforms.get(platform)
    if (known !== undefined) return known
    const message = `${platform} does not answer yt-dlp`
    const health = new Unanswered(this.#clock, { code: 'platform_unanswered', message, inARow: IN_A_ROW })
    this.#platforms.set(platform, health)
    return health
  }
}

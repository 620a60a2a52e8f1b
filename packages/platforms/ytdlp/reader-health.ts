import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { Warned, Warning } from '#packages/foundation/readiness/readiness.ts'
import { Unanswered } from '#packages/foundation/readiness/unanswered.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { SocialPlatform } from '../registry.ts'

/** How many failures in a row make a problem. A single one may be due to the requested video. */
const IN_A_ROW = 3

/** Problems of yt-dlp, and of the platforms as yt-dlp reaches them. The breakers report platforms that refuse us. */
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

  /** yt-dlp answered. @param failure the meaning of the platform's answer; undefined: it had the requested data */
  answered(platform: SocialPlatform, failure?: StepError): void {
    this.#ytdlp.answered()
    if (failure?.code === 'platform_blocked') return
    const health = this.#platform(platform)
    if (failure?.code === 'upstream_error') health.failed(failure.code)
    else health.answered()
  }

  /** yt-dlp did not answer. @param error of its pool, or the reason why callers no longer wait */
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

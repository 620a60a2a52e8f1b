import type { Clock } from '#packages/ports/clock.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import type { SocialPlatform } from '../registry.ts'
import { loggedWarning, meaningOf, type WarningMeaning } from './warnings.ts'

/** A platform that withheld captions recently, for `/ready`. */
export type Withholding = { platform: SocialPlatform; last: Date; remedy: string }

/** How long a platform counts as withholding captions after it last did, milliseconds. */
const WITHHOLDS_MS = 3_600_000

/** The advice for operators about each kind of warning. Other kinds are only counted. */
const logged: Partial<Record<WarningMeaning, string>> = {
  captions_withheld: 'a platform holds captions back',
  captions_unread: 'captions of a platform could not be read',
  account: 'yt-dlp warns of an account',
  setup: 'yt-dlp warns of this installation',
  unknown: 'yt-dlp warns of something that this service does not know',
}

type Options = { clock: Clock; log: Logger; telemetry: Telemetry; hasPotService: boolean }

/** Classifies every warning of yt-dlp: counts all, and logs those for operators. */
export class WarningLog {
  readonly #options: Options
  readonly #withheldAt = new Map<SocialPlatform, number>()

  constructor(options: Options) {
    this.#options = options
  }

  /** @param url of the video: its id is not logged */
  note(platform: SocialPlatform, url: string, warnings: readonly string[]): void {
    for (const warning of warnings) {
      const meaning = meaningOf(warning)
      const text = loggedWarning(warning, url)
      if (meaning === 'captions_withheld') this.noteWithheld(platform, text)
      // the check of the real platforms shows warnings with a reason: something new
      else this.#note(platform, meaning, meaning === 'unknown' ? { reason: text } : { warning: text })
    }
  }

  /** Records that the platform withheld captions. @param warning in a form that may be logged */
  noteWithheld(platform: SocialPlatform, warning: string): void {
    this.#withheldAt.set(platform, this.#options.clock.now())
    this.#note(platform, 'captions_withheld', { warning, remedy: this.#remedy })
  }

  /** The platforms that withheld captions recently. */
  get withholding(): Withholding[] {
    const since = this.#options.clock.now() - WITHHOLDS_MS
    return [...this.#withheldAt].flatMap(([platform, at]) =>
      at < since ? [] : [{ platform, last: new Date(at), remedy: this.#remedy }],
    )
  }

  #note(platform: SocialPlatform, meaning: WarningMeaning, about: object): void {
    const { log, telemetry } = this.#options
    telemetry.add(metrics.readerWarnings, 1, { [names.platform]: platform, [names.meaning]: meaning })
    const message = logged[meaning]
    if (message !== undefined) log.warn({ platform, ...about }, message)
  }

  get #remedy(): string {
    return this.#options.hasPotService
      ? 'see whether the service at YOUTUBE_POT_URL answers and is of the version of its plugin'
      : 'set YOUTUBE_POT_URL to a service that makes proof tokens'
  }
}

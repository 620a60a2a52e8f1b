import type { Clock } from '#packages/ports/clock.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import type { SocialPlatform } from '../registry.ts'
import { loggedWarning, meaningOf, type WarningMeaning } from './warnings.ts'

/** A platform that held captions back lately, for `/ready`. */
export type Withholding = { platform: SocialPlatform; last: Date; remedy: string }

/** So long after a platform last held captions back it counts as doing so, milliseconds. */
const WITHHOLDS_MS = 3_600_000

/** What an operator can do about each; the others are only counted. */
const logged: Partial<Record<WarningMeaning, string>> = {
  captions_withheld: 'a platform holds captions back',
  captions_unread: 'captions of a platform could not be read',
  account: 'yt-dlp warns of an account',
  setup: 'yt-dlp warns of this installation',
  unknown: 'yt-dlp warns of something that this service does not know',
}

type Options = { clock: Clock; log: Logger; telemetry: Telemetry; hasPotService: boolean }

/** Decides on every warning of yt-dlp: all are counted, and those for operators logged. */
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
      const reason = loggedWarning(warning, url)
      if (meaning === 'captions_withheld') this.noteWithheld(platform, reason)
      else this.#note(platform, meaning, { reason })
    }
  }

  /** The platform held captions back. @param reason as it may be logged */
  noteWithheld(platform: SocialPlatform, reason: string): void {
    this.#withheldAt.set(platform, this.#options.clock.now())
    this.#note(platform, 'captions_withheld', { reason, remedy: this.#remedy })
  }

  /** The platforms that held captions back lately. */
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

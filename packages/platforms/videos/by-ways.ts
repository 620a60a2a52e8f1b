import { PaceError } from '#packages/errors/pace-error.ts'
import { StepError } from '#packages/errors/step-error.ts'
import { isPlatformAnswer } from '../breakers/platform-refusal.ts'
import type { SecondReader, Way } from '../platform-definition.ts'
import { CaptionsWithheld } from '../ytdlp/missing-parts.ts'
import { NoCaptionsError } from './no-captions-error.ts'

/** One way to read metadata and captions of a platform's videos. */
export type WayOfReading = { way: Way; reader: SecondReader }

/**
 * Reads by the first way, and by the second only where the first fails: yt-dlp because the platform refuses it, the
 * platform's own API for any reason, since yt-dlp may find what it does not. Whose turn has not come asks by neither:
 * both keep one pace.
 * @throws of two failures the one that is an answer about the video, else yt-dlp's
 */
export async function readByWays<T>(
  [first, second]: readonly WayOfReading[],
  read: (one: WayOfReading) => Promise<T>,
): Promise<T> {
  if (!first) throw new Error('there is no way to read')
  try {
    return await read(first)
  } catch (error) {
    if (!second || !isLeftToAnother(first.way, error)) throw error
    return read(second).catch((later) => {
      throw first.way === 'yt-dlp' ? tellingOf(error, later) : tellingOf(later, error)
    })
  }
}

const isLeftToAnother = (way: Way, error: unknown): boolean =>
  error instanceof StepError && !(error instanceof PaceError) && (way !== 'yt-dlp' || error.code === 'platform_blocked')

/** What to tell of the failures of yt-dlp and of the second way. */
const tellingOf = (ytdlp: unknown, second: unknown): unknown => {
  if (!(ytdlp instanceof StepError)) return ytdlp
  // yt-dlp has seen that there are some
  if (second instanceof NoCaptionsError && ytdlp instanceof CaptionsWithheld) return ytdlp
  if (!(second instanceof StepError)) return second
  return !isPlatformAnswer(ytdlp) && isPlatformAnswer(second) ? second : ytdlp
}

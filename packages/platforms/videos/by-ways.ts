import { PaceError } from '#packages/foundation/errors/pace-error.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { isPlatformAnswer } from '../breakers/platform-refusal.ts'
import type { SecondReader, Way } from '../platform-definition.ts'
import { CaptionsWithheld } from '../ytdlp/missing-parts.ts'

/** Ends a read of captions without caching anything: a video may get captions at any time. */
export class NoCaptionsError extends Error {}

/** One way to read metadata and captions of a platform's videos. */
export type WayOfReading = { way: Way; reader: SecondReader }

/**
 * Reads the first way, and the second only if the first fails. The second is used after yt-dlp only if the platform
 * refuses it; after the platform's own API, for any failure, since yt-dlp may find more. Both ways share one pace: a
 * read that must wait for its turn uses neither.
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

/** Chooses the failure to report: yt-dlp's, or that of the second way. */
const tellingOf = (ytdlp: unknown, second: unknown): unknown => {
  if (!(ytdlp instanceof StepError)) return ytdlp
  // the second way found no captions, but yt-dlp saw that there are some
  if (second instanceof NoCaptionsError && ytdlp instanceof CaptionsWithheld) return ytdlp
  if (!(second instanceof StepError)) return second
  return !isPlatformAnswer(ytdlp) && isPlatformAnswer(second) ? second : ytdlp
}

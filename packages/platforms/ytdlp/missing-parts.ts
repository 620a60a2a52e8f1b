import { StepError } from '#packages/foundation/errors/step-error.ts'
import { failureOfMessage } from './failure.ts'
import { type Lack, lacksOf, meaningOf } from './warnings.ts'

/**
 * The video has captions, and the platform withholds them, for example because we sent no proof token. No breaker
 * counts it, because the platform answers for the rest. Transient if another exit address may get them.
 */
export class CaptionsWithheld extends StepError {
  constructor(more: { transient?: boolean; cause?: unknown } = {}) {
    const message = 'The platform holds back the captions of the video from this service at the moment.'
    super('platform_blocked', { ...more, message })
  }
}

/** The error if captions that may exist are missing. */
export const captionsFailure = (lack: Lack): StepError =>
  lack === 'withheld'
    ? new CaptionsWithheld()
    : new StepError('upstream_error', { transient: true, message: 'The captions of the video could not be read.' })

/** The error if formats that may exist are missing. */
export const formatsMissing = (lack: Lack, cause?: unknown): StepError =>
  new StepError(lack === 'withheld' ? 'platform_blocked' : 'upstream_error', { transient: true, cause })

/**
 * The error for the last message of yt-dlp, or of our reader around it.
 * @param warnings earlier ones: parts that they report as missing may still exist in the video
 */
export function failureAfter(warnings: readonly string[], message: string, url: string): StepError {
  const failure = failureOfMessage(message, url)
  const { formats } = lacksOf(warnings)
  return formats !== null && NO_VIDEO.test(message) ? formatsMissing(formats, failure.cause) : failure
}

/** Whether a read of captions ended because the platform withholds them. */
export const isWithheld = (warnings: readonly string[], message: string): boolean =>
  EMPTY.test(message) || (GONE.test(message) && warnings.some((one) => meaningOf(one) === 'captions_withheld'))

const NO_VIDEO = /^reader: no video in the post/
/** The track was listed before, and no longer is. */
const GONE = /^reader: no such captions/
/** An empty body: YouTube sends it in place of captions if it wants a proof token. */
const EMPTY = /Did not get any data blocks/

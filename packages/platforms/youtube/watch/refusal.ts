import { StepError } from '#packages/foundation/errors/step-error.ts'
import { PlatformRefusal } from '../../breakers/platform-refusal.ts'
import type { Shape } from '../../reading/shape.ts'
import { failureOfMessage } from '../../ytdlp/failure.ts'
import { textOf } from './text-of.ts'

/**
 * Why the video does not play for an app. YouTube's words mean the same as in yt-dlp's failures. Undefined if it
 * plays.
 * @throws ShapeError
 */
export function refusalOf(player: Shape, id: string, url: string): StepError | undefined {
  const playability = player.required('object', 'playabilityStatus')
  if (playability.required('string', 'status') === 'OK') return unlike(player, id)
  if (playability.has('desktopLegacyAgeGateReason')) return new StepError('age_restricted')
  return failureOfMessage(reasonsOf(playability).join('. '), url)
}

/** YouTube shows a different video to addresses that it blocks. */
function unlike(player: Shape, id: string): StepError | undefined {
  if (player.optional('string', 'videoDetails', 'videoId') !== id)
    return new PlatformRefusal({ message: 'YouTube answers about another video.' })
  if (player.has('streamingData')) return undefined
  return new StepError('upstream_error', { transient: true, message: 'YouTube answers without streams.' })
}

/** The words of the refusal, in any of their places. */
function reasonsOf(playability: Shape): string[] {
  const screen = ['errorScreen', 'playerErrorMessageRenderer']
  const card = ['errorScreen', 'playerInterstitialRenderer', 'content', 'interstitialViewModel']
  const reasons = [
    textOf(playability, ...screen, 'reason') ?? playability.optional('string', 'reason'),
    textOf(playability, ...screen, 'subreason'),
    playability.optional('string', ...card, 'title', 'content'),
    playability.optional('string', ...card, 'description', 'content'),
  ]
  return reasons.filter((reason) => reason !== null)
}

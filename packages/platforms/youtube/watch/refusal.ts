import { StepError } from '#packages/errors/step-error.ts'
import type { Shape } from '../../reading/shape.ts'
import { failureOfMessage } from '../../ytdlp/failure.ts'
import { textOf } from './text-of.ts'

/**
 * Why the video does not play for an app, as the same words of YouTube mean for yt-dlp; undefined where it plays.
 * @throws ShapeError
 */
export function refusalOf(player: Shape, id: string, url: string): StepError | undefined {
  const playability = player.required('object', 'playabilityStatus')
  if (playability.required('string', 'status') === 'OK')
    return isWhole(player, id) ? undefined : new StepError('upstream_error', { transient: true, message: OTHER_VIDEO })
  if (playability.has('desktopLegacyAgeGateReason')) return new StepError('age_restricted')
  const screen = ['errorScreen', 'playerErrorMessageRenderer']
  const reason = textOf(playability, ...screen, 'reason') ?? playability.optional('string', 'reason')
  return failureOfMessage([reason, textOf(playability, ...screen, 'subreason')].filter(Boolean).join('. '), url)
}

const OTHER_VIDEO = 'YouTube answers about another video, or without its streams.'

/** To visitors whom it distrusts YouTube shows another video, or one without streams. */
const isWhole = (player: Shape, id: string): boolean =>
  player.optional('string', 'videoDetails', 'videoId') === id && player.has('streamingData')

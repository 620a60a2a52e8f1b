import type { EventData } from '#contracts/generated/events.ts'
import { type FailureCode, failureCodeOf } from './failure.ts'

/** Why captions that there may be could not be read; undefined where the video has none to use. */
export const unreadFor = ({ reason }: EventData['CaptionsUnavailable']): FailureCode | undefined =>
  reason === 'captions_unavailable' ? undefined : failureCodeOf(reason)

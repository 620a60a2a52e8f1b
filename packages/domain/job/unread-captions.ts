import type { EventData } from '#contracts/generated/events.ts'
import { type FailureCode, failureCodeOf } from './failure.ts'

/** Why captions that may exist could not be read; undefined if the video has none to use. */
export const unreadFor = ({ reason }: EventData['CaptionsUnavailable']): FailureCode | undefined =>
  reason === 'captions_unavailable' ? undefined : failureCodeOf(reason)

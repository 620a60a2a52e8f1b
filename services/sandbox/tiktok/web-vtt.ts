import type { CaptionTrack } from '../catalogue.ts'
import { timestamp } from '../films.ts'

/** A caption track in TikTok's format: two blank lines after the header. */
export const webVtt = ({ cues }: CaptionTrack): string =>
  `WEBVTT\n\n\n${cues.map(({ start, end, text }) => `${timestamp(start)} --> ${timestamp(end)}\n${text}\n`).join('\n')}`

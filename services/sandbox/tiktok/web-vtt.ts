import type { CaptionTrack } from '../catalogue.ts'

/** A caption track in TikTok's format: two blank lines after the header. */
export const webVtt = ({ cues }: CaptionTrack): string =>
  `WEBVTT\n\n\n${cues.map(({ start, end, text }) => `${clock(start)} --> ${clock(end)}\n${text}\n`).join('\n')}`

const clock = (seconds: number): string => new Date(Math.round(seconds * 1_000)).toISOString().slice(11, -1)

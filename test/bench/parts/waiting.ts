/** The times that users wait for: whole jobs on the sandbox, with the real yt-dlp and the real ffmpeg. */
import type { Bench, Figures, Part } from '../part.ts'
import { captionsRows } from './waiting/captions.ts'
import { recordingRow } from './waiting/recording.ts'
import { secondWayRow } from './waiting/second-way.ts'

const run = async (bench: Bench): Promise<Figures> => ({
  rows: [...(await captionsRows(bench)), await secondWayRow(bench), await recordingRow(bench)],
})

export const waiting: Part = { name: 'waiting', title: 'What users wait for', run }

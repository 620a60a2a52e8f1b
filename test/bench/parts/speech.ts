/**
 * Whisper as the service uses it, beside other engines in the same run on the same clips: the plain faster-whisper
 * library, whisper.cpp with the same weights, and pocketsphinx. Processor seconds count; wall times are those of a
 * machine that may have other work.
 */
import type { Bench, Figures, Part } from '../part.ts'
import { prepareRivals } from '../rivals/speech/speech-rival.ts'
import { clipRows } from './speech/clips.ts'
import { longRows } from './speech/long.ts'
import { sharedRows } from './speech/shared.ts'

async function run(bench: Bench): Promise<Figures> {
  await prepareRivals()
  return { rows: [...(await clipRows(bench)), ...(await longRows(bench)), ...(await sharedRows(bench))] }
}

export const speech: Part = { name: 'speech', title: 'Speech', run }

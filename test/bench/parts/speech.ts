/**
 * Whisper as the service uses it, compared with other engines in the same run on the same clips: the plain
 * faster-whisper library, whisper.cpp with the same weights, and pocketsphinx. Processor seconds decide. Wall times
 * include other work of the machine.
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

import { execFile } from 'node:child_process'
import { globSync, statSync } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { makeWav, readSpeech } from '#test/doubles/speech/recordings.ts'

const HEADER_BYTES = 44
const BYTES_PER_SECOND = 32_000
const PAUSE_SECONDS = 1
/** Shorter prompts say only a word or two. */
const MIN_GSM_BYTES = 5000

export const secondsOfWav = async (path: string): Promise<number> =>
  ((await stat(path)).size - HEADER_BYTES) / BYTES_PER_SECOND

/** A long recording, as WAV, and the seconds at which the first clip of `readSpeech` begins in it. */
export type Recording = { path: string; seconds: number; marks: number[] }

/**
 * A recording of English prompts (Asterisk's, from Debian) with the same clip at the given places. A quarter of an hour
 * of it has no repetition.
 */
export async function makeRecording(directory: string, seconds: number, marks: number[]): Promise<Recording> {
  const pause = Buffer.alloc(PAUSE_SECONDS * BYTES_PER_SECOND)
  const samplesOf = async (input: string): Promise<Buffer> => {
    const wav = await readFile(await makeWav(directory, 'prompt', ['-i', input]))
    return Buffer.concat([wav.subarray(HEADER_BYTES), pause])
  }
  const prompts: Buffer[] = []
  for (const path of promptFiles()) prompts.push(await samplesOf(path))
  const clip = await samplesOf(readSpeech()[0]?.path ?? '')
  const sound = Buffer.alloc(seconds * BYTES_PER_SECOND)
  let next = 0
  let at = 0
  for (const mark of [...marks, seconds + PAUSE_SECONDS]) {
    const end = mark * BYTES_PER_SECOND
    while (at < end) {
      const prompt = prompts[next++ % prompts.length] ?? pause
      if (at + prompt.length > end) break
      at += prompt.copy(sound, at)
    }
    if (mark >= seconds) break
    at = end + clip.copy(sound, end)
  }
  const raw = join(directory, 'recording.raw')
  await writeFile(raw, sound)
  const path = await makeWav(directory, `recording-${seconds}`, ['-f', 's16le', '-ar', '16000', '-ac', '1', '-i', raw])
  return { path, seconds, marks }
}

/** The recording as a website has it. @returns the path of the file */
export async function asM4a(directory: string, { path }: Recording): Promise<string> {
  const m4a = join(directory, 'recording.m4a')
  await promisify(execFile)('ffmpeg', ['-nostdin', '-v', 'error', '-y', '-i', path, '-c:a', 'aac', '-b:a', '64k', m4a])
  return m4a
}

/** Reorders files, so that neighbours, which say much the same, are far apart. */
function promptFiles(): string[] {
  const all = globSync('/usr/share/asterisk/sounds/en_*/**/*.gsm').filter((path) => statSync(path).size > MIN_GSM_BYTES)
  const spoken = all.filter((path) => !/silence|monkeys/.test(path)).toSorted()
  if (spoken.length === 0) throw new Error('the recorded voices are installed by ops/setup --dev')
  const step = 7
  return Array.from({ length: step }, (_, i) => spoken.filter((_path, place) => place % step === i)).flat()
}

import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { soundsIn } from './sounds.ts'

const run = promisify(execFile)
const librivox = '/usr/share/pocketsphinx/test/data/librivox'

/** The five clips of read speech in Debian's `pocketsphinx-testdata` (LibriVox, public domain). */
export function readSpeech(): { path: string; text: string }[] {
  if (!existsSync(librivox)) throw new Error('the spoken clips come from the Debian package pocketsphinx-testdata')
  const lines = readFileSync(join(librivox, 'transcription'), 'utf8').matchAll(/<s> (.+) <\/s> \((.+)\)/g)
  return [...lines].map(([, text = '', name]) => ({ path: join(librivox, `${name}.wav`), text }))
}

const wav = ['-ac', '1', '-ar', '16000', '-c:a', 'pcm_s16le', '-bitexact']

/** Runs ffmpeg to make a 16 kHz mono WAV in `directory`, and returns its path. */
export async function makeWav(directory: string, name: string, args: string[]): Promise<string> {
  const path = join(directory, `${name}.wav`)
  await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...args, ...wav, path])
  return path
}

/** Sound made from a description (`sine=f=440`) in the language of ffmpeg's `lavfi`. */
export const synthesized = (directory: string, name: string, description: string, seconds = 12): Promise<string> =>
  makeWav(directory, name, ['-f', 'lavfi', '-i', description, '-t', String(seconds)])

/**
 * The film of the demo: the clips with a second of silence after each. A filter of `worse` makes it harder to hear.
 * @param clips to use instead of those of the film
 * @returns its path
 */
export function spokenFilm(directory: string, name: string, filter = 'anull', clips = readSpeech()): Promise<string> {
  const padded = clips.map((_, i) => `[${i}]apad=pad_dur=1[p${i}]`).join(';')
  const all = clips.map((_, i) => `[p${i}]`).join('')
  const graph = `${padded};${all}concat=n=${clips.length}:v=0:a=1[c];[c]${filter}[out]`
  const inputs = clips.flatMap(({ path }) => ['-i', path])
  return makeWav(directory, name, [...inputs, '-filter_complex', graph, '-map', '[out]'])
}

/** Filters of ffmpeg that make speech hard to hear. */
export const worse = {
  'in pink noise': 'anull[v];anoisesrc=c=pink:r=16000:a=0.05:d=40[n];[v][n]amix=inputs=2:duration=first:normalize=0',
  'by telephone': 'highpass=300,lowpass=3400,aresample=8000,aresample=16000',
  'in an echoing room': 'aecho=0.8:0.7:40|90|170:0.4|0.3|0.2',
  '1.6 times as fast': 'atempo=1.6',
}

/**
 * The clips one after another with a pause of 1 to 3 s after each, repeated until `seconds` are full. Also where each
 * of its sounds starts and ends.
 */
export async function joinedSpeech(directory: string, seconds: number) {
  const clips = readSpeech().flatMap(({ path }) => ['-i', path])
  const padded = [0, 1, 2, 3, 4].map((i) => `[${i}]apad=pad_dur=${1 + (i % 3)}[p${i}]`).join(';')
  const joined = `${padded};[p0][p1][p2][p3][p4]concat=n=5:v=0:a=1[out]`
  const round = await makeWav(directory, 'round', [...clips, '-filter_complex', joined, '-map', '[out]'])
  const { seconds: length, sounds } = await soundsIn(round)
  const times = Math.ceil(seconds / length)
  const list = join(directory, 'rounds.txt')
  await writeFile(list, `file '${basename(round)}'\n`.repeat(times))
  const path = await makeWav(directory, 'joined', ['-f', 'concat', '-i', list, '-t', String(seconds)])
  const all = Array.from({ length: times }, (_, i) =>
    sounds.map(({ start, end }) => ({ start: start + i * length, end: Math.min(end + i * length, seconds) })),
  )
  return { path, sounds: all.flat().filter(({ start }) => start < seconds) }
}

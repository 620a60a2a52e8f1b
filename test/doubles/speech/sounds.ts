import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The folder of results that earlier processes found: most tests send the same audio files. */
const FOUND = join(import.meta.dirname, '../../../.media/tests')

const FILTER = 'silencedetect=noise=-45dB:duration=0.4'

export type Sounds = { seconds: number; sounds: { start: number; end: number }[] }

/**
 * The length of an audio file, and where it is not silent, in seconds. Sounds are above −45 dB, with at least 0.4 s of
 * silence between them. ffmpeg finds them in the samples.
 */
export async function soundsIn(path: string): Promise<Sounds> {
  const id = createHash('sha256')
    .update(FILTER)
    .update(await readFile(path))
    .digest('hex')
  const known = join(FOUND, `${id}.json`)
  const text = await readFile(known, 'utf8').catch(() => undefined)
  if (text !== undefined) return JSON.parse(text) as Sounds
  const found = await listenTo(path)
  await mkdir(FOUND, { recursive: true })
  const own = join(FOUND, randomUUID())
  await writeFile(own, JSON.stringify(found))
  await rename(own, known)
  return found
}

async function listenTo(path: string): Promise<Sounds> {
  const { stderr } = await run('ffmpeg', ['-nostdin', '-hide_banner', '-i', path, '-af', FILTER, '-f', 'null', '-'], {
    maxBuffer: 16 * 1024 * 1024,
  })
  const seconds = clockSeconds([...stderr.matchAll(/time=(\d+):(\d+):([\d.]+)/g)].at(-1))
  const times = (name: string) => [...stderr.matchAll(new RegExp(`${name}: (-?[\\d.]+)`, 'g'))].map((m) => Number(m[1]))
  const starts = times('silence_start')
  const ends = times('silence_end')
  const sounds = [0, ...ends].map((start, i) => ({ start, end: starts[i] ?? seconds }))
  return { seconds, sounds: sounds.filter(({ start, end }) => end - start > 0.05) }
}

const clockSeconds = (match: RegExpMatchArray | undefined): number =>
  Number(match?.[1] ?? 0) * 3600 + Number(match?.[2] ?? 0) * 60 + Number(match?.[3] ?? 0)

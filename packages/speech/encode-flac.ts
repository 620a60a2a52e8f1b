import { join } from 'node:path'
import { ffmpeg } from '#packages/media/ffmpeg.ts'
import type { Stretch } from './engine.ts'

/** Bytes a second of 16 kHz mono audio of 16 bits. */
export const wavBytesPerSecond = 32_000

export type FlacOptions = {
  wavPath: string
  directory: string
  /** Of the file to write, in `directory`. */
  name: string
  stretch: Stretch
  signal: AbortSignal
  timeoutMs: number
}

/** Writes a stretch of a WAV as FLAC, cut to the sample, and returns the path. FLAC loses nothing and halves the size. */
export async function encodeFlac(options: FlacOptions): Promise<string> {
  const { wavPath, directory, name, stretch, signal, timeoutMs } = options
  const seconds = stretch.end - stretch.start
  const range = ['-ss', stretch.start.toFixed(3), '-t', seconds.toFixed(3)]
  // flac never needs more than its raw form and a little for its frames
  const maxFileBytes = Math.ceil(seconds * wavBytesPerSecond * 1.05) + 65_536
  const args = [...range, '-i', wavPath, '-map', '0:a:0', '-c:a', 'flac', name]
  await ffmpeg({ args, cwd: directory, signal, timeoutMs, maxFileBytes })
  return join(directory, name)
}

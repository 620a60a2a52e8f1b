import { join } from 'node:path'
import { ffmpeg } from '#packages/content/media/ffmpeg.ts'
import type { Launcher } from '#packages/content/media/launcher.ts'
import type { Stretch } from './engine.ts'

/** Bytes per second of 16 kHz mono audio with 16 bits. */
export const wavBytesPerSecond = 32_000

export type FlacOptions = {
  launcher: Launcher
  wavPath: string
  directory: string
  /** Name of the file to write in `directory`. */
  name: string
  stretch: Stretch
  signal: AbortSignal
  timeoutMs: number
}

/** Writes a range of a WAV, cut to the sample, as FLAC: lossless at half the size. @returns the path */
export async function encodeFlac(options: FlacOptions): Promise<string> {
  const { launcher, wavPath, directory, name, stretch, signal, timeoutMs } = options
  const seconds = stretch.end - stretch.start
  const range = ['-ss', stretch.start.toFixed(3), '-t', seconds.toFixed(3)]
  // FLAC is never larger than the raw samples plus a little for frame headers
  const maxFileBytes = Math.ceil(seconds * wavBytesPerSecond * 1.05) + 65_536
  const args = [...range, '-i', wavPath, '-map', '0:a:0', '-c:a', 'flac', name]
  await ffmpeg({ launcher, args, cwd: directory, signal, timeoutMs, maxFileBytes })
  return join(directory, name)
}

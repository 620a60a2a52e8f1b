import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ffmpeg } from './ffmpeg.ts'
import type { Launcher } from './launcher.ts'

export type ShrinkOptions = {
  launcher: Launcher
  /** The directory for the picture while it is read. */
  directory: string
  signal: AbortSignal
}

/** Width of the result, pixels. Surplus at the sides is cut off. */
const WIDTH = 320
const HEIGHT = 180
/** The most pixels of the original: a picture of a few kilobytes may have many more. */
const MAX_PIXELS = 4096 * 4096
/** The largest result. JPEGs of this width have about a tenth of it. */
const MAX_JPEG_BYTES = 100 * 1024

const limits = { timeoutMs: 10_000, cpuSeconds: 5, maxMemoryBytes: 1024 ** 3, maxOutputBytes: MAX_JPEG_BYTES }

/**
 * A small JPEG of a picture (JPEG, PNG or WebP), with nothing of the file but its pixels.
 * @throws ConfinedError if it is no such picture, or too large; the signal's reason when aborted
 */
export async function shrinkPicture(
  picture: Uint8Array,
  { launcher, directory, signal }: ShrinkOptions,
): Promise<Buffer> {
  const cwd = await mkdtemp(join(directory, 'picture-'))
  try {
    // Without an extension, because ffmpeg would trust it.
    await writeFile(join(cwd, 'picture'), picture)
    const covering = `scale=${WIDTH}:${HEIGHT}:force_original_aspect_ratio=increase,crop=${WIDTH}:${HEIGHT},format=yuvj420p`
    const input = ['-max_pixels', String(MAX_PIXELS), '-i', 'picture', '-map_metadata', '-1']
    const output = ['-vf', covering, '-frames:v', '1', '-c:v', 'mjpeg', '-q:v', '5', '-f', 'mjpeg', 'pipe:1']
    const { stdout } = await ffmpeg({ launcher, args: [...input, ...output], reads: 'picture', cwd, signal, ...limits })
    return stdout
  } finally {
    await rm(cwd, { recursive: true, force: true })
  }
}

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { chooseTimes } from './choose-times.ts'
import { ConfinedError } from './confined-error.ts'
import { ffmpeg } from './ffmpeg.ts'
import { findCuts } from './find-cuts.ts'
import type { Launcher } from './launcher.ts'
import { probe } from './probe.ts'
import { unreadable } from './unreadable.ts'

/** A picture of a video: JPEG, and its time in seconds from the start. */
export type Frame = { seconds: number; jpeg: Buffer }

export type FramesOptions = {
  launcher: Launcher
  signal: AbortSignal
  /** Wall-clock limit in total, milliseconds. The pictures read by then are returned. */
  timeoutMs: number
  /** The most pictures. */
  maxFrames: number
  /** The longer side of a picture, pixels. */
  maxSide: number
  /** Longest media accepted, seconds. */
  maxSeconds?: number
}

type Run = { launcher: Launcher; cwd: string; signal: AbortSignal; timeoutMs: number }
type Seen = Frame & { thumbnail: Buffer }

const THUMBNAIL_SIDE = 32
/** Two pictures are different if a pixel of their thumbnails differs by more than this, of 256 shades. */
const SHADES = 8
const MAX_JPEG_BYTES = 512 * 1024
const FRAME_TIMEOUT_MS = 15_000

/**
 * Pictures of a video just after its cuts and on an even grid over its whole length, in order. Leaves out pictures
 * that look like the previous one. The directory of `path` must be the caller's own.
 * @returns an empty list for media without moving pictures, such as a song with a cover
 * @throws StepError `media_unsupported`, `media_too_long`, transient `internal_error` when time or disk ran out
 *   before the first picture; the signal's reason when aborted
 */
export async function readFrames(path: string, options: FramesOptions): Promise<Frame[]> {
  const { launcher, signal, timeoutMs, maxFrames, maxSide, maxSeconds } = options
  const endsAt = performance.now() + timeoutMs
  const { streams, seconds } = await probe(path, { launcher, signal, timeoutMs, ...(maxSeconds && { maxSeconds }) })
  const picture = streams.find(({ kind, width, height }) => kind === 'video' && width * height > 0)
  if (!picture) return []
  const directory = await mkdtemp(join(dirname(path), 'frames-'))
  const run = { launcher, cwd: directory, signal }
  try {
    const cuts = await findCuts(path, picture, seconds, { ...run, timeoutMs: timeoutMs / 3 }).catch((error) => {
      throw unreadable(error)
    })
    const seen: Seen[] = []
    for (const at of chooseTimes(seconds, cuts, maxFrames)) {
      const leftMs = endsAt - performance.now()
      const frame = await oneFrame(path, picture.index, at, maxSide, { ...run, timeoutMs: leftMs }).catch((error) => {
        // the pictures read so far are better than none
        if (seen.length > 0 && isTimeout(error)) return 'late' as const
        throw unreadable(error)
      })
      if (frame === 'late') break
      const last = seen.at(-1)
      if (frame && !(last && isAlike(last.thumbnail, frame.thumbnail))) seen.push(frame)
    }
    return seen.map(({ seconds, jpeg }) => ({ seconds, jpeg }))
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

const isTimeout = (error: unknown): boolean => error instanceof ConfinedError && error.reason === 'timeout'

/** The picture at a time, with a small grey one for comparison. Undefined past the last picture. */
async function oneFrame(
  path: string,
  stream: number,
  at: number,
  maxSide: number,
  { timeoutMs, ...run }: Run,
): Promise<Seen | undefined> {
  const bounded = `scale='min(${maxSide},iw)':'min(${maxSide},ih)':force_original_aspect_ratio=decrease:force_divisible_by=2`
  const small = `scale=${THUMBNAIL_SIDE}:${THUMBNAIL_SIDE}:flags=area,format=gray`
  const filter = `[0:v:${stream}]split[a][b];[a]${bounded},format=yuvj420p[picture];[b]${small}[grey]`
  const jpeg = ['-map', '[picture]', '-frames:v', '1', '-c:v', 'mjpeg', '-q:v', '5', '-f', 'image2', '-update', '1']
  const grey = ['-map', '[grey]', '-frames:v', '1', '-c:v', 'rawvideo', '-f', 'rawvideo']
  const input = ['-ss', at.toFixed(3), '-i', path, '-filter_complex', filter, '-map_metadata', '-1']
  const limits = { timeoutMs: Math.max(1, Math.min(FRAME_TIMEOUT_MS, timeoutMs)), maxFileBytes: MAX_JPEG_BYTES }
  await ffmpeg({ args: [...input, ...jpeg, 'frame.jpg', ...grey, 'frame.grey'], ...run, ...limits })
  const file = (name: string) => readFile(join(run.cwd, name)).catch(() => Buffer.alloc(0))
  const [picture, thumbnail] = [await file('frame.jpg'), await file('frame.grey')]
  // a later call without a picture must not read this one
  await rm(join(run.cwd, 'frame.jpg'), { force: true })
  return picture.length === 0 ? undefined : { seconds: at, jpeg: picture, thumbnail }
}

const isAlike = (one: Buffer, other: Buffer): boolean =>
  one.length === other.length && one.every((shade, place) => Math.abs(shade - (other[place] ?? 0)) <= SHADES)

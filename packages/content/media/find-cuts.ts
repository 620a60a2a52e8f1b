import type { Cut } from './choose-times.ts'
import { ConfinedError } from './confined-error.ts'
import { ffmpeg } from './ffmpeg.ts'
import type { Launcher } from './launcher.ts'

/** How much a picture must differ from the previous one to begin a scene, as ffmpeg's `scene` measures it. */
const MIN_CHANGE = 0.2
/** Up to this many pixels, at 30 pictures a second, every picture is decoded: some seconds of work. */
const MAX_PIXELS = 3e9
/** The most cuts returned: a film of flashes has thousands. */
const MAX_CUTS = 500

/**
 * The cuts of a video. In a long one, only the key frames are compared: encoders put one at a cut, and decoding all
 * pictures would take minutes.
 * @returns an empty list if it took too long
 * @throws the signal's reason when aborted; ConfinedError for what cannot be decoded
 */
export async function findCuts(
  path: string,
  picture: { index: number; width: number; height: number },
  seconds: number,
  run: { launcher: Launcher; cwd: string; signal: AbortSignal; timeoutMs: number },
): Promise<Cut[]> {
  const isLong = picture.width * picture.height * seconds * 30 > MAX_PIXELS
  const keyFramesOnly = isLong ? ['-skip_frame', 'nokey'] : []
  // small pictures give the same result as large ones, faster
  const filter = `scale=160:90,select='gt(scene,${MIN_CHANGE})',metadata=print:file=-`
  const args = [...keyFramesOnly, '-i', path, '-map', `0:v:${picture.index}`, '-vf', filter, '-f', 'null', '-']
  try {
    const { stdout } = await ffmpeg({ args, ...run, maxOutputBytes: 4 * 1024 * 1024 })
    return cutsIn(stdout.toString('utf8')).slice(0, MAX_CUTS)
  } catch (error) {
    // without cuts, the pictures on the grid still show the film
    if (error instanceof ConfinedError && ['timeout', 'output_too_large'].includes(error.reason)) return []
    throw error
  }
}

/** Parses the filter's output: the time of a picture in one line, and in the next its difference. */
const cutsIn = (printed: string): Cut[] =>
  [...printed.matchAll(/pts_time:([\d.]+)\s+lavfi\.scene_score=([\d.]+)/g)].map(([, seconds, change]) => ({
    seconds: Number(seconds),
    change: Number(change),
  }))

import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { baseLanguage } from '#packages/content/languages/base-language.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { ffmpeg } from './ffmpeg.ts'
import type { Launcher } from './launcher.ts'
import { DEFAULT_MAX_SECONDS, type MediaStream, probe } from './probe.ts'
import { unreadable } from './unreadable.ts'

const SAMPLE_RATE = 16_000
const BYTES_PER_SECOND = SAMPLE_RATE * 2
const WAV_HEADER_BYTES = 44

export type DecodeOptions = {
  launcher: Launcher
  signal: AbortSignal
  /** Wall-clock limit of each track that is tried, milliseconds. */
  timeoutMs: number
  /** Longest sound accepted, seconds, measured by decoding instead of the header. */
  maxSeconds?: number
  /** BCP 47 tag of the requested sound track. Null: the one that players take. */
  lang?: string | null
}

/**
 * Decodes a sound track of a local file to `outputPath`: WAV, 16 kHz, mono, 16 bits, with the times of the video. If
 * a track cannot be decoded, it tries the next one. The directory of `outputPath` must be the caller's own.
 * @returns the length of the sound in seconds
 * @throws StepError `no_speech` if there is no sound, `media_unsupported` if it cannot be decoded, `media_too_long`,
 *   transient `internal_error` when time or disk ran out; the signal's reason when aborted
 */
export async function decodeAudio(inputPath: string, outputPath: string, options: DecodeOptions): Promise<number> {
  const { launcher, signal, timeoutMs, maxSeconds = DEFAULT_MAX_SECONDS, lang = null } = options
  const limits = { launcher, signal, timeoutMs, maxSeconds }
  const { streams } = await probe(inputPath, limits)
  let problem = new StepError('no_speech')
  for (const track of orderSounds(streams, lang)) {
    try {
      const seconds = await decodeTrack(inputPath, outputPath, track, limits)
      if (seconds > maxSeconds) throw new StepError('media_too_long')
      if (seconds > 0) return seconds
    } catch (error) {
      if (!(error instanceof StepError) || error.code !== 'media_unsupported') throw error
      problem = error
    }
  }
  throw problem
}

async function decodeTrack(
  inputPath: string,
  outputPath: string,
  track: MediaStream,
  { maxSeconds, ...run }: { launcher: Launcher; signal: AbortSignal; timeoutMs: number; maxSeconds: number },
): Promise<number> {
  const format = ['-ac', '1', '-ar', String(SAMPLE_RATE), '-c:a', 'pcm_s16le', '-bitexact', '-map_metadata', '-1']
  const graph = ['-filter_complex', `${graphOf(track)}[sound]`, '-map', '[sound]']
  const args = ['-i', inputPath, ...graph, '-t', String(maxSeconds + 1), ...format, '-f', 'wav', outputPath]
  const maxFileBytes = (maxSeconds + 2) * BYTES_PER_SECOND
  try {
    await ffmpeg({ args, ...run, cwd: dirname(outputPath), maxFileBytes })
  } catch (error) {
    throw unreadable(error)
  }
  return ((await stat(outputPath)).size - WAV_HEADER_BYTES) / BYTES_PER_SECOND
}

/**
 * Fills late or missing sound with silence, so that times are those of the video. Mixes the two stereo channels a
 * quarter of a wave apart, because voices in opposite phase would cancel each other out. We measured voices in the
 * middle, at one side, late at one side, and between music or noise: they cause no more errors than in a plain mix.
 */
function graphOf({ index, channels }: MediaStream): string {
  const timed = `[0:a:${index}]aresample=async=1:first_pts=0`
  if (channels !== 2) return timed
  const left = '[a]pan=mono|c0=c0,aphaseshift=shift=0[l]'
  const right = '[b]pan=mono|c0=c1,aphaseshift=shift=0.5[r]'
  return `${timed},asplit[a][b];${left};${right};[l][r]amix=inputs=2:normalize=0:weights=0.7071 0.7071`
}

/**
 * The sound tracks of a file in the order of trying: the requested language, the track that players take, the others.
 * Comments on the film and descriptions of its picture come last.
 */
function orderSounds(streams: readonly MediaStream[], lang: string | null): MediaStream[] {
  const asked = baseLanguage(lang)
  const isAsked = ({ language }: MediaStream) => asked !== undefined && baseLanguage(language ?? null) === asked
  const marks = (stream: MediaStream) => [
    !stream.describes,
    !stream.comments,
    isAsked(stream),
    stream.default,
    -stream.index,
  ]
  return streams.filter(({ kind }) => kind === 'audio').toSorted((a, b) => compare(marks(b), marks(a)))
}

function compare(a: (boolean | number)[], b: (boolean | number)[]): number {
  const at = a.findIndex((mark, i) => mark !== b[i])
  return at === -1 ? 0 : Number(a[at]) - Number(b[at])
}

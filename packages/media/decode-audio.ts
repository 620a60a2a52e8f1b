import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { StepError } from '#packages/errors/step-error.ts'
import { ffmpeg } from './ffmpeg.ts'
import { DEFAULT_MAX_SECONDS, probe } from './probe.ts'
import { unreadable } from './unreadable.ts'

const SAMPLE_RATE = 16_000
const BYTES_PER_SECOND = SAMPLE_RATE * 2
const WAV_HEADER_BYTES = 44

export type DecodeOptions = {
  signal: AbortSignal
  /** Wall-clock limit, milliseconds. */
  timeoutMs: number
  /** Longest sound accepted, seconds, measured by decoding and not taken from the header. */
  maxSeconds?: number
}

/**
 * Decodes the first sound track of a local file to `outputPath`: WAV, 16 kHz, mono, 16 bits. The directory of
 * `outputPath` must be the caller's own.
 * @returns the length of the sound in seconds
 * @throws StepError `no_speech` when there is no sound, `media_unsupported` when it cannot be decoded,
 * `media_too_long`, transient `internal_error` when time or disk ran out; the signal's reason when aborted
 */
export async function decodeAudio(inputPath: string, outputPath: string, options: DecodeOptions): Promise<number> {
  const { signal, timeoutMs, maxSeconds = DEFAULT_MAX_SECONDS } = options
  const { streams } = await probe(inputPath, { signal, timeoutMs, maxSeconds })
  if (!streams.some(({ kind }) => kind === 'audio')) throw new StepError('no_speech')
  const format = ['-ac', '1', '-ar', String(SAMPLE_RATE), '-c:a', 'pcm_s16le', '-bitexact', '-map_metadata', '-1']
  const args = ['-i', inputPath, '-map', '0:a:0', '-t', String(maxSeconds + 1), ...format, '-f', 'wav', outputPath]
  const maxFileBytes = (maxSeconds + 2) * BYTES_PER_SECOND
  try {
    await ffmpeg({ args, cwd: dirname(outputPath), signal, timeoutMs, maxFileBytes })
  } catch (error) {
    throw unreadable(error)
  }
  const seconds = ((await stat(outputPath)).size - WAV_HEADER_BYTES) / BYTES_PER_SECOND
  if (seconds <= 0) throw new StepError('no_speech')
  if (seconds > maxSeconds) throw new StepError('media_too_long')
  return seconds
}

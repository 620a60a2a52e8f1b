import { readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StepError } from '#packages/errors/step-error.ts'
import { ffmpeg } from '#packages/media/ffmpeg.ts'
import { ConfinedError } from '#packages/media/run-confined.ts'
import { unreadable } from '#packages/media/unreadable.ts'
import { CaptionsTooLongError, type Segment } from './clean.ts'
import { parseCaptions } from './parse-captions.ts'

/** Codecs of text subtitles, by ffmpeg's names; others are pictures. */
const textFormats = new Map([
  ['mov_text', 'mov_text'],
  ['webvtt', 'webvtt'],
  ['subrip', 'srt'],
  ['srt', 'srt'],
  ['text', 'srt'],
  ['ass', 'ass'],
  ['ssa', 'ass'],
])

/** Limit of one track as SRT. Ten hours of speech take about half. */
const MAX_FILE_BYTES = 2 * 1024 * 1024

/** Our name for a subtitle codec; undefined when it is not text. */
export const captionFormatOf = (codec: string): string | undefined => textFormats.get(codec)

/**
 * Reads one subtitle track of a local file, the `index`-th of its kind; writes a temporary file beside it.
 * @throws StepError `result_too_large` for more than 2 MiB of SRT, 20,000 cues or 250,000 lines, `media_unsupported`,
 * transient `internal_error`; the signal's reason when aborted
 */
export async function readEmbedded(
  path: string,
  index: number,
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
): Promise<Segment[]> {
  const cwd = dirname(path)
  const output = join(cwd, `subtitles-${index}.srt`)
  const args = ['-i', path, '-map', `0:s:${index}`, '-c:s', 'srt', '-f', 'srt', output]
  try {
    await ffmpeg({ args, cwd, signal, timeoutMs, maxFileBytes: MAX_FILE_BYTES })
    return await parseCaptions(await readFile(output, 'utf8'))
  } catch (error) {
    throw isTooLarge(error) ? new StepError('result_too_large', { cause: error }) : unreadable(error)
  } finally {
    await rm(output, { force: true })
  }
}

const isTooLarge = (error: unknown): boolean =>
  error instanceof CaptionsTooLongError || (error instanceof ConfinedError && error.reason === 'file_too_large')

import { readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { analyse } from 'chardet'
import { ConfinedError } from '#packages/content/media/confined-error.ts'
import { ffmpeg } from '#packages/content/media/ffmpeg.ts'
import type { Launcher } from '#packages/content/media/launcher.ts'
import { unreadable } from '#packages/content/media/unreadable.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import { CaptionsTooLongError, type Segment } from './clean.ts'
import { parseAss } from './parse-ass.ts'
import { parseCaptions } from './parse-captions.ts'

/** A guess below this confidence, of 100, does not count. */
const LEAST_CONFIDENCE = 10

/** UTF-8, UTF-16 with its mark, or the encoding that the letters suggest. Undefined if none is likely. */
const decodeText = (bytes: Uint8Array): string | undefined =>
  decodedBy(markedEncoding(bytes) ?? 'utf-8', bytes) ?? decodedByLetters(bytes)

function markedEncoding([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined
}

function decodedByLetters(bytes: Uint8Array): string | undefined {
  for (const { name, confidence } of analyse(bytes)) {
    const text = confidence < LEAST_CONFIDENCE ? undefined : decodedBy(name, bytes)
    if (text !== undefined) return text
  }
  return undefined
}

function decodedBy(encoding: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    // the bytes are not in this encoding, or the encoding is unknown here
    return undefined
  }
}

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

/** Limit of one track. Ten hours of speech take about half. */
const MAX_FILE_BYTES = 2 * 1024 * 1024

/** Our name for a subtitle codec. Undefined if it is not text. */
export const captionFormatOf = (codec: string): string | undefined => textFormats.get(codec)

export type ReadOptions = { launcher: Launcher; signal: AbortSignal; timeoutMs: number }

/** A subtitle track, as `probe` found it: its position among the subtitle tracks of the file, and its codec. */
export type EmbeddedTrack = { index: number; codec: string }

/**
 * Reads one subtitle track of a local file, with a temporary file beside it.
 * @throws StepError `result_too_large` for a track of more than 2 MiB, 20,000 cues or 250,000 lines,
 *   `media_unsupported` also for an unknown encoding, transient `internal_error`; the signal's reason when aborted
 */
export async function readEmbedded(
  path: string,
  { index, codec }: EmbeddedTrack,
  options: ReadOptions,
): Promise<Segment[]> {
  const run = { ...options, cwd: dirname(path) }
  const output = join(run.cwd, `subtitles-${index}`)
  try {
    const format = captionFormatOf(codec)
    if (format === undefined) throw new StepError('media_unsupported')
    // Text is copied unchanged, so that its bytes can be read in any encoding.
    const as = format === 'mov_text' ? ['-c:s', 'srt', '-f', 'srt'] : ['-c:s', 'copy', '-f', format]
    const args = ['-i', path, '-map', `0:s:${index}`, ...as, output]
    await ffmpeg({ args, ...run, maxFileBytes: MAX_FILE_BYTES })
    const text = decodeText(await readFile(output))
    if (text === undefined)
      throw new StepError('media_unsupported', { message: 'The subtitles are in no known encoding.' })
    return format === 'ass' ? parseAss(text) : await parseCaptions(text)
  } catch (error) {
    throw isTooLarge(error) ? new StepError('result_too_large', { cause: error }) : unreadable(error)
  } finally {
    await rm(output, { force: true })
  }
}

const isTooLarge = (error: unknown): boolean =>
  error instanceof CaptionsTooLongError || (error instanceof ConfinedError && error.reason === 'file_too_large')

import type { Segment } from './clean.ts'
import { parseCaptions } from './parse-captions.ts'
import { parseJson3, wordsOfJson3 } from './parse-json3.ts'
import { parseTtml } from './parse-ttml.ts'
import { parseXml } from './parse-xml.ts'

const parsers: Record<string, (text: string) => Segment[] | Promise<Segment[]>> = {
  json3: parseJson3,
  srv1: (text) => parseXml(text, 'srv1'),
  srv3: (text) => parseXml(text, 'srv3'),
  ttml: parseTtml,
  vtt: parseCaptions,
  srt: parseCaptions,
}

/** The readable formats, by yt-dlp's names, best first: the first loses the least information. */
export const captionFormats: readonly string[] = Object.keys(parsers)

/**
 * Reads a caption track in any of `captionFormats` and cleans it (see parseCaptions).
 * @throws CaptionsTooLongError; SyntaxError for invalid json3; TypeError for any other format
 */
export async function parseTrack(text: string, format: string): Promise<Segment[]> {
  const parse = parsers[format]
  if (!parse) throw new TypeError(`captions in ${format} are not read`)
  return parse(text)
}

/** The words of a track with their times. Undefined if its format, or the track itself, has none. */
export const wordsOfTrack = (text: string, format: string): Segment[] | undefined =>
  format === 'json3' ? wordsOfJson3(text) : undefined

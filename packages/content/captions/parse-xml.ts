import { Parser } from 'htmlparser2'
import {
  CaptionsTooLongError,
  cleanLines,
  limits,
  type Segment,
  segment,
  type Writing,
  withoutLayers,
  writings,
} from './clean.ts'
import { withoutOverlaps } from './without-overlaps.ts'

type Attributes = Record<string, string>

/** The most nested elements: the parser's work grows with the square of the depth. Captions have five or six. */
export const MAX_DEPTH = 1000

/** How one format writes cues in XML. */
type Dialect = {
  /** The name of the element of a cue. */
  cue: string
  /** Start and end in seconds. Undefined for an element that is not a cue. */
  times(attributes: Attributes): { start: number; end: number } | undefined
  /** How the text is written, once the XML is decoded. */
  writing: Writing
}

const dialects = {
  /** `<text start="1.54" dur="4.16">`, seconds; tags and entities are escaped once more. */
  srv1: {
    cue: 'text',
    times: ({ start = '', dur = '0' }) => timesOf(Number(start), Number(dur)),
    writing: writings.subRip,
  },
  /** `<p t="1540" d="4160">`, milliseconds. With `a="1"` it only adds a line break to the previous one. */
  srv3: {
    cue: 'p',
    times: ({ t = '', d = '0', a }) => (a === '1' ? undefined : timesOf(Number(t) / 1000, Number(d) / 1000)),
    writing: writings.plain,
  },
} satisfies Record<string, Dialect>

/**
 * Reads YouTube's captions in XML, srv1 and srv3. Malformed XML is read as far as it makes sense.
 * @throws CaptionsTooLongError for more than 20,000 cues, or 1,000 nested elements
 */
export function parseXml(text: string, kind: keyof typeof dialects): Segment[] {
  const dialect: Dialect = dialects[kind]
  const segments: Segment[] = []
  let cue: { start: number; end: number; words: string } | undefined
  let cues = 0
  let depth = 0
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > MAX_DEPTH) throw new CaptionsTooLongError()
        if (local(name) !== dialect.cue) return
        if (++cues > limits.maxCues) throw new CaptionsTooLongError()
        const times = dialect.times(attributes)
        cue = times && { ...times, words: '' }
      },
      ontext(words) {
        if (cue) cue.words += words
      },
      onclosetag(name) {
        depth--
        if (local(name) !== dialect.cue || !cue) return
        const shown = cleanLines(cue.words, dialect.writing).join(' ')
        if (shown !== '') segments.push(segment(cue.start, cue.end, shown))
        cue = undefined
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
  parser.end(text)
  return withoutOverlaps(withoutLayers(segments))
}

/** A name without its namespace prefix. */
export const local = (name: string): string => name.slice(name.indexOf(':') + 1)

function timesOf(start: number, seconds: number): { start: number; end: number } | undefined {
  if (!(start >= 0) || Number.isNaN(seconds)) return undefined
  return { start, end: start + Math.max(0, seconds) }
}

import { Parser } from 'htmlparser2'
import { CaptionsTooLongError, cleanLines, decodeEntities, limits, type Segment, segment } from './clean.ts'
import { withoutOverlaps } from './without-overlaps.ts'

type Attributes = Record<string, string>

/** The most nested elements: the parser's work grows with the square of the depth. Captions have five or six. */
const MAX_DEPTH = 1000

/** How one format writes cues in XML. */
type Dialect = {
  /** The name of the element of a cue. */
  cue: string
  /** Start and end in seconds; undefined for an element that is no cue. */
  times(attributes: Attributes): { start: number; end: number } | undefined
  /** Whether the text is escaped twice. */
  escapedTwice: boolean
}

const dialects = {
  /** `<text start="1.54" dur="4.16">`, seconds. */
  srv1: {
    cue: 'text',
    times: ({ start = '', dur = '0' }) => timesOf(Number(start), Number(dur)),
    escapedTwice: true,
  },
  /** `<p t="1540" d="4160">`, milliseconds; with `a="1"` it only adds a line break to the one before. */
  srv3: {
    cue: 'p',
    times: ({ t = '', d = '0', a }) => (a === '1' ? undefined : timesOf(Number(t) / 1000, Number(d) / 1000)),
    escapedTwice: false,
  },
  /** `<p begin="00:00:01.540" end="00:00:05.700">`, clock times or seconds with an `s`. */
  ttml: {
    cue: 'p',
    times: ({ begin = '', end = '', dur }) => {
      const start = secondsOf(begin)
      return timesOf(start, dur === undefined ? secondsOf(end) - start : secondsOf(dur))
    },
    escapedTwice: false,
  },
} satisfies Record<string, Dialect>

/**
 * Reads captions in XML: YouTube's srv1 and srv3, and TTML. Malformed XML is read as far as it makes sense.
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
        if (local(name) === 'br' && cue) cue.words += '\n'
        if (local(name) !== dialect.cue) return
        if (++cues > limits.maxCues) throw new CaptionsTooLongError()
        const times = dialect.times(attributes)
        cue = times && { ...times, words: '' }
      },
      ontext(words) {
        if (cue && cue.words.length < limits.maxCueCharacters) cue.words += words
      },
      onclosetag(name) {
        depth--
        if (local(name) !== dialect.cue || !cue) return
        const words = dialect.escapedTwice ? decodeEntities(cue.words) : cue.words
        const shown = cleanLines(words).join(' ')
        if (shown !== '') segments.push(segment(cue.start, cue.end, shown))
        cue = undefined
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
  parser.end(text)
  return withoutOverlaps(segments)
}

/** A name without the prefix of its namespace. */
const local = (name: string): string => name.slice(name.indexOf(':') + 1)

function timesOf(start: number, seconds: number): { start: number; end: number } | undefined {
  if (!(start >= 0) || Number.isNaN(seconds)) return undefined
  return { start, end: start + Math.max(0, seconds) }
}

/** `00:01:02.500`, `62.5s`, `62500ms`; NaN for anything else. */
function secondsOf(time: string): number {
  const clock = /^(\d+):(\d{2}):(\d{2}(?:\.\d+)?)$/.exec(time)
  if (clock) return Number(clock[1]) * 3600 + Number(clock[2]) * 60 + Number(clock[3])
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s)$/.exec(time) ?? []
  return unit === undefined ? Number.NaN : Number(amount) / (unit === 'ms' ? 1000 : 1)
}

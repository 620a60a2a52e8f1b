import { Parser } from 'htmlparser2'
import { CaptionsTooLongError, cleanLines, limits, type Segment, segment, withoutLayers, writings } from './clean.ts'
import { local, MAX_DEPTH } from './parse-xml.ts'
import { type Interval, intervalOf, ratesOf } from './ttml-times.ts'
import { withoutOverlaps } from './without-overlaps.ts'

/** A piece of text, and the times at which it is shown. */
type Piece = { shown: Interval; words: string }

const always: Interval = { begin: 0, end: Number.POSITIVE_INFINITY }

/** Elements about the document. Their text is not shown. */
const about = /^(?:metadata|title|desc|copyright|agent|name)$/

/**
 * Reads TTML: the text of each paragraph, with the times of its ancestors and parts (body, div, span). Malformed XML
 * is read as far as it makes sense.
 * @throws CaptionsTooLongError for more than 20,000 cues, or 1,000 nested elements
 */
export function parseTtml(text: string): Segment[] {
  const pieces: Piece[] = []
  const shown: Interval[] = []
  let rates = ratesOf({})
  let paragraphs = 0
  let unshown = 0
  const add = (words: string): void => {
    const now = shown.at(-1)
    if (paragraphs === 0 || unshown > 0 || !now) return
    const last = pieces.at(-1)
    if (last?.shown === now) last.words += words
    else pieces.push({ shown: now, words })
    if (pieces.length > limits.maxCues) throw new CaptionsTooLongError()
  }
  const parser = new Parser(
    {
      onopentag(name, given) {
        const attributes = Object.fromEntries(Object.entries(given).map(([name, value]) => [local(name), value]))
        if (local(name) === 'tt') rates = ratesOf(attributes)
        const within = shown.at(-1) ?? always
        const isParagraph = local(name) === 'p'
        const isTimed = isParagraph || 'begin' in attributes || 'end' in attributes || 'dur' in attributes
        shown.push(isTimed ? intervalOf(attributes, within, rates) : within)
        if (shown.length > MAX_DEPTH) throw new CaptionsTooLongError()
        if (isParagraph) paragraphs++
        if (about.test(local(name))) unshown++
        if (local(name) === 'br') add('\n')
      },
      ontext: add,
      onclosetag(name) {
        shown.pop()
        if (local(name) === 'p') paragraphs--
        if (about.test(local(name))) unshown--
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
  parser.end(text)
  const said = pieces.flatMap(({ shown: { begin, end }, words }) => {
    const line = cleanLines(words, writings.plain).join(' ')
    return line === '' ? [] : [segment(begin, end, line)]
  })
  return withoutOverlaps(withoutLayers(said)).map(ended)
}

/** The last line may have no end. It then ends at its start. */
const ended = (one: Segment): Segment => (Number.isFinite(one.end) ? one : { ...one, end: one.start })

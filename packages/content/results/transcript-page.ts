import type { TranscriptResult } from '#contracts/generated/http.ts'
import { htmlBytes } from './html-weight.ts'
import { type SpeechMap, speechMap } from './speech-map.ts'

type Segment = TranscriptResult['segments'][number]

/** A segment as a page shows it, and its number in the transcript. */
export type Placed = Segment & {
  index: number
  /** Whether its text is cut, so that there is more. */
  isCut: boolean
}

/** The most that the segments of one page may take in HTML, bytes. */
const PAGE_BYTES = 36_000
/** Approximate size of a segment in addition to its text, bytes. */
const SEGMENT_BYTES = 260
/** A longer text is cut on the page, characters. */
const SHOWN_TEXT_LENGTH = 4000
const SHOWN_SPEAKER_LENGTH = 64
/** The longest search text, characters. */
const MAX_FIND_LENGTH = 100

/** The requested part of a transcript. */
export type Place = {
  /** Search text for its segments. '' shows all of them. */
  find: string
  /** From 1. Undefined: the page that contains `seconds`, or the first. */
  page: number | undefined
  seconds: number | undefined
}

/** The part of a transcript that a page shows, and facts about the whole. */
export type TranscriptPage = {
  segments: Placed[]
  /** From 1. */
  page: number
  pages: number
  /** Matches a literal text, whatever its letter case. Undefined if there is no search. */
  found: number
  all: number
  words: number
  map: SpeechMap
} & Pick<TranscriptResult, 'language' | 'source'>

const numberOf = (text: string | null): number | undefined =>
  text !== null && /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : undefined

export function placeOf(query: URLSearchParams): Place {
  const find = (query.get('find') ?? '').trim().slice(0, MAX_FIND_LENGTH)
  return { find, page: numberOf(query.get('page')), seconds: numberOf(query.get('t')) }
}

/** Matches a literal text, whatever its letter case. Undefined if there is no search. */
export const patternOf = ({ find }: Place): RegExp | undefined =>
  find === '' ? undefined : new RegExp(RegExp.escape(find), 'giu')

/** The requested part of a transcript. The page stays small, however long the transcript is. */
export function transcriptPage({ segments, text, language, source }: TranscriptResult, place: Place): TranscriptPage {
  const pattern = patternOf(place)
  const matches = pattern === undefined ? () => true : ({ text }: Segment) => text.search(pattern) >= 0
  const found = segments.flatMap((segment, index) => (matches(segment) ? [index] : []))
  const pages = cut(segments, found)
  const { page, seconds = 0 } = place
  const startOf = ([first = 0]: readonly number[]): number => segments[first]?.start ?? 0
  const wanted = page === undefined ? pages.findLastIndex((indices) => startOf(indices) <= seconds) : page - 1
  const shown = Math.min(Math.max(0, Math.floor(wanted)), pages.length - 1)
  return {
    segments: (pages[shown] ?? []).map((index) => placed(segments[index] as Segment, index)),
    page: shown + 1,
    pages: pages.length,
    found: found.length,
    all: segments.length,
    words: text.match(/\S+/g)?.length ?? 0,
    map: speechMap(segments, pattern === undefined ? [] : found.map((index) => segments[index] as Segment)),
    language,
    source,
  }
}

/** The numbers of the segments of each page. At least one page. */
function cut(segments: readonly Segment[], found: readonly number[]): number[][] {
  const pages: number[][] = [[]]
  let bytes = 0
  for (const index of found) {
    const weight = SEGMENT_BYTES + htmlBytes((segments[index] as Segment).text.slice(0, SHOWN_TEXT_LENGTH))
    if (bytes + weight > PAGE_BYTES && bytes > 0) {
      pages.push([])
      bytes = 0
    }
    pages.at(-1)?.push(index)
    bytes += weight
  }
  return pages
}

const placed = ({ start, end, text, speaker }: Segment, index: number): Placed => ({
  start,
  end,
  text: text.slice(0, SHOWN_TEXT_LENGTH),
  ...(speaker !== undefined && { speaker: speaker.slice(0, SHOWN_SPEAKER_LENGTH) }),
  index,
  isCut: text.length > SHOWN_TEXT_LENGTH,
})

/** The pieces of a text. Those at odd indices match. */
export function marked(text: string, find: RegExp | undefined): string[] {
  if (find === undefined) return [text]
  const pieces: string[] = []
  let from = 0
  for (const match of text.matchAll(find)) {
    pieces.push(text.slice(from, match.index), match[0])
    from = match.index + match[0].length
  }
  return [...pieces, text.slice(from)]
}

import type { TranscriptResult } from '#contracts/generated/http.ts'
import { htmlBytes } from './page-weight.ts'

/** A segment and its number in the transcript. */
export type Placed = TranscriptResult['segments'][number] & { index: number }

/** The most that the segments of one page may weigh, bytes. */
const PAGE_BYTES = 36_000
/** About what a segment weighs on a page besides its text, bytes. */
const SEGMENT_BYTES = 260
/** A longer text is cut on the page, characters. */
export const SHOWN_TEXT_LENGTH = 4000
/** The longest text that is searched for, characters. */
const MAX_FIND_LENGTH = 100

/** Which part of a transcript is shown. */
export type Place = {
  /** What its segments are searched for; '' shows all of them. */
  find: string
  /** From 1; undefined: the page that has `seconds`, or the first. */
  page: number | undefined
  seconds: number | undefined
}

export type TranscriptPage = {
  segments: Placed[]
  /** From 1. */
  page: number
  pages: number
  /** Segments that match, on all pages. */
  found: Placed[]
  find: RegExp | undefined
}

const numberOf = (text: string | null): number | undefined =>
  text !== null && /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : undefined

export function placeOf(query: URLSearchParams): Place {
  const find = (query.get('find') ?? '').trim().slice(0, MAX_FIND_LENGTH)
  return { find, page: numberOf(query.get('page')), seconds: numberOf(query.get('t')) }
}

/** The part of a transcript that a place names, such that the page stays small however long the transcript is. */
export function transcriptPage(segments: TranscriptResult['segments'], { find, page, seconds }: Place): TranscriptPage {
  const pattern = find === '' ? undefined : new RegExp(RegExp.escape(find), 'giu')
  const placed = segments.map((segment, index) => ({ ...segment, index }))
  const found = pattern === undefined ? placed : placed.filter(({ text }) => text.search(pattern) >= 0)
  const pages = cut(found)
  const wanted = page === undefined ? pages.findLastIndex(([first]) => (first?.start ?? 0) <= (seconds ?? 0)) : page - 1
  const shown = Math.min(Math.max(0, Math.floor(wanted)), pages.length - 1)
  return { segments: pages[shown] ?? [], page: shown + 1, pages: pages.length, found, find: pattern }
}

/** At least one page. */
function cut(segments: readonly Placed[]): Placed[][] {
  const pages: Placed[][] = [[]]
  let bytes = 0
  for (const segment of segments) {
    const weight = SEGMENT_BYTES + htmlBytes(segment.text.slice(0, SHOWN_TEXT_LENGTH))
    if (bytes + weight > PAGE_BYTES && bytes > 0) {
      pages.push([])
      bytes = 0
    }
    pages.at(-1)?.push(segment)
    bytes += weight
  }
  return pages
}

/** The pieces of a text; those at odd places match. */
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

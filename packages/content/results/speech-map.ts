import type { TranscriptResult } from '#contracts/generated/http.ts'

type Segments = readonly TranscriptResult['segments'][number][]

/** Columns of the map, and time marks below it. */
const COLUMNS = 100
const MARKS = 6

/** How much is spoken when. */
export type SpeechMap = {
  /** Of the video, seconds. */
  length: number
  /** Spoken characters in each column, and how many of them match the search. */
  said: number[]
  hits: number[]
  /** Beginnings of segments at about equal distances, seconds. */
  marks: number[]
}

/** @param found the segments that match the search */
export function speechMap(segments: Segments, found: Segments): SpeechMap {
  const length = Math.max(1, ...segments.slice(-50).map(({ end }) => end))
  return {
    length,
    said: columnsOf(segments, length),
    hits: columnsOf(found, length),
    marks: marksOf(segments, length),
  }
}

/** Spoken characters in each column. Those of a segment are spread over its time. */
function columnsOf(segments: Segments, length: number): number[] {
  const columns = new Array<number>(COLUMNS).fill(0)
  const columnAt = (seconds: number): number =>
    Math.min(COLUMNS - 1, Math.max(0, Math.floor((seconds / length) * COLUMNS)))
  for (const { start, end, text } of segments) {
    const first = columnAt(start)
    const last = Math.max(first, columnAt(end) - 1)
    const each = text.length / (last - first + 1)
    for (let column = first; column <= last; column++) columns[column] = (columns[column] ?? 0) + each
  }
  return columns
}

function marksOf(segments: Segments, length: number): number[] {
  const starts = Array.from({ length: MARKS }, (_, mark) => {
    const at = (length / MARKS) * mark
    return segments.find(({ start }) => start >= at)?.start
  })
  return [...new Set(starts.filter((start) => start !== undefined))]
}

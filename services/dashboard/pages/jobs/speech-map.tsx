/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import type { TranscriptResult } from '#contracts/generated/http.ts'
import { clockOf } from './job-words.tsx'

type Segments = TranscriptResult['segments']

/** Columns of the map, and marks of time below it. */
const COLUMNS = 100
const MARKS = 6
const [WIDTH, HEIGHT] = [1000, 44]

export type SpeechMapParts = {
  segments: Segments
  /** Those that a search has found. */
  found: Segments
  /** The address of an instant, seconds. */
  linkTo(seconds: number): string
}

/** How much is said when, over the length of a video, with links to instants in it. */
export function SpeechMap({ segments, found, linkTo }: SpeechMapParts): VNode {
  const length = Math.max(1, ...segments.slice(-50).map(({ end }) => end))
  const said = columnsOf(segments, length)
  const hits = columnsOf(found, length)
  const most = Math.max(1, ...said)
  const step = WIDTH / COLUMNS
  return (
    <div class="map">
      <svg
        role="img"
        aria-label={`How much is said when, from 0:00 to ${clockOf(length)}${found.length > 0 ? '; what was found is marked' : ''}`}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        width="100%"
        height={HEIGHT}
        preserveAspectRatio="none"
      >
        {said.map((characters, column) => {
          if (characters === 0) return null
          const height = Math.max(3, Math.round((characters / most) * (HEIGHT - 2)))
          const isHit = (hits[column] ?? 0) > 0
          return (
            <rect
              key={column}
              class={isHit ? 'hit' : undefined}
              x={column * step}
              y={isHit ? 0 : HEIGHT - height}
              width={step - 3}
              height={isHit ? HEIGHT : height}
            />
          )
        })}
      </svg>
      <nav class="marks" aria-label="Instants of the transcript">
        {marksOf(segments, length).map((seconds) => (
          <a key={seconds} href={linkTo(seconds)}>
            {clockOf(seconds)}
          </a>
        ))}
      </nav>
    </div>
  )
}

/** Characters that are said in each column; those of a segment are spread over its time. */
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

/** The beginnings of segments, in about equal distances. */
function marksOf(segments: Segments, length: number): number[] {
  const starts = Array.from({ length: MARKS }, (_, mark) => {
    const at = (length / MARKS) * mark
    return segments.find(({ start }) => start >= at)?.start
  })
  return [...new Set(starts.filter((start) => start !== undefined))]
}

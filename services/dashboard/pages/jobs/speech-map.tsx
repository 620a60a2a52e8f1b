/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import type { SpeechMap as Columns } from '#packages/content/results/speech-map.ts'
import { clockOf } from './job-words.tsx'

const [WIDTH, HEIGHT] = [1000, 44]

export type SpeechMapParts = {
  map: Columns
  /** The address of a moment in the video, in seconds. */
  linkTo(seconds: number): string
}

/** How much is said over the length of a video, with links to moments in it. */
export function SpeechMap({ map: { length, said, hits, marks }, linkTo }: SpeechMapParts): VNode {
  const most = Math.max(1, ...said)
  const step = WIDTH / said.length
  const isFound = hits.some((characters) => characters > 0)
  return (
    <div class="map">
      <svg
        role="img"
        aria-label={`How much is said when, from 0:00 to ${clockOf(length)}${isFound ? '; what was found is marked' : ''}`}
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
        {marks.map((seconds) => (
          <a key={seconds} href={linkTo(seconds)}>
            {clockOf(seconds)}
          </a>
        ))}
      </nav>
    </div>
  )
}

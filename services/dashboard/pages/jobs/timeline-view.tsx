/** @jsxRuntime automatic @jsxImportSource preact */
/** The progress of a job. The server renders it first, and the browser again with each event. */
import type { VNode } from 'preact'
import { Marked } from '../../look/marked.tsx'
import { formatSeconds } from '../../look/parts.tsx'
import { endOf, type Span, spansOf, type TimePart, totalsOf } from './time-parts.ts'
import type { TimelineEntry } from './timeline-entry.ts'

export type TimelineParts = {
  events: readonly TimelineEntry[]
  /** Milliseconds since 1970, by the server's clock. */
  now: number
  settledAt?: number | undefined
  /** How much of the current step is done, 0 to 1; null: unknown. */
  progress: number | null
}

const partNames: Readonly<Record<TimePart, string>> = {
  waiting: 'Waiting',
  fetch: 'Look-up',
  caption: 'Captions',
  'speech-to-text': 'Speech to text',
  extract: 'Extraction',
  settle: 'Settlement',
}

export function TimelineView({ events, now, settledAt, progress }: TimelineParts): VNode {
  const spans = spansOf(events, now, settledAt)
  const began = events[0]?.at ?? now
  return (
    <div>
      <p class="standing" role="status">
        <Standing events={events} progress={progress} />
      </p>
      <Bar spans={spans} />
      <ul class="key">
        {totalsOf(spans).map(({ part, seconds }) => (
          <li key={part}>
            <Swatch part={part} /> {partNames[part]} <strong>{formatDuration(seconds)}</strong>
          </li>
        ))}
      </ul>
      <ol class="timeline">
        {events.filter(isShown).map(({ id, at, title, detail }) => (
          <li key={id}>
            <span class="offset">+{formatDuration((at - began) / 1000)}</span>
            <span>
              <strong>
                <Marked text={title} />
              </strong>
              {detail && (
                <span class="under quiet">
                  <Marked text={detail} />
                </span>
              )}
            </span>
          </li>
        ))}
      </ol>
    </div>
  )
}

/** `step_completed` is not shown: the event with the step's result already shows that the step is over. */
const isShown = ({ type }: TimelineEntry): boolean => type !== 'step_completed'

/** Milliseconds matter for a short job. */
const formatDuration = (seconds: number): string =>
  seconds < 1 ? `${Math.round(seconds * 1000)} ms` : formatSeconds(seconds)

const ofPlaces: ReadonlySet<TimelineEntry['type']> = new Set([
  'accepted',
  'step_started',
  'step_retry',
  'step_completed',
])

/** The current activity, in a few words. */
function Standing({ events, progress }: Pick<TimelineParts, 'events' | 'progress'>): VNode {
  const end = endOf(events)
  const last = events.findLast(({ type }) => ofPlaces.has(type))
  if (end !== undefined) return <>Took {formatDuration((end - (events[0]?.at ?? end)) / 1000)}.</>
  const isWorking = last?.type === 'step_started'
  const words = isWorking || last?.type === 'step_retry' ? last.title : 'Waiting for a free worker'
  return (
    <>
      <span class="busy-dot" aria-hidden="true" /> {words}
      {isWorking && progress !== null && progress > 0 && ` (${Math.round(progress * 100)} %)`}
    </>
  )
}

/** The drawing's width, height and gap between parts, in its own units. */
const [WIDTH, HEIGHT, GAP] = [1000, 14, 4]
/** The least width of a part, so that even a very short one is visible. */
const LEAST = 8

function Bar({ spans }: { spans: readonly Span[] }): VNode {
  const total = spans.reduce((sum, { seconds }) => sum + seconds, 0)
  const room = WIDTH - spans.length * (GAP + LEAST)
  let x = 0
  const drawn = spans.map(({ part, seconds }, index) => {
    const width = LEAST + Math.max(0, room) * (total === 0 ? 0 : seconds / total)
    const at = x
    x += width + GAP
    return (
      <rect key={`${index} ${part}`} class={`part-${part}`} x={round(at)} y="0" width={round(width)} height={HEIGHT} />
    )
  })
  const label = totalsOf(spans).map(({ part, seconds }) => `${partNames[part]} ${formatDuration(seconds)}`)
  return (
    <svg
      class="time-bar"
      role="img"
      aria-label={`Time by part: ${label.join(', ')}`}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width="100%"
      height={HEIGHT}
      preserveAspectRatio="none"
    >
      {drawn}
    </svg>
  )
}

const round = (length: number): number => Math.round(length * 10) / 10

const Swatch = ({ part }: { part: TimePart }): VNode => (
  <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
    <rect class={`part-${part}`} width="12" height="12" rx="3" />
  </svg>
)

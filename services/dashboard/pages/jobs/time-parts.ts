import type { TimelineEntry } from './timeline-entry.ts'

/** The parts of a job's time, in their possible order. */
export const timeParts = ['waiting', 'fetch', 'caption', 'speech-to-text', 'extract', 'settle'] as const

export type TimePart = (typeof timeParts)[number]

/** A stretch of a job's time. */
export type Span = { part: TimePart; seconds: number }

const ends = new Set<TimelineEntry['type']>(['completed', 'failed', 'cancelled'])

/** When the job ended, milliseconds since 1970; undefined while it runs. */
export const endOf = (events: readonly TimelineEntry[]): number | undefined =>
  events.find(({ type }) => ends.has(type))?.at

/**
 * The stretches of a job's time in order, without empty ones. Time without a worker counts as waiting.
 * @param now milliseconds since 1970; the last stretch lasts until then unless the job has ended
 * @param settledAt when its credits were settled; undefined: unknown, or not yet
 */
export function spansOf(events: readonly TimelineEntry[], now: number, settledAt: number | undefined): Span[] {
  const spans: Span[] = []
  let part: TimePart = 'waiting'
  let since = events[0]?.at ?? now
  const change = (to: TimePart, at: number): void => {
    if (at > since) spans.push({ part, seconds: (at - since) / 1000 })
    part = to
    since = Math.max(since, at)
  }
  for (const { type, step, at } of events) {
    if (type === 'step_started') change(step ?? 'waiting', at)
    if (type === 'step_completed' || type === 'step_retry') change('waiting', at)
    if (ends.has(type)) change('settle', at)
  }
  change('waiting', endOf(events) === undefined ? now : (settledAt ?? since))
  return spans
}

/** The seconds of each part, in the order of the parts, without parts that took no time. */
export const totalsOf = (spans: readonly Span[]): Span[] =>
  timeParts.flatMap((part) => {
    const of = spans.filter((span) => span.part === part)
    return of.length === 0 ? [] : [{ part, seconds: of.reduce((sum, { seconds }) => sum + seconds, 0) }]
  })

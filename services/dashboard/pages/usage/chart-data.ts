import { UNKNOWN, type UsageDocument } from '#packages/events/views/usage.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** The operations that divide each bar, from the bottom up. `unknown`: settlements of the first format, without one. */
export const operations = ['transcript', 'extraction', UNKNOWN] as const

export type Operation = (typeof operations)[number]

export const operationNames: Record<Operation, string> = {
  transcript: 'Transcripts',
  extraction: 'Extractions',
  unknown: 'Unknown',
}

/** Credits charged in one bar. `from`, `to`: the first instants of its first and its last day, milliseconds since 1970. */
export type Bar = { from: number; to: number; jobs: number } & Record<Operation, number>

/** Every day of a range (UTC), oldest first, including days on which nothing was settled. */
export function barsOf({ from, to, days }: { from: string; to: string; days: readonly UsageDocument[] }): Bar[] {
  const first = Date.parse(from)
  const byDay = new Map(days.map((day) => [day.startsAt, day]))
  return Array.from({ length: (Date.parse(to) - first) / DAY_MS + 1 }, (_, index) => {
    const at = first + index * DAY_MS
    return barOf(at, byDay.get(at))
  })
}

function barOf(at: number, day: UsageDocument | undefined): Bar {
  const bar: Bar = { from: at, to: at, jobs: 0, transcript: 0, extraction: 0, unknown: 0 }
  for (const [name, cost] of Object.entries(day?.operation ?? {})) {
    const operation = operations.find((each) => each === name) ?? UNKNOWN
    bar[operation] += cost.charged
    bar.jobs += cost.jobs
  }
  return bar
}

export const totalOf = (bar: Bar): number => operations.reduce((sum, operation) => sum + bar[operation], 0)

/** The same in fewer bars of several days each, counted from the newest day. The first bar may have fewer days. */
export function inBarsOf(days: number, bars: readonly Bar[]): Bar[] {
  const short = bars.length % days
  const starts = Array.from({ length: Math.ceil(bars.length / days) }, (_, index) =>
    short === 0 ? index * days : Math.max(0, short + (index - 1) * days),
  )
  return starts.map((start, index) => bars.slice(start, starts[index + 1]).reduce(joined))
}

const joined = (one: Bar, other: Bar): Bar => ({
  from: one.from,
  to: other.to,
  jobs: one.jobs + other.jobs,
  transcript: one.transcript + other.transcript,
  extraction: one.extraction + other.extraction,
  unknown: one.unknown + other.unknown,
})

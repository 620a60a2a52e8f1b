import type { ChartPlan } from '../questions.ts'
import type { Plain } from '../run-query.ts'

/** Series that have a colour of their own. */
export const MAX_SERIES = 8

/** What the rest is called. */
const OTHER = 'other'

/** The numbers of a picture. */
export type ChartData = {
  /** The column that says what the numbers are. */
  unit: string
  along: readonly string[]
  series: readonly string[]
  /** The number of one place and one series; undefined where the answer has none. */
  at(along: string, series: string): number | undefined
}

type Row = Readonly<Record<string, Plain>>

/** Series stand in the order of their size, so that the colours that differ most go to the largest. */
export function chartData(rows: readonly Row[], { kind, values, along, series }: ChartPlan): ChartData {
  const points = rows.flatMap((row) =>
    values.flatMap((value) => {
      const number = row[value]
      const name = series === undefined ? value : String(row[series] ?? 'not known')
      return typeof number === 'number' ? [{ along: String(row[along]), series: name, number }] : []
    }),
  )
  const all = [...new Set(points.map((point) => point.series))]
  // The rows of a grid have names, and no colours of their own.
  const names = series === undefined ? [...values] : kind === 'grid' ? all : bySize(points)
  const shown = kind !== 'grid' && names.length > MAX_SERIES ? [...names.slice(0, MAX_SERIES - 1), OTHER] : names
  const numbers = new Map<string, number>()
  for (const point of points) {
    const key = `${point.along}\n${shown.includes(point.series) ? point.series : OTHER}`
    numbers.set(key, (numbers.get(key) ?? 0) + point.number)
  }
  return {
    unit: values[0] ?? '',
    along: [...new Set(rows.map((row) => String(row[along])))],
    series: shown,
    at: (place, name) => numbers.get(`${place}\n${name}`),
  }
}

/** The series of the one place that there is as places of their own: a chart with a single point shows nothing. */
export function ofOnePlace({ unit, along: [place = ''], series, at }: ChartData): ChartData {
  const named = series.filter((name) => at(place, name) !== undefined)
  return { unit, along: named, series: [unit], at: (name) => at(place, name) }
}

function bySize(points: readonly { series: string; number: number }[]): string[] {
  const sizes = new Map<string, number>()
  for (const { series, number } of points) sizes.set(series, (sizes.get(series) ?? 0) + Math.abs(number))
  return [...sizes].sort(([, one], [, other]) => other - one).map(([name]) => name)
}

/** The largest number and where it stands: what a picture shows at first sight, in words. */
export function largest({
  along,
  series,
  at,
}: ChartData): { along: string; series: string; number: number } | undefined {
  const points = along.flatMap((place) =>
    series.flatMap((name) => {
      const number = at(place, name)
      return number === undefined ? [] : [{ along: place, series: name, number }]
    }),
  )
  return points.sort((one, other) => other.number - one.number)[0]
}

import type { ChartData } from '#services/dashboard/look/charts/chart-data.ts'
import { labelOf } from '#services/dashboard/look/charts/format.ts'
import type { ChartPlan } from '../questions.ts'
import type { Plain } from '../run-query.ts'

/** The most series with a colour of their own. */
export const MAX_SERIES = 8

/** The name of the merged remaining series. */
const OTHER = 'other'

type Row = Readonly<Record<string, Plain>>

/** Reads a chart from rows. The largest series come first and so get the most distinct colours. */
export function chartData(rows: readonly Row[], { kind, values, along, series }: ChartPlan): ChartData {
  const points = rows.flatMap((row) =>
    values.flatMap((value) => {
      const number = row[value]
      const name = series === undefined ? value : String(row[series] ?? 'not known')
      return typeof number === 'number' ? [{ along: String(row[along]), series: name, number }] : []
    }),
  )
  const all = [...new Set(points.map((point) => point.series))]
  // Rows of a grid have names instead of colours.
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
    nameOf: labelOf,
  }
}

/** Turns the series of a single place into places: a chart with a single point shows nothing. */
export function ofOnePlace({ unit, along: [place = ''], series, at, nameOf }: ChartData): ChartData {
  const named = series.filter((name) => at(place, name) !== undefined)
  return { unit, along: named, series: [unit], at: (name) => at(place, name), nameOf }
}

function bySize(points: readonly { series: string; number: number }[]): string[] {
  const sizes = new Map<string, number>()
  for (const { series, number } of points) sizes.set(series, (sizes.get(series) ?? 0) + Math.abs(number))
  return [...sizes].sort(([, one], [, other]) => other - one).map(([name]) => name)
}

import { formatNumber, longOf } from './format.ts'

/** The numbers of a chart. */
export type ChartData = {
  /** The name of the unit, such as `credits` or `wait_seconds` (`format.ts`). */
  unit: string
  /** The places of the chart: months, days (`2026-01-31`), times, ids or words. */
  along: readonly string[]
  /** `other` and `unknown` are drawn as the remainder. */
  series: readonly string[]
  /** The number of one place and one series; undefined if there is none. */
  at(along: string, series: string): number | undefined
  nameOf(series: string): string
  /** What the chart says about a place, in lines. Without it, the name of the place and its numbers. */
  tipOf?(along: string): string
}

export function tipOf(data: ChartData, place: string): string {
  const { series, at, nameOf, unit } = data
  const numbers = series.flatMap((name) => {
    const number = at(place, name)
    return number === undefined || number === 0 ? [] : [`${nameOf(name)}: ${formatNumber(number, unit)}`]
  })
  return data.tipOf?.(place) ?? [longOf(place), ...numbers].join('\n')
}

/** The colour of a series, as a CSS class. */
export const colourOf = ({ series }: ChartData, index: number): string =>
  ['other', 'unknown'].includes(series[index] ?? '') ? 'rest' : `c${index}`

/** The largest number and its place: the main message of the chart, in words. */
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

/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import { Chart, Legend } from '../../look/charts/chart.tsx'
import type { ChartData } from '../../look/charts/chart-data.ts'
import { formatDay } from '../../look/charts/format.ts'
import { creditsWords, formatNumber, Scroll, TableHead } from '../../look/parts.tsx'
import { type Bar, inBarsOf, type Operation, operationNames, operations, totalOf } from './chart-data.ts'

/** The most bars of a phone's picture: the 90 of three months would be too thin. */
const MOST_NARROW = 31
const DAYS_PER_WEEK = 7
const TITLE = 'Credits charged by day and operation'

type BarsParts = { bars: readonly Bar[] }

/** The credits of each day, as a chart and as a table. */
export function DayChart({ bars }: BarsParts): VNode {
  const data = dataOf(bars)
  return (
    <>
      <Chart
        id="days"
        kind="bars"
        title={TITLE}
        description={descriptionOf(bars)}
        dataOf={(form) =>
          form === 'narrow' && bars.length > MOST_NARROW ? dataOf(inBarsOf(DAYS_PER_WEEK, bars)) : data
        }
        caption={<Legend data={data} />}
        hasIsland
      />
      <DayTable bars={bars} />
    </>
  )
}

/** Jobs of an unknown operation are shown only if there are any. */
const shownOperations = (bars: readonly Bar[]): Operation[] =>
  operations.filter((operation) => operation !== 'unknown' || bars.some((bar) => bar.unknown > 0))

function dataOf(bars: readonly Bar[]): ChartData {
  const byDay = new Map<string, Bar>(bars.map((bar) => [isoDay(bar.from), bar]))
  return {
    unit: 'credits',
    along: [...byDay.keys()],
    series: shownOperations(bars),
    at: (day, operation) => byDay.get(day)?.[operation as Operation],
    nameOf: (operation) => operationNames[operation as Operation],
    tipOf: (day) => tipOf(byDay.get(day)),
  }
}

const isoDay = (at: number): string => new Date(at).toISOString().slice(0, 10)

const spanOf = ({ from, to }: Bar): string => (from === to ? formatDay(from) : `${formatDay(from)} – ${formatDay(to)}`)

function tipOf(bar: Bar | undefined): string {
  if (bar === undefined) return ''
  const parts = operations.filter((operation) => bar[operation] > 0)
  const jobs = bar.jobs === 1 ? '1 job' : `${formatNumber(bar.jobs)} jobs`
  const credits = parts.map((operation) => `${operationNames[operation]}: ${formatNumber(bar[operation])}`)
  return [spanOf(bar), jobs, ...credits].join('\n')
}

function descriptionOf(bars: readonly Bar[]): string {
  const total = bars.reduce((sum, bar) => sum + totalOf(bar), 0)
  const highest = bars.reduce((best, bar) => (totalOf(bar) > totalOf(best) ? bar : best))
  const whole = `${creditsWords(total)} in all.`
  return total === 0
    ? whole
    : `${whole} Most on ${spanOf(highest)}: ${formatNumber(totalOf(highest))}. The table has all.`
}

/** The chart's numbers, newest day first, without days that have no job. */
function DayTable({ bars }: BarsParts): VNode {
  const shown = shownOperations(bars)
  return (
    <details class="fold">
      <summary>Show as a table</summary>
      <Scroll label={TITLE}>
        <table class="numbers">
          <caption>Credits charged by day (UTC). Days without finished jobs are left out.</caption>
          <TableHead columns={['Day', 'Jobs', ...shown.map((operation) => operationNames[operation]), 'Credits']} />
          <tbody>
            {bars
              .filter(({ jobs }) => jobs > 0)
              .toReversed()
              .map((bar) => (
                <tr key={bar.from}>
                  <th scope="row">{isoDay(bar.from)}</th>
                  <td>{formatNumber(bar.jobs)}</td>
                  {shown.map((operation) => (
                    <td key={operation}>{formatNumber(bar[operation])}</td>
                  ))}
                  <td>{formatNumber(totalOf(bar))}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </Scroll>
    </details>
  )
}

/** @jsxRuntime automatic @jsxImportSource preact */
import { scaleBand, scaleLinear } from 'd3-scale'
import type { Series } from 'd3-shape'
import type { VNode } from 'preact'
import { creditsWords, formatNumber } from '../../look/parts.tsx'
import { type Bar, inBarsOf, type Operation, operationNames, operations, stacked, totalOf } from './chart-data.ts'

/** Sizes in the picture's units. `bars`: the most that fit, with gaps. */
type Form = { name: 'wide' | 'narrow'; width: number; height: number; labels: number; bars: number }

const wide: Form = { name: 'wide', width: 860, height: 260, labels: 6, bars: 92 }
const narrow: Form = { name: 'narrow', width: 320, height: 210, labels: 3, bars: 31 }

const margin = { top: 12, right: 4, bottom: 26, left: 40 }
const LABEL_WIDTH = 48
/** The gap between neighbours, because not everyone can distinguish their colours. */
const GAP = 2
const DAYS_PER_WEEK = 7

/** Two pictures of the same numbers. One is for phones, where the 90 bars of three months would be too thin. */
export const Chart = ({ bars }: { bars: readonly Bar[] }): VNode => (
  <figure class="chart" data-island="chart">
    <Legend bars={bars} />
    {[wide, narrow].map((form) => (
      <Picture key={form.name} form={form} bars={bars.length > form.bars ? inBarsOf(DAYS_PER_WEEK, bars) : bars} />
    ))}
  </figure>
)

const Legend = ({ bars }: { bars: readonly Bar[] }): VNode => (
  <figcaption class="legend small">
    {operations
      .filter((operation) => operation !== 'unknown' || bars.some((bar) => bar.unknown > 0))
      .map((operation) => (
        <span key={operation}>
          <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
            <rect class={`bar ${operation}`} x="1" y="1" width="12" height="12" rx="2" />
          </svg>
          {operationNames[operation]}
        </span>
      ))}
  </figcaption>
)

function Picture({ form, bars }: { form: Form; bars: readonly Bar[] }): VNode {
  const { name, width, height } = form
  const x = scaleBand<number>()
    .domain(bars.map(({ from }) => from))
    .range([margin.left, width - margin.right])
  const y = scaleLinear()
    .domain([0, Math.max(4, ...bars.map(totalOf))])
    .nice(4)
    .range([height - margin.bottom, margin.top])
  const barWidth = Math.min(28, Math.max(1, x.bandwidth() - GAP))
  const leftOf = (bar: Bar): number => rounded((x(bar.from) ?? 0) + (x.bandwidth() - barWidth) / 2)
  return (
    <svg
      class={name}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-labelledby={`${name}-title ${name}-desc`}
      data-tips={bars.map(tipOf).join('\n\n')}
      data-from={margin.left / width}
      data-to={(width - margin.right) / width}
    >
      <title id={`${name}-title`}>Credits charged by day and operation</title>
      <desc id={`${name}-desc`}>{descriptionOf(bars)}</desc>
      {y
        .ticks(4)
        .filter(Number.isInteger)
        .map((tick) => (
          <g key={tick}>
            <line class="rule" x1={margin.left} x2={width - margin.right} y1={y(tick)} y2={y(tick)} />
            <text x={margin.left - 8} y={y(tick)} dy="0.32em" text-anchor="end">
              {formatNumber(tick)}
            </text>
          </g>
        ))}
      {stacked(bars).map((series) => (
        <path key={series.key} class={`bar ${series.key}`} d={outlineOf(series, { y, leftOf, barWidth })} />
      ))}
      {labelled(bars, form.labels).map((bar) => {
        const centre = (x(bar.from) ?? 0) + x.bandwidth() / 2
        const isAtEdge = centre + LABEL_WIDTH / 2 > width
        return (
          <text key={bar.from} x={isAtEdge ? width : centre} y={height - 8} text-anchor={isAtEdge ? 'end' : 'middle'}>
            {dayName(bar.from)}
          </text>
        )
      })}
    </svg>
  )
}

type Scales = { y: (credits: number) => number; leftOf: (bar: Bar) => number; barWidth: number }

/** The bars of one operation as one path: a rectangle for each would double the page. */
const outlineOf = (series: Series<Bar, Operation>, { y, leftOf, barWidth }: Scales): string =>
  series
    .filter(([low, high]) => high > low)
    .map((point) => {
      const [low, high] = point
      const top = y(high)
      const height = Math.max(1, y(low) - top - (low > 0 ? GAP : 0))
      const width = rounded(barWidth)
      return `M${leftOf(point.data)} ${rounded(top)}h${width}v${rounded(height)}h${-width}z`
    })
    .join('')

const rounded = (size: number): number => Math.round(size * 10) / 10

const dayFormat = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

const dayName = (at: number): string => dayFormat.format(at)

/** The bars that are labelled with their day: evenly spread, and including the newest. */
function labelled(bars: readonly Bar[], most: number): Bar[] {
  const step = Math.ceil(bars.length / most)
  return bars.filter((_, index) => (bars.length - 1 - index) % step === 0)
}

export const spanOf = ({ from, to }: Bar): string => (from === to ? dayName(from) : `${dayName(from)} – ${dayName(to)}`)

/** The texts beside the bars, one line each. The island finds a bar by its place between `data-from` and `data-to`. */
function tipOf(bar: Bar): string {
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

/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import type { ChartPlan, Question } from '../questions.ts'
import type { Plain } from '../run-query.ts'
import { type Form, narrow, Svg, wide } from './axes.tsx'
import { Bars, Rows, rowsForm } from './bars.tsx'
import { type ChartData, chartData, largest, ofOnePlace } from './chart-data.ts'
import { formatNumber, labelOf, longOf, nameOf } from './format.ts'
import { Grid, gridForm } from './grid.tsx'
import { Lines } from './lines.tsx'

type Kind = {
  Marks: (props: { data: ChartData; form: Form }) => VNode
  formOf(data: ChartData, form: Form): Form
}

const sameForm = (_: ChartData, form: Form): Form => form

const kinds: Record<ChartPlan['kind'], Kind> = {
  bars: { Marks: Bars, formOf: sameForm },
  rows: { Marks: Rows, formOf: rowsForm },
  lines: { Marks: Lines, formOf: sameForm },
  grid: { Marks: Grid, formOf: gridForm },
}

/** Two pictures of the same numbers. One is for phones. */
export function Picture({ question, plan, rows }: PictureProps): VNode {
  const data = chartData(rows, plan)
  if (largest(data) === undefined) return <p class="quiet">There is nothing to draw yet.</p>
  const isOnePlace = plan.kind !== 'rows' && data.along.length === 1
  const { Marks, formOf } = kinds[isOnePlace ? 'rows' : plan.kind]
  const drawn = isOnePlace ? ofOnePlace(data) : data
  return (
    <figure>
      <figcaption>
        <span class="what">{whatOf(plan)}</span>
        {plan.kind !== 'grid' && <span class="most">{mostOf(data)}</span>}
        {hasLegend(plan) && !isOnePlace && <Legend series={data.series} />}
      </figcaption>
      {[wide, narrow].map((form) => (
        <Svg
          key={form.name}
          id={`q${question.number}`}
          form={formOf(drawn, form)}
          title={question.title}
          description={`${mostOf(data)} The table has all.`}
        >
          <Marks data={drawn} form={formOf(drawn, form)} />
        </Svg>
      ))}
    </figure>
  )
}

type PictureProps = { question: Question; plan: ChartPlan; rows: readonly Record<string, Plain>[] }

const hasLegend = ({ kind, values, series }: ChartPlan): boolean =>
  kind !== 'grid' && (series !== undefined || values.length > 1)

function whatOf({ values, along, series, kind }: ChartPlan): string {
  const by = kind === 'grid' ? `${labelOf(series ?? '')} (down) and ${labelOf(along)} (across)` : labelOf(along)
  return values.length === 1 ? `${nameOf(values[0] ?? '')} by ${by}` : `by ${by}`
}

const Legend = ({ series }: { series: readonly string[] }): VNode => (
  <span class="legend">
    {series.map((name, index) => (
      <span key={name}>
        <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
          <rect class={`c${index}`} width="12" height="12" rx="2" />
        </svg>
        {labelOf(name)}
      </span>
    ))}
  </span>
)

/** The main message of the picture, in words. */
function mostOf(data: ChartData): string {
  const most = largest(data)
  if (most === undefined) return ''
  const of = data.series.length > 1 ? `, ${labelOf(most.series)}` : ''
  return `Most: ${formatNumber(most.number, data.unit)}${of}, ${longOf(most.along)}.`
}

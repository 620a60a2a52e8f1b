/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import { Chart, Legend } from '#services/dashboard/look/charts/chart.tsx'
import { type ChartData, largest } from '#services/dashboard/look/charts/chart-data.ts'
import { formatNumber, labelOf, longOf, nameOf } from '#services/dashboard/look/charts/format.ts'
import type { ChartPlan, Question } from '../questions.ts'
import type { Plain } from '../run-query.ts'
import { chartData, ofOnePlace } from './chart-data.ts'

type PictureProps = { question: Question; plan: ChartPlan; rows: readonly Record<string, Plain>[] }

/** The chart of a question. */
export function Picture({ question, plan, rows }: PictureProps): VNode {
  const data = chartData(rows, plan)
  const most = mostOf(data)
  if (most === undefined) return <p class="quiet">There is nothing to draw yet.</p>
  const isOnePlace = plan.kind !== 'rows' && data.along.length === 1
  const drawn = isOnePlace ? ofOnePlace(data) : data
  return (
    <Chart
      id={`q${question.number}`}
      kind={isOnePlace ? 'rows' : plan.kind}
      title={question.title}
      description={`${most} The table has all.`}
      dataOf={() => drawn}
      caption={
        <>
          <span>{capitalized(whatOf(plan))}.</span>
          {plan.kind !== 'grid' && <span>{most}</span>}
          {hasLegend(plan) && !isOnePlace && <Legend data={data} />}
        </>
      }
    />
  )
}

const hasLegend = ({ kind, values, series }: ChartPlan): boolean =>
  kind !== 'grid' && (series !== undefined || values.length > 1)

function whatOf({ values, along, series, kind }: ChartPlan): string {
  const by = kind === 'grid' ? `${labelOf(series ?? '')} (down) and ${labelOf(along)} (across)` : labelOf(along)
  return values.length === 1 ? `${nameOf(values[0] ?? '')} by ${by}` : `by ${by}`
}

export const capitalized = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)

/** The main message of the picture, in words. */
function mostOf(data: ChartData): string | undefined {
  const most = largest(data)
  if (most === undefined) return undefined
  const of = data.series.length > 1 ? `, ${labelOf(most.series)}` : ''
  return `Most: ${formatNumber(most.number, data.unit)}${of}, ${longOf(most.along)}.`
}

/** @jsxRuntime automatic @jsxImportSource preact */
import type { ComponentChildren, VNode } from 'preact'
import { type Form, margin } from './axes.tsx'
import { Bars, type MarkParts, Rows, rowsForm } from './bars.tsx'
import { type ChartData, colourOf, tipOf } from './chart-data.ts'
import { Grid, gridForm } from './grid.tsx'
import { Lines } from './lines.tsx'

export type ChartKind = 'bars' | 'rows' | 'lines' | 'grid'

type Kind = { Marks: (parts: MarkParts) => VNode; formOf?: (data: ChartData, form: Form) => Form }

const kinds: Record<ChartKind, Kind> = {
  bars: { Marks: Bars },
  rows: { Marks: Rows, formOf: rowsForm },
  lines: { Marks: Lines },
  grid: { Marks: Grid, formOf: gridForm },
}

const forms: readonly Form[] = [
  { name: 'wide', width: 860, height: 260, labels: 7 },
  { name: 'narrow', width: 320, height: 210, labels: 4 },
]

type ChartParts = {
  /** Unique in the page. */
  id: string
  kind: ChartKind
  title: string
  /** The chart in words, for those who cannot see it. */
  description: string
  dataOf: (form: Form['name']) => ChartData
  /** Stands above the pictures: `Legend`. */
  caption: ComponentChildren
  /** Whether a script shows the tooltips of the bars. Otherwise the browser does. */
  hasIsland?: boolean
}

/** Two pictures of the same numbers. The narrow one is for phones. */
export const Chart = ({ caption, hasIsland = false, ...parts }: ChartParts): VNode => (
  <figure class="chart" data-island={hasIsland ? 'chart' : undefined}>
    <figcaption class="legend small">{caption}</figcaption>
    {forms.map((form) => (
      <Picture key={form.name} {...parts} form={form} hasIsland={hasIsland} />
    ))}
  </figure>
)

type PictureParts = Omit<ChartParts, 'caption'> & { form: Form }

function Picture({ id, kind, title, description, dataOf, hasIsland, form: { name, ...sizes } }: PictureParts): VNode {
  const { Marks, formOf } = kinds[kind]
  const data = dataOf(name)
  const form = formOf?.(data, { name, ...sizes }) ?? { name, ...sizes }
  const [titleId, descriptionId] = [`${id}-${name}-t`, `${id}-${name}-d`]
  return (
    <svg
      class={name}
      viewBox={`0 0 ${form.width} ${form.height}`}
      role="img"
      aria-labelledby={`${titleId} ${descriptionId}`}
      {...(hasIsland && tipsOf(data, form))}
    >
      <title id={titleId}>{title}</title>
      <desc id={descriptionId}>{description}</desc>
      <Marks data={data} form={form} hasTitles={!hasIsland} />
    </svg>
  )
}

/** The texts beside the bars. The island finds a bar by its place between `data-from` and `data-to`. */
const tipsOf = (data: ChartData, { width }: Form) => ({
  'data-tips': data.along.map((place) => tipOf(data, place)).join('\n\n'),
  'data-from': margin.left / width,
  'data-to': (width - margin.right) / width,
})

export const Legend = ({ data }: { data: ChartData }): VNode => (
  <>
    {data.series.map((name, index) => (
      <span key={name}>
        <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
          <rect class={`bar ${colourOf(data, index)}`} x="1" y="1" width="12" height="12" rx="2" />
        </svg>
        {data.nameOf(name)}
      </span>
    ))}
  </>
)

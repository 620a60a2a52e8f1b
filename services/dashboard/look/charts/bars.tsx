/** @jsxRuntime automatic @jsxImportSource preact */
import { scaleBand, scaleLinear } from 'd3-scale'
import { stack, stackOffsetDiverging } from 'd3-shape'
import type { VNode } from 'preact'
import { type Form, GAP, heights, margin, NumberAxis, PlaceAxis, rounded } from './axes.tsx'
import { type ChartData, colourOf, tipOf } from './chart-data.ts'
import { formatNumber, shortOf } from './format.ts'

/** The greatest width of a bar. */
const WIDEST = 28
/** The greatest height of a row's bar, and of the row with its spacing. */
const ROW = { bar: 16, whole: 27 }

export type MarkParts = {
  data: ChartData
  form: Form
  /** Whether each mark has a tooltip of the browser. Otherwise a script shows them (`islands/chart.ts`). */
  hasTitles: boolean
}

/** A segment of a bar. Negative ones are on the other side of 0. */
type Piece = { place: string; from: number; to: number }
type Box = { x: number; y: number; width: number; height: number }

/** The segments of each series. */
const layersOf = ({ along, series, at }: ChartData): Piece[][] =>
  stack<string, string>()
    .keys(series)
    .value((place, name) => at(place, name) ?? 0)
    .offset(stackOffsetDiverging)([...along])
    .map((layer) =>
      layer.flatMap((point) => {
        const [from, to] = [Math.min(point[0], point[1]), Math.max(point[0], point[1])]
        return to > from ? [{ place: point.data, from, to }] : []
      }),
    )

const endsOf = (layers: readonly Piece[][]): number[] => layers.flat().flatMap(({ from, to }) => [from, to])

type PiecesParts = { data: ChartData; layers: readonly Piece[][]; boxOf: (piece: Piece) => Box }

/** Each series is one path: a rectangle for each segment would double the page. */
const Pieces = ({ data, layers, boxOf }: PiecesParts): VNode => (
  <>
    {layers.map((pieces, index) => (
      <path
        key={data.series[index]}
        class={`bar ${colourOf(data, index)}`}
        d={pieces.map((piece) => outlineOf(boxOf(piece))).join('')}
      />
    ))}
  </>
)

function outlineOf({ x, y, width, height }: Box): string {
  const across = rounded(width)
  return `M${rounded(x)} ${rounded(y)}h${across}v${rounded(height)}h${-across}z`
}

/** What the browser shows beside each bar while the pointer is on its place. */
const Titles = ({ data, spotOf }: { data: ChartData; spotOf: (place: string) => Box }): VNode => (
  <>
    {data.along.map((place) => (
      <rect key={place} fill="transparent" {...spotOf(place)}>
        <title>{tipOf(data, place)}</title>
      </rect>
    ))}
  </>
)

/** Vertical bars, side by side. */
export function Bars({ data, form, hasTitles }: MarkParts): VNode {
  const layers = layersOf(data)
  const x = scaleBand<string>()
    .domain(data.along)
    .range([margin.left, form.width - margin.right])
  const y = heights(endsOf(layers), form)
  const width = Math.min(WIDEST, Math.max(1, x.bandwidth() - GAP))
  const centreOf = (place: string): number => (x(place) ?? 0) + x.bandwidth() / 2
  return (
    <>
      <NumberAxis scale={y} form={form} unit={data.unit} />
      <Pieces
        data={data}
        layers={layers}
        boxOf={({ place, from, to }) => ({
          x: centreOf(place) - width / 2,
          y: y(to),
          width,
          height: Math.max(1, y(from) - y(to) - (from === 0 ? 0 : GAP)),
        })}
      />
      {hasTitles && (
        <Titles
          data={data}
          spotOf={(place) => ({
            x: rounded(x(place) ?? 0),
            y: margin.top,
            width: rounded(x.bandwidth()),
            height: form.height - margin.top - margin.bottom,
          })}
        />
      )}
      <PlaceAxis form={form} places={data.along.map((place) => ({ x: centreOf(place), text: shortOf(place, 10) }))} />
    </>
  )
}

export const rowsForm = (data: ChartData, form: Form): Form => ({ ...form, height: data.along.length * ROW.whole + 8 })

/** Horizontal bars, each with its name and its sum. */
export function Rows({ data, form, hasTitles }: MarkParts): VNode {
  const layers = layersOf(data)
  const ends = endsOf(layers)
  const [names, most] = form.name === 'wide' ? [130, 18] : [88, 11]
  const x = scaleLinear()
    .domain([Math.min(0, ...ends), Math.max(0, ...ends) || 1])
    .range([names, form.width - 58])
  const top = (place: string): number => data.along.indexOf(place) * ROW.whole + 6
  return (
    <>
      <Pieces
        data={data}
        layers={layers}
        boxOf={({ place, from, to }) => ({
          x: x(from),
          y: top(place),
          width: Math.max(1, x(to) - x(from) - GAP),
          height: ROW.bar,
        })}
      />
      {data.along.map((place) => {
        const sum = data.series.reduce((total, name) => total + (data.at(place, name) ?? 0), 0)
        return (
          <g key={place}>
            <text x={names - 8} y={top(place) + ROW.bar / 2} dy="0.34em" text-anchor="end">
              {shortOf(place, most)}
            </text>
            <text class="sum" x={rounded(x(Math.max(0, sum))) + 4} y={top(place) + ROW.bar / 2} dy="0.34em">
              {formatNumber(Math.round(sum * 100) / 100, data.unit)}
            </text>
          </g>
        )
      })}
      {hasTitles && (
        <Titles data={data} spotOf={(place) => ({ x: 0, y: top(place) - 6, width: form.width, height: ROW.whole })} />
      )}
    </>
  )
}

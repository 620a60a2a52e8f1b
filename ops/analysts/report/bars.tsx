/** @jsxRuntime automatic @jsxImportSource preact */
import { scaleBand } from 'd3-scale'
import { stack, stackOffsetDiverging } from 'd3-shape'
import type { VNode } from 'preact'
import { type Form, GAP, margin, NumberAxis, numberScale, PlaceAxis, rounded } from './axes.tsx'
import type { ChartData } from './chart-data.ts'
import { formatNumber, labelOf, shortOf } from './format.ts'

/** The greatest width of a bar. */
const WIDEST = 64
/** The greatest height of a row's bar, and of the row with its spacing. */
const ROW = { bar: 16, whole: 27 }

type Piece = { place: string; name: string; index: number; from: number; to: number }

/** The segments of each bar. Negative ones are on the other side of 0. */
function piecesOf({ along, series, at }: ChartData): Piece[] {
  const stacked = stack<string, string>()
    .keys(series)
    .value((place, name) => at(place, name) ?? 0)
    .offset(stackOffsetDiverging)([...along])
  return stacked.flatMap((layer, index) =>
    layer.flatMap((point) => {
      const [from, to] = [Math.min(point[0], point[1]), Math.max(point[0], point[1])]
      return to > from ? [{ place: point.data, name: layer.key, index, from, to }] : []
    }),
  )
}

const tipOf = ({ place, name }: Piece, { at, unit }: ChartData): string =>
  `${place}, ${labelOf(name)}: ${formatNumber(at(place, name) ?? 0, unit)}`

/** Vertical bars, side by side. */
export function Bars({ data, form }: { data: ChartData; form: Form }): VNode {
  const pieces = piecesOf(data)
  const x = scaleBand<string>()
    .domain(data.along)
    .range([margin.left, form.width - margin.right])
    .paddingInner(0.25)
    .paddingOuter(0.15)
  const y = numberScale(pieces.flatMap(({ from, to }) => [from, to])).range([form.height - margin.bottom, margin.top])
  const width = Math.min(WIDEST, x.bandwidth())
  const leftOf = (place: string): number => (x(place) ?? 0) + (x.bandwidth() - width) / 2
  return (
    <>
      <NumberAxis scale={y} form={form} unit={data.unit} />
      {pieces.map((piece) => (
        <rect
          key={`${piece.place} ${piece.name}`}
          class={`c${piece.index}`}
          x={rounded(leftOf(piece.place))}
          y={rounded(y(piece.to))}
          width={rounded(width)}
          height={rounded(Math.max(1, y(piece.from) - y(piece.to) - (piece.from === 0 ? 0 : GAP)))}
          rx="2"
        >
          <title>{tipOf(piece, data)}</title>
        </rect>
      ))}
      <PlaceAxis
        form={form}
        places={data.along.map((place) => ({ x: (x(place) ?? 0) + x.bandwidth() / 2, text: shortOf(place, 10) }))}
      />
    </>
  )
}

export const rowsForm = (data: ChartData, form: Form): Form => ({ ...form, height: data.along.length * ROW.whole + 8 })

/** Horizontal bars, each with its name and its sum. */
export function Rows({ data, form }: { data: ChartData; form: Form }): VNode {
  const pieces = piecesOf(data)
  const x = numberScale(pieces.flatMap(({ from, to }) => [from, to])).range([form.names, form.width - margin.left])
  const top = (place: string): number => data.along.indexOf(place) * ROW.whole + 6
  return (
    <>
      {pieces.map((piece) => (
        <rect
          key={`${piece.place} ${piece.name}`}
          class={`c${piece.index}`}
          x={rounded(x(piece.from))}
          y={top(piece.place)}
          width={rounded(Math.max(1, x(piece.to) - x(piece.from) - GAP))}
          height={ROW.bar}
          rx="2"
        >
          <title>{tipOf(piece, data)}</title>
        </rect>
      ))}
      {data.along.map((place) => {
        const sum = data.series.reduce((total, name) => total + (data.at(place, name) ?? 0), 0)
        return (
          <g key={place}>
            <text x={form.names - 8} y={top(place) + ROW.bar / 2} dy="0.34em" text-anchor="end">
              {shortOf(place, form.name === 'wide' ? 18 : 11)}
            </text>
            <text class="sum" x={rounded(x(Math.max(0, sum))) + 4} y={top(place) + ROW.bar / 2} dy="0.34em">
              {formatNumber(Math.round(sum * 100) / 100, data.unit)}
            </text>
          </g>
        )
      })}
    </>
  )
}

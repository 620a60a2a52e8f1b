/** @jsxRuntime automatic @jsxImportSource preact */
import { scaleUtc } from 'd3-scale'
import { line } from 'd3-shape'
import type { VNode } from 'preact'
import { heights, margin, NumberAxis, PlaceAxis, rounded } from './axes.tsx'
import type { MarkParts } from './bars.tsx'
import { type ChartData, colourOf } from './chart-data.ts'
import { formatDay, formatNumber, instantOf, shortOf } from './format.ts'

/** A line with more points has no dots. */
const MAX_DOTS = 40

type Point = { place: string; instant: number; number: number }

/** Lines over time, one for each series. */
export function Lines({ data, form }: MarkParts): VNode {
  const lines = data.series.map((name) => ({ name, points: pointsOf(data, name) }))
  const points = lines.flatMap((each) => each.points)
  const instants = points.map(({ instant }) => instant)
  const x = scaleUtc()
    .domain([Math.min(...instants), Math.max(...instants)])
    .range([margin.left + 8, form.width - margin.right - 8])
  const y = heights(
    points.map(({ number }) => number),
    form,
  )
  const draw = line<Point>()
    .x(({ instant }) => rounded(x(instant)))
    .y(({ number }) => rounded(y(number)))
  const ticks = data.along.length <= form.labels ? data.along : undefined
  return (
    <>
      <NumberAxis scale={y} form={form} unit={data.unit} />
      {lines.map(({ name, points: own }, index) => (
        <g key={name}>
          <path class={`line ${colourOf(data, index)}`} d={draw(own) ?? ''} />
          {own.length <= MAX_DOTS &&
            own.map(({ place, instant, number }) => (
              <circle
                key={place}
                class={`bar ${colourOf(data, index)}`}
                cx={rounded(x(instant))}
                cy={rounded(y(number))}
                r="3.5"
              >
                <title>{`${place}, ${data.nameOf(name)}: ${formatNumber(number, data.unit)}`}</title>
              </circle>
            ))}
        </g>
      ))}
      <PlaceAxis
        form={form}
        places={
          ticks?.map((place) => ({ x: x(instantOf(place) ?? 0), text: shortOf(place, 10) })) ??
          x.ticks(form.labels).map((tick) => ({ x: x(tick), text: formatDay(tick.getTime()) }))
        }
      />
    </>
  )
}

const pointsOf = ({ along, at }: ChartData, name: string): Point[] =>
  along.flatMap((place) => {
    const [instant, number] = [instantOf(place), at(place, name)]
    return instant === undefined || number === undefined ? [] : [{ place, instant, number }]
  })

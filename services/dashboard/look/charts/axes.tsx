/** @jsxRuntime automatic @jsxImportSource preact */
import { type ScaleLinear, scaleLinear } from 'd3-scale'
import type { VNode } from 'preact'
import { formatTick } from './format.ts'

/** Sizes in the units of the picture. `labels`: how many places have their names below it. */
export type Form = { name: 'wide' | 'narrow'; width: number; height: number; labels: number }

export const margin = { top: 12, right: 4, bottom: 26, left: 48 }

/** Space for a name below the picture. */
const NAME = 52

/** The gap between neighbours, because not everyone can distinguish their colours. */
export const GAP = 2

/** The smallest top of an axis of whole numbers: its four steps are whole too. */
const LEAST_WHOLE = 4

export const rounded = (size: number): number => Math.round(size * 10) / 10

/** The heights of numbers: from 0, or less for negative numbers, to a round number. */
export function heights(numbers: readonly number[], { height }: Form): ScaleLinear<number, number> {
  const least = numbers.every(Number.isInteger) ? LEAST_WHOLE : 0
  return scaleLinear()
    .domain([Math.min(0, ...numbers), Math.max(least, ...numbers) || 1])
    .nice(4)
    .range([height - margin.bottom, margin.top])
}

/** Grid lines across the picture, with their numbers on the left. */
export const NumberAxis = ({
  scale,
  form: { width },
  unit,
}: {
  scale: ScaleLinear<number, number>
  form: Form
  unit: string
}): VNode => (
  <>
    {scale.ticks(4).map((tick) => (
      <g key={tick}>
        <line
          class={tick === 0 ? 'rule zero' : 'rule'}
          x1={margin.left}
          x2={width - margin.right}
          y1={rounded(scale(tick))}
          y2={rounded(scale(tick))}
        />
        <text x={margin.left - 8} y={rounded(scale(tick))} dy="0.32em" text-anchor="end">
          {formatTick(tick, unit, Math.max(...scale.domain().map(Math.abs)))}
        </text>
      </g>
    ))}
  </>
)

/** Names of places below the picture: as many as fit, evenly spread, and including the last. */
export const PlaceAxis = ({ places, form }: { places: readonly { x: number; text: string }[]; form: Form }): VNode => {
  const step = Math.ceil(places.length / form.labels)
  return (
    <>
      {places
        .filter((_, index) => (places.length - 1 - index) % step === 0)
        .map(({ x, text }) => {
          const isAtEdge = x + NAME / 2 > form.width
          return (
            <text
              key={x}
              x={isAtEdge ? form.width : rounded(x)}
              y={form.height - 8}
              text-anchor={isAtEdge ? 'end' : 'middle'}
            >
              {text}
            </text>
          )
        })}
    </>
  )
}

/** @jsxRuntime automatic @jsxImportSource preact */
import { type ScaleLinear, scaleLinear } from 'd3-scale'
import type { ComponentChildren, VNode } from 'preact'
import { formatTick } from './format.ts'

/** Sizes in the units of the picture. The narrow form is for phones. */
export type Form = { name: 'wide' | 'narrow'; width: number; height: number; labels: number; names: number }

export const wide: Form = { name: 'wide', width: 860, height: 280, labels: 12, names: 130 }
export const narrow: Form = { name: 'narrow', width: 340, height: 230, labels: 5, names: 88 }

export const margin = { top: 14, right: 12, bottom: 28, left: 58 }

/** Space for a name below the picture. */
const NAME = 52

/** The gap between neighbours. Not everybody can tell their colours apart. */
export const GAP = 2

export const rounded = (size: number): number => Math.round(size * 10) / 10

/** From 0, or less for negative numbers, to a round number. */
export const numberScale = (numbers: readonly number[]): ScaleLinear<number, number> =>
  scaleLinear()
    .domain([Math.min(0, ...numbers), Math.max(0, ...numbers) || 1])
    .nice(4)

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

/** Names of places below the picture, as many as fit. */
export const PlaceAxis = ({ places, form }: { places: readonly { x: number; text: string }[]; form: Form }): VNode => {
  const step = Math.ceil(places.length / form.labels)
  return (
    <>
      {places
        .filter((_, index) => index % step === 0)
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

/** A picture with a description in words. */
export const Svg = ({
  form: { name, width, height },
  id,
  title,
  description,
  children,
}: {
  form: Form
  id: string
  title: string
  description: string
  children: ComponentChildren
}): VNode => (
  <svg class={name} viewBox={`0 0 ${width} ${height}`} role="img" aria-labelledby={`${id}-${name}-t ${id}-${name}-d`}>
    <title id={`${id}-${name}-t`}>{title}</title>
    <desc id={`${id}-${name}-d`}>{description}</desc>
    {children}
  </svg>
)

/** @jsxRuntime automatic @jsxImportSource preact */
import { scaleBand } from 'd3-scale'
import type { VNode } from 'preact'
import { type Form, GAP, rounded } from './axes.tsx'
import type { MarkParts } from './bars.tsx'
import type { ChartData } from './chart-data.ts'
import { formatNumber } from './format.ts'

const ROW = 32
const HEAD = 24
/** A narrower cell has no number. Its colour and the table show it. */
const ROOM = 36
/** From this opacity on, a cell is so dark that its number must be light. */
const DARK = 0.7

export const gridForm = ({ series }: ChartData, form: Form): Form => ({
  ...form,
  height: series.length * ROW + HEAD + 4,
})

/** A table of coloured cells: a darker cell is a larger number. */
export function Grid({ data, form }: MarkParts): VNode {
  const { along, series, at, nameOf, unit } = data
  const x = scaleBand<string>().domain(along).range([64, form.width])
  const most = Math.max(...along.flatMap((place) => series.map((name) => at(place, name) ?? 0))) || 1
  const size = { width: rounded(x.bandwidth() - GAP), height: ROW - GAP }
  return (
    <>
      {along.map((place) => (
        <text key={place} x={rounded((x(place) ?? 0) + x.bandwidth() / 2)} y="14" text-anchor="middle">
          {place}
        </text>
      ))}
      {series.map((name, row) => (
        <g key={name}>
          <text x="56" y={HEAD + row * ROW + ROW / 2} dy="0.32em" text-anchor="end">
            {nameOf(name)}
          </text>
          {along.map((place) => {
            const number = at(place, name)
            if (number === undefined) return undefined
            // Squared, so that small numbers get light cells and remain legible.
            const opacity = 0.1 + 0.9 * (number / most) ** 2
            const [left, top] = [rounded(x(place) ?? 0), HEAD + row * ROW]
            return (
              <g key={place}>
                <rect class="bar c0" x={left} y={top} {...size} rx="3" fill-opacity={opacity.toFixed(2)} />
                {size.width >= ROOM && (
                  <text
                    class={opacity > DARK ? 'on-dark' : 'sum'}
                    x={rounded(left + size.width / 2)}
                    y={top + ROW / 2 - 1}
                    dy="0.32em"
                    text-anchor="middle"
                  >
                    {formatNumber(Math.round(number), unit)}
                  </text>
                )}
              </g>
            )
          })}
        </g>
      ))}
    </>
  )
}

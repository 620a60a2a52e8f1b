/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import { formatNumber, Scroll, TableHead } from '../../look/parts.tsx'
import { type Bar, operationNames, operations, totalOf } from './chart-data.ts'

/** The chart's numbers, newest day first, without days that have no job. */
export function DayTable({ bars }: { bars: readonly Bar[] }): VNode {
  const shown = operations.filter((operation) => operation !== 'unknown' || bars.some((bar) => bar.unknown > 0))
  return (
    <details class="fold">
      <summary>Show as a table</summary>
      <Scroll label="Credits charged by day and operation">
        <table class="numbers">
          <caption>Credits charged by day (UTC). Days without finished jobs are left out.</caption>
          <TableHead columns={['Day', 'Jobs', ...shown.map((operation) => operationNames[operation]), 'Credits']} />
          <tbody>
            {bars
              .filter(({ jobs }) => jobs > 0)
              .toReversed()
              .map((bar) => (
                <tr key={bar.from}>
                  <th scope="row">{new Date(bar.from).toISOString().slice(0, 10)}</th>
                  <td>{formatNumber(bar.jobs)}</td>
                  {shown.map((operation) => (
                    <td key={operation}>{formatNumber(bar[operation])}</td>
                  ))}
                  <td>{formatNumber(totalOf(bar))}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </Scroll>
    </details>
  )
}

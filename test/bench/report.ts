import { figure } from './kit/figures.ts'
import type { Conditions } from './kit/machine.ts'
import type { Figures, Growth, Row } from './part.ts'

/** The figures of one part, and the state of the machine at its start. */
export type Result = { title: string; figures: Figures; conditions: Conditions }
export type Circumstances = { machine: string; startedAt: Date; seconds: number; scale: number }

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')

const metOf = ({ met }: Row): string => (met === undefined ? '' : met ? 'yes' : '**no**')

const rowsOf = (rows: readonly Row[]): string =>
  table(
    ['what', 'measured', 'against', 'ratio', 'wanted', 'met'],
    rows.map((row) => [row.what, row.measured, row.against ?? '', row.ratio ?? '', row.wanted ?? '', metOf(row)]),
  )

/** The explanations of the missed figures. */
const whysOf = (rows: readonly Row[]): string[] =>
  rows.flatMap(({ met, why, what, against }) =>
    met === false && why !== undefined ? [`- Why not met, ${against ?? what}. ${why}`] : [],
  )

const growthOf = (growth: readonly Growth[]): string =>
  table(
    ['what', 'as these grow', 'from', '10 ×', '100 ×'],
    growth.map(({ what, unit, grows, values }) => [
      what,
      grows,
      ...values.map(({ size, value }) => `${figure(value)}${unit} at ${size.toLocaleString('en-US')}`),
    ]),
  )

function sectionOf({ title, figures: { rows } }: Result): string[] {
  const whys = whysOf(rows)
  return [`## ${title}`, '', rowsOf(rows), '', ...whys, ...(whys.length > 0 ? [''] : [])]
}

/** How steady the machine was, from part to part. */
function noiseOf(results: readonly Result[]): string {
  const range = (key: keyof Conditions): string => {
    const values = results.map(({ conditions }) => conditions[key])
    return `${figure(Math.min(...values))} to ${figure(Math.max(...values))}`
  }
  return `Before its parts: ${range('fsyncPerSecond')} fsync/s, load average ${range('load')}.`
}

/** The results of a run, as Markdown. */
export function reportOf(results: readonly Result[], { machine, startedAt, seconds, scale }: Circumstances): string {
  const growth = results.flatMap(({ figures }) => figures.growth ?? [])
  return [
    '# Results of the bench',
    '',
    `Written by \`npm run bench\` on ${startedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC, in ${Math.round(seconds)} s.`,
    ...(scale === 1 ? [] : [`A run at ${scale} of the full size: to try it out, not to be quoted.`]),
    '',
    `Machine: ${machine}. ${noiseOf(results)}`,
    '',
    'Ratios compare what ran in turn, in the same run. Absolute figures are those of this machine.',
    '',
    ...results.flatMap(sectionOf),
    ...(growth.length === 0 ? [] : ['## Growth', '', growthOf(growth), '']),
  ].join('\n')
}

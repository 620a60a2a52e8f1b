import { readFileSync } from 'node:fs'

const chartKinds = ['bars', 'rows', 'lines', 'grid'] as const

/** The chart of an answer, by names of columns. `values`: more than one only without `series`. */
export type ChartPlan = {
  kind: (typeof chartKinds)[number]
  values: readonly string[]
  along: string
  series: string | undefined
}

/** A question of questions.md. */
export type Question = {
  number: number
  title: string
  /** The Markdown between title and SQL. */
  note: string
  sql: string
  chart: ChartPlan | undefined
}

/** The questions in order. @throws Error a question has another form than the rest */
export function readQuestions(): Question[] {
  const markdown = readFileSync(new URL('./questions.md', import.meta.url), 'utf8')
  const [, ...sections] = markdown.split(/^## /m)
  return sections.map(questionOf)
}

const section =
  /^(?<number>\d+)\. (?<title>[^\n]+)\n\n(?<note>.+?)\n\n(?:Chart: (?<chart>[^\n]+)\.\n\n)?```sql\n(?<sql>.+?)\n```\s*$/s

function questionOf(text: string): Question {
  const { number, title = '', note = '', chart, sql = '' } = section.exec(text)?.groups ?? {}
  if (number === undefined) throw new Error(`questions.md: cannot read “${text.slice(0, 60)}…”`)
  return { number: Number(number), title, note, sql, chart: chart === undefined ? undefined : chartOf(chart) }
}

/** Parses a sentence such as: bars of `usd` by `month` and `plan`. */
function chartOf(sentence: string): ChartPlan {
  const {
    kind,
    values = '',
    along = '',
    series,
  } = /^(?<kind>\w+) of (?<values>`\w+`(?:, `\w+`)*) by `(?<along>\w+)`(?: and `(?<series>\w+)`)?$/.exec(sentence)
    ?.groups ?? {}
  const known = chartKinds.find((each) => each === kind)
  if (known === undefined) throw new Error(`questions.md: cannot read the chart “${sentence}”`)
  return { kind: known, values: values.replaceAll('`', '').split(', '), along, series }
}

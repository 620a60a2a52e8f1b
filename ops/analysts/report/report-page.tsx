/** @jsxRuntime automatic @jsxImportSource preact */
import type { DuckDBConnection } from '@duckdb/node-api'
import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { printableLines } from '#packages/foundation/printable/printable.ts'
import { makeStyle } from '#services/dashboard/assets.ts'
import { formatNumber, labelOf, nameOf } from '#services/dashboard/look/charts/format.ts'
import { Scroll, Stat, TableHead } from '#services/dashboard/look/parts.tsx'
import { computeTables } from '../open-tables.ts'
import { type Question, readQuestions } from '../questions.ts'
import { type Plain, rowsOf, runQuery } from '../run-query.ts'
import { capitalized, Picture } from './picture.tsx'

type Row = Record<string, Plain>
type Answered = { question: Question; rows: readonly Row[] }

/** The rows of a table that are visible without scrolling. */
const SHORT = 8
/** The most rows on the page. `sql` gives all. */
const MAX_ROWS = 60

/** The page may load nothing, even if text from strangers asks for it. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'"

/** Runs all questions. @returns a page that needs no other files */
export async function reportPage(connection: DuckDBConnection): Promise<string> {
  await computeTables(connection)
  const answers: Answered[] = []
  for (const question of readQuestions())
    answers.push({ question, rows: await rowsOf(await runQuery(connection, question.sql)) })
  const [about] = await rowsOf(
    await runQuery(connection, 'SELECT count(*) AS events, max(recorded_at) AS until FROM events'),
  )
  const html = renderToString(<Page answers={answers} about={about ?? {}} style={await makeStyle()} />)
  return `${printableLines(`<!doctype html>${html}`)}\n`
}

type PageParts = { answers: readonly Answered[]; about: Row; style: string }

function Page({ answers, about, style }: PageParts): VNode {
  const [summary, ...others] = answers
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content={POLICY} />
        <title>The business in figures</title>
        <style dangerouslySetInnerHTML={{ __html: style }} />
      </head>
      <body class="outside front">
        <main>
          <div class="hero">
            <h1>The business in figures</h1>
            <p class="quiet">
              Video Intelligence Service,{' '}
              {about.until === null ? 'without events yet' : `up to ${minuteOf(about.until)} UTC`}, from{' '}
              {formatCell(about.events ?? 0, 'events')} events
            </p>
          </div>
          {summary !== undefined && <Summary rows={summary.rows} />}
          <nav class="card" aria-label="Questions">
            <ol>
              {others.map(({ question }) => (
                <li key={question.number}>
                  <a href={`#q${question.number}`}>{question.title}</a>
                </li>
              ))}
            </ol>
          </nav>
          {others.map((answered) => (
            <Section key={answered.question.number} {...answered} />
          ))}
          <p class="quiet small">
            Made by <code>npm run history -- report</code>. Times are UTC; money is by the list prices of the plans. Any
            row of it can be asked for again: <code>npm run history -- sql "…"</code>.
          </p>
        </main>
      </body>
    </html>
  )
}

const minuteOf = (time: Plain | undefined): string => String(time).slice(0, 16)

/** Figures for which less is better. */
const lessIsBetter = new Set(['refunded_percent', 'median_wait_seconds'])

/** Compares the last 30 days with the 30 before. */
function Summary({ rows: [now = {}, before = {}] }: { rows: readonly Row[] }): VNode {
  const figures = Object.keys(now).filter((name) => name !== 'days')
  return (
    <>
      <div class="grid four">
        {figures.map((name) => (
          <Stat
            key={name}
            name={headOf(name)}
            value={formatCell(now[name] ?? null, name)}
            note={<Change name={name} now={now[name]} before={before[name]} />}
          />
        ))}
      </div>
      <p class="quiet small">The last 30 days, beside the 30 before them.</p>
    </>
  )
}

function Change({ name, now, before }: { name: string; now: Plain | undefined; before: Plain | undefined }): VNode {
  if (typeof now !== 'number' || typeof before !== 'number') return <>nothing to compare with</>
  if (now === before) return <>as before</>
  const isGood = lessIsBetter.has(name) ? now < before : now > before
  return (
    <span class={`badge ${isGood ? 'good' : 'bad'}`}>
      {`${now > before ? '▲' : '▼'} from ${formatNumber(before, name)}`}
    </span>
  )
}

/** A column's name without its unit, because its numbers show it. */
const headOf = (name: string): string => capitalized(labelOf(name.replace(/_(usd|percent|seconds|hours)$/, '')))

function Section({ question, rows }: Answered): VNode {
  const { number, title, note, sql, chart } = question
  return (
    <section class="card" id={`q${number}`}>
      <h2>
        {number}. {title}
      </h2>
      <p class="quiet">{note.replaceAll('\n', ' ').replaceAll('`', '')}</p>
      {rows.length === 0 ? (
        <p>Nothing: no row answers this.</p>
      ) : (
        <>
          {chart !== undefined && <Picture question={question} plan={chart} rows={rows} />}
          <Figures title={title} rows={rows} isDrawn={chart !== undefined} />
        </>
      )}
      <details class="fold">
        <summary>The SQL</summary>
        <pre>{sql}</pre>
      </details>
    </section>
  )
}

type TableProps = { title: string; rows: readonly Row[] }

/** A long table is folded. Without a picture, its first rows are visible. */
function Figures({ title, rows, isDrawn }: TableProps & { isDrawn: boolean }): VNode {
  if (rows.length <= SHORT) return <Table title={title} rows={rows} />
  const shown = rows.slice(0, MAX_ROWS)
  return (
    <>
      {!isDrawn && <Table title={`${title} The first rows`} rows={rows.slice(0, SHORT)} />}
      <details class="fold">
        <summary>
          The table: {rows.length} rows{shown.length < rows.length && `, the first ${shown.length} of them`}
        </summary>
        <Table title={title} rows={shown} />
      </details>
    </>
  )
}

function Table({ title, rows }: TableProps): VNode {
  const columns = Object.keys(rows[0] ?? {})
  const isNumber = (column: string): boolean => rows.some((row) => typeof row[column] === 'number')
  return (
    <Scroll label={`Table: ${title}`}>
      <table class="small nowrap">
        <TableHead
          columns={columns.map((column) => (isNumber(column) ? { number: nameOf(column) } : nameOf(column)))}
        />
        <tbody>
          {rows.map((row, index) => (
            <tr key={`${index}`}>
              {columns.map((column) => (
                <td key={column} class={typeof row[column] === 'number' ? 'number' : undefined}>
                  {formatCell(row[column] ?? null, column)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

function formatCell(value: Plain, column: string): string {
  if (value === null) return '–'
  if (typeof value === 'number') return formatNumber(value, column)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'object' ? JSON.stringify(value) : value
}

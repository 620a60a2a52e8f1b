/** @jsxRuntime automatic @jsxImportSource preact */
import { readFileSync } from 'node:fs'
import type { DuckDBConnection } from '@duckdb/node-api'
import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { printableLines } from '#packages/foundation/printable/printable.ts'
import { computeTables } from '../open-tables.ts'
import { type Question, readQuestions } from '../questions.ts'
import { type Plain, rowsOf, runQuery } from '../run-query.ts'
import { formatCell, formatNumber, labelOf, nameOf } from './format.ts'
import { Picture } from './picture.tsx'

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
  const html = renderToString(<Page answers={answers} about={about ?? {}} />)
  return `${printableLines(`<!doctype html>${html}`)}\n`
}

const style = (): string => readFileSync(new URL('./style.css', import.meta.url), 'utf8')

function Page({ answers, about }: { answers: readonly Answered[]; about: Row }): VNode {
  const [summary, ...others] = answers
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content={POLICY} />
        <title>The business in figures</title>
        <style dangerouslySetInnerHTML={{ __html: style() }} />
      </head>
      <body>
        <header>
          <h1>The business in figures</h1>
          <p class="quiet">
            Video Intelligence Service,{' '}
            {about.until === null ? 'without events yet' : `up to ${minuteOf(about.until)} UTC`}, from{' '}
            {formatCell(about.events ?? 0, 'events')} events
          </p>
          {summary !== undefined && <Summary rows={summary.rows} />}
        </header>
        <main>
          <nav aria-label="Questions">
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
        </main>
        <footer class="quiet">
          Made by <code>npm run history -- report</code>. Times are UTC; money is by the list prices of the plans. Any
          row of it can be asked for again: <code>npm run history -- sql "…"</code>.
        </footer>
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
      <dl class="tiles">
        {figures.map((name) => (
          <div key={name}>
            <dt>{headOf(name)}</dt>
            <dd class="number">{formatCell(now[name] ?? null, name)}</dd>
            <Change name={name} now={now[name]} before={before[name]} />
          </div>
        ))}
      </dl>
      <p class="quiet small">The last 30 days, beside the 30 before them.</p>
    </>
  )
}

function Change({ name, now, before }: { name: string; now: Plain | undefined; before: Plain | undefined }): VNode {
  if (typeof now !== 'number' || typeof before !== 'number') return <dd class="change">nothing to compare with</dd>
  const isGood = lessIsBetter.has(name) ? now < before : now > before
  const judged = now === before ? '' : isGood ? ' good' : ' bad'
  return (
    <dd class={`change${judged}`}>
      {now === before ? 'as before' : `${now > before ? '▲' : '▼'} from ${formatNumber(before, name)}`}
    </dd>
  )
}

/** A column's name without its unit, because its numbers show it. */
const headOf = (name: string): string => {
  const words = labelOf(name.replace(/_(usd|percent|seconds|hours)$/, ''))
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function Section({ question, rows }: Answered): VNode {
  const { number, title, note, sql, chart } = question
  return (
    <section id={`q${number}`}>
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
      <details>
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
      <details>
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
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach a scrolling section
    <section class="scroll" tabIndex={0} aria-label={`Table: ${title}`}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col" class={isNumber(column) ? 'number' : undefined}>
                {nameOf(column)}
              </th>
            ))}
          </tr>
        </thead>
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
    </section>
  )
}

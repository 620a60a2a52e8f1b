import { join } from 'node:path'
import { expect } from 'chai'
import { type DuckDb, openDuckDb, sqlText } from '#packages/history/archive/duckdb.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { directoryForAll } from '#test/doubles/temporary-directory.ts'
import { businessSums } from './business-sums.fixture.ts'
import { factsOf } from './facts.fixture.ts'
import { madeHistory } from './history.fixture.ts'
import { readQuestions } from './questions.ts'
import { answerOf, type Plain, rowsOf } from './run-query.ts'
import { archiveOf, askedTables } from './tables.harness.ts'
import { useSums } from './use-sums.fixture.ts'
import { workSums } from './work-sums.fixture.ts'
import { writeTables } from './write-tables.ts'

const allSums = [...businessSums, ...workSums, ...useSums]

/** The SQL rounds to at least one digit. */
const ROUNDED = 0.0501

describe('the questions of ops/analysts', () => {
  const questions = readQuestions()
  const facts = factsOf(madeHistory())
  const folder = directoryForAll()
  let archive: string
  let written: DuckDb
  before(async () => {
    // Hosts are content.
    archive = await archiveOf(madeHistory(), true)
    const file = join(folder.path, 'tables.duckdb')
    await writeTables(archive, file)
    written = await openDuckDb()
    await written.connection.run(`ATTACH ${sqlText(file)} AS written (READ_ONLY); USE written`)
  })
  const tables = openedForAll(() => askedTables(archive))
  after(() => written[Symbol.dispose]())

  it('are nineteen plus the summary, numbered, and each has computed sums to compare with', () => {
    expect(questions.map(({ number }) => number)).to.deep.equal(questions.map((_, index) => index))
    expect(questions).to.have.length(20)
    expect(allSums.length).to.equal(questions.length)
  })

  for (const [index, { title, sql, chart }] of questions.entries())
    it(`${index}. ${title}`, async () => {
      const rows = await tables.ask(sql)
      const wanted = allSums[index]?.(facts) ?? []
      expect(wanted.length, 'the history has something to tell').to.be.greaterThan(0)
      expectRows(rows, wanted)
      expect(await rowsOf(answerOf(await written.connection.stream(sql))), 'in a file of DuckDB').to.deep.equal(rows)
      const columns = Object.keys(rows[0] ?? {})
      for (const name of chart === undefined ? [] : [...chart.values, chart.along, chart.series ?? chart.along])
        expect(columns, 'the columns of the chart').to.include(name)
    })
})

/** Compares rows in order, and numbers to the precision of the SQL. */
function expectRows(rows: readonly Record<string, Plain>[], wanted: readonly Record<string, Plain>[]): void {
  expect(rows.length, 'rows').to.equal(wanted.length)
  for (const [at, row] of rows.entries())
    for (const [name, value] of Object.entries(wanted[at] ?? {})) {
      const place = `row ${at}, ${name}: ${JSON.stringify(row)}`
      if (typeof value === 'number' && !Number.isInteger(value)) expect(row[name], place).to.be.closeTo(value, ROUNDED)
      else expect(row[name], place).to.equal(value)
    }
  expect(Object.keys(rows[0] ?? {})).to.deep.equal(Object.keys(wanted[0] ?? {}))
}

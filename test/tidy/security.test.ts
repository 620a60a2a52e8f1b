import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { HEADING } from '#test/worst-requests/table.ts'

/** The tests that each row of the document's tables names, with the row's first cell. */
function proofs(): { what: string; tests: string[] }[] {
  const [tables = ''] = readFileSync('ops/security.md', 'utf8').split(HEADING)
  const rows = tables.split('\n').filter((line) => line.startsWith('| ') && !/^\| (pool|who) \|/.test(line))
  return rows.map((row) => ({ what: row.split(' | ')[0] ?? '', tests: row.match(/[\w./-]+\.test\.ts/g) ?? [] }))
}

describe('tidy: ops/security.md', () => {
  it('names existing tests for every shared pool', () => {
    expect(proofs().length).to.be.above(10)
    for (const { what, tests } of proofs()) {
      expect(tests, what).to.not.be.empty
      expect(
        tests.filter((path) => !existsSync(path)),
        what,
      ).to.deep.equal([])
    }
  })
})

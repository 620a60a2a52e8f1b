import { parseArgs } from 'node:util'
import { expect } from 'chai'
import { UsageError } from '../organizations/run-command.ts'
import { historyOptions, parseHistoryCommand } from './command.ts'

const parse = (line: string) => {
  const args = line.split(' ').filter((word) => word !== '')
  return parseHistoryCommand(parseArgs({ args, options: historyOptions, allowPositionals: true }))
}

describe('the words of npm run history', () => {
  it('are parsed', () => {
    expect(parse('show org-1 --follow --json')).to.deep.equal({ type: 'show', id: 'org-1', follow: true, json: true })
    expect(parse('why job-1')).to.deep.equal({ type: 'why', jobId: 'job-1', json: false })
    expect(parse('as-of 2026-01-31 balance org-1')).to.deep.equal({
      ...{ type: 'as-of', instant: Date.UTC(2026, 0, 31), what: 'balance', id: 'org-1', json: false },
    })
    expect(parse('replay --projection x.ts --from 7 --to 2026-01-31 --prefix job- --prefix key-')).to.deep.equal({
      ...{ type: 'replay', file: 'x.ts', prefixes: ['job-', 'key-'], json: false },
      ...{ from: { position: 7 }, to: { instant: Date.UTC(2026, 0, 31) } },
    })
    expect(parse('diff --decider credits --with x.ts')).to.deep.equal({
      ...{ type: 'diff', rules: { decider: 'credits' }, file: 'x.ts', from: undefined, to: undefined, json: false },
    })
    expect(parse('forget org-1 --yes')).to.deep.equal({ type: 'forget', id: 'org-1', yes: true, json: false })
    expect(parse('sql jobs --csv')).to.deep.equal({ type: 'sql', sql: 'jobs', format: 'csv', json: false })
    expect(parse('sql jobs --archive x')).to.include({ format: 'table' })
    expect(parse('sql')).to.include({ type: 'sql', sql: undefined })
    expect(parse('report --to x.html')).to.deep.equal({ type: 'report', file: 'x.html', json: false })
    expect(parse('diff --projection jobs --with x.ts')).to.deep.include({ rules: { projection: 'jobs' }, file: 'x.ts' })
    expect(parse('verify --json')).to.deep.equal({ type: 'verify', from: undefined, json: true })
    expect(parse('verify --from 7 --archive x')).to.deep.equal({ type: 'verify', from: { position: 7 }, json: false })
    expect(parse('accept-end --sandbox')).to.deep.equal({ type: 'accept-end', json: false })
    expect(parse('backup --to backups/today')).to.deep.equal({ type: 'backup', folder: 'backups/today', json: false })
    expect(parse('restore --from backups/today --replace')).to.deep.equal({
      ...{ type: 'restore', folder: 'backups/today', replace: true, json: false },
    })
  })

  it('give times in UTC unless they name another zone', () => {
    const instantOf = (time: string) => (parse(`as-of ${time} job j`) as { instant: number }).instant
    const noon = Date.UTC(2026, 0, 31, 12)
    for (const time of [
      '2026-01-31T12:00',
      '2026-01-31T12:00:00Z',
      '2026-01-31T13:00+01:00',
      '2026-01-31T12:00:00.000',
    ])
      expect(instantOf(time), time).to.equal(noon)
  })

  const wrong: Record<string, RegExp> = {
    '': /a command is missing/,
    ask: /no command ask/,
    toString: /no command toString/,
    show: /needs the id of a job or an organization/,
    'show a b': /unexpected: b/,
    'why a --follow': /takes no --follow/,
    'as-of yesterday job j': /yesterday is no time/,
    'as-of 7 job j': /7 is no time/,
    'as-of 2026-13-31 job j': /is no time/,
    'as-of 2026-02-30 job j': /is no time/,
    'as-of 2026-01-31 ledger o': /one of balance, job, key/,
    'as-of 2026-01-31 job': /needs an id/,
    replay: /--projection needs a file/,
    'replay --projection x.ts --from soon': /soon is no time/,
    'replay --projection x.ts --from 8 --to 7': /--to 7 is before --from 8/,
    'diff --decider job --with x.ts --from 2026-02-01 --to 2026-01-31': /is before --from 2026-02-01/,
    'export --to=': /--to is empty/,
    'sql a --archive=': /--archive is empty/,
    'diff --with x.ts': /--decider must be one of/,
    'diff --decider job': /--with needs a file/,
    'sql a --csv --json': /takes --csv or --json/,
    'report x': /unexpected: x/,
    'verify now': /unexpected: now/,
    backup: /--to needs a folder/,
    'backup --to x --replace': /takes no --replace/,
    restore: /--from needs the folder of a backup/,
  }
  for (const [line, message] of Object.entries(wrong))
    it(`are refused: “${line}”`, () => {
      expect(() => parse(line)).to.throw(UsageError, message)
    })
})

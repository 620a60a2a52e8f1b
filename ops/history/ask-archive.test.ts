import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { LOCK } from '#packages/history/archive/archive-folder.ts'
import { readManifest } from '#packages/history/archive/manifest.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { machineEnvironment } from '#test/doubles/machine-environment.ts'
import { until } from '#test/doubles/service/until.ts'
import { directoryForEach } from '#test/doubles/temporary-directory.ts'
import type { CommandOf } from './command.ts'
import { appendGrant } from './granted.fixture.ts'
import { carriedOut } from './history.harness.ts'

/** A process that holds an archive's lock until its input ends. */
const holder = `
import fcntl, sys
with open(sys.argv[1], 'r+b') as lock:
    fcntl.lockf(lock, fcntl.LOCK_EX)
    print('held', flush=True)
    sys.stdin.read()
`

const program = ['--import', 'tsx/esm', 'ops/history/main.ts', 'sql']

describe('npm run history -- sql', function () {
  this.timeout(60_000)
  const folder = directoryForEach()
  let told: string[]
  beforeEach(() => appendGrant(folder.path, 'org-1'))

  type Settings = { format?: CommandOf<'sql'>['format']; archive?: string; env?: Record<string, string> }

  /** Answers a question. Returns the output. */
  const ask = (sql: string, { format = 'json', ...more }: Settings = {}): Promise<string[]> =>
    answer({ type: 'sql', sql, format, json: format === 'json' }, more)

  async function answer(command: CommandOf<'sql' | 'report'>, more: Omit<Settings, 'format'> = {}): Promise<string[]> {
    told = []
    return (await carriedOut(command, { dataDir: folder.path, told, ...more })).lines
  }

  it('makes an archive in the data directory, and adds newer events before each question', async () => {
    expect(await ask('SELECT org_id, balance FROM customers')).to.deep.equal(['{"org_id":"org-1","balance":7}'])
    await appendGrant(folder.path, 'org-2')
    expect(await ask('SELECT org_id FROM customers ORDER BY org_id')).to.have.length(2)
    expect(readManifest(join(folder.path, 'archive'))?.position).to.be.greaterThan(0)
  })

  it('does not open a complete archive for adding', async () => {
    await ask('FROM events')
    expect(told.join('\n')).to.contain('1 events added')
    await ask('FROM events')
    expect(told).to.deep.equal([])
  })

  it('uses the archive of EXPORT_DIR, or the named one', async () => {
    const [exportDir, named] = [join(folder.path, 'exported'), join(folder.path, 'named')]
    await ask('FROM events', { env: { EXPORT_DIR: exportDir } })
    await ask('FROM events', { env: { EXPORT_DIR: exportDir }, archive: named })
    expect([exportDir, named].map((path) => existsSync(join(path, '_manifest.json')))).to.deep.equal([true, true])
    expect(existsSync(join(folder.path, 'archive'))).to.equal(false)
  })

  it('answers from an archive without a store', async () => {
    const archive = join(folder.path, 'archive')
    await ask('FROM events', { archive })
    for (const end of ['', '-wal', '-shm', '.end']) await rm(join(folder.path, `events.sqlite${end}`), { force: true })
    expect(await ask('SELECT count(*) AS events FROM events', { archive })).to.deep.equal(['{"events":1}'])
    expect(await ask('FROM events', { archive: join(folder.path, 'nowhere') }).catch(String)).to.contain(
      'no event file',
    )
  })

  it('answers from an archive as it is while another process writes into it, and says so', async () => {
    const archive = join(folder.path, 'archive')
    await ask('FROM events', { archive })
    const other = spawn('python3', ['-c', holder, join(archive, LOCK)], { stdio: ['pipe', 'pipe', 'inherit'] })
    await once(other.stdout, 'data')
    // A complete archive is not opened for adding.
    await appendGrant(folder.path, 'org-2')
    const rows = await ask('SELECT count(*) AS events FROM events', { archive })
    expect(rows).to.deep.equal(['{"events":1}'])
    expect(told.join('\n')).to.contain('another export writes into')
    other.stdin.end()
    await once(other, 'close')
  })

  it('prints a table with right-aligned numbers, CSV, or one JSON object per line', async () => {
    const sql = `SELECT 'a,"b' AS word, 1.5 AS number, NULL AS nothing, [1, 2] AS list, DATE '2026-01-31' AS day
      UNION ALL SELECT 'c', 100, NULL, [], NULL ORDER BY 2`
    expect(await ask(sql, { format: 'table' })).to.deep.equal([
      'word  number  nothing  list   day',
      '────  ──────  ───────  ─────  ──────────',
      'a,"b     1.5     NULL  [1,2]  2026-01-31',
      'c        100     NULL  []     NULL',
    ])
    expect(await ask(sql, { format: 'csv' })).to.deep.equal([
      'word,number,nothing,list,day',
      '"a,""b",1.5,,"[1,2]",2026-01-31',
      'c,100,,[],',
    ])
    expect((await ask(sql)).map((line) => JSON.parse(line))).to.deep.equal([
      { word: 'a,"b', number: 1.5, nothing: null, list: [1, 2], day: '2026-01-31' },
      { word: 'c', number: 100, nothing: null, list: [], day: null },
    ])
  })

  it('shows people the first thousand rows of a table, and gives programs all', async () => {
    const sql = 'SELECT range AS number FROM range(2500)'
    expect(await ask(sql, { format: 'table' })).to.have.length(1002)
    expect(told.at(-1)).to.contain('the first 1000 rows')
    expect(await ask(sql, { format: 'csv' })).to.have.length(2501)
    expect(await ask(sql)).to.have.length(2500)
  })

  it('keeps a table’s cells short and on one line', async () => {
    const [, , row] = await ask(`SELECT 'a' || chr(10) || chr(27) || repeat('x', 100) AS text`, { format: 'table' })
    expect(row)
      .to.match(/^a\\u000a\\u001bx+…$/)
      .and.to.have.length(60)
  })

  it('prints only rows on standard output, in a process of its own', async () => {
    const words = [...program, 'SELECT count(*) AS events, chr(27) AS escape FROM events']
    const env = { ...machineEnvironment(), DATA_DIR: folder.path }
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [...words, '--csv'], { env })
    expect(stdout).to.equal('events,escape\n1,\\u001b\n')
    expect(stderr).to.contain('1 events added')
  })

  it('leaves no temporary files after Ctrl-C', async () => {
    const words = [...program, 'SELECT sum(a.range * b.range) FROM range(10000000) a, range(1000000) b']
    const env = { ...machineEnvironment(), DATA_DIR: folder.path, TMPDIR: folder.path }
    const child = spawn(process.execPath, words, { env, stdio: 'ignore' })
    const closed = once(child, 'close')
    const temporary = (): string[] => readdirSync(folder.path).filter((name) => name.startsWith('history-sql-'))
    await until('DuckDB is open', () => temporary().length === 1)
    child.kill('SIGINT')
    expect(await closed).to.deep.equal([null, 'SIGINT'])
    expect(temporary()).to.deep.equal([])
  })

  it('report: replaces a page atomically, and only its owner may read it', async () => {
    const file = join(folder.path, 'report.html')
    writeFileSync(file, 'of last week', { mode: 0o644 })
    await answer({ type: 'report', file, json: true })
    expect(statSync(file).mode & 0o777).to.equal(0o600)
    // A target that cannot be finished.
    mkdirSync(join(folder.path, 'other.html.new'))
    writeFileSync(join(folder.path, 'other.html'), 'of last week')
    await failureOf(answer({ type: 'report', file: join(folder.path, 'other.html'), json: true }))
    expect(readFileSync(join(folder.path, 'other.html'), 'utf8')).to.equal('of last week')
  })

  it('report: writes the page', async () => {
    const file = join(folder.path, 'report.html')
    expect(await answer({ type: 'report', file, json: true })).to.deep.equal([JSON.stringify({ file })])
    expect(readFileSync(file, 'utf8')).to.contain('The business in figures').and.to.contain('from 1 events')
  })
})

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openBeside } from '#test/doubles/open-beside.ts'
import { freeSpaceOf, layoutOf } from './free-space.ts'

describe('the free space of a file of SQLite', () => {
  let folder: string
  let path: string
  /** The file after these statements; a large text takes overflow pages, on which there is no free space. */
  const made = async (...statements: string[]): Promise<Buffer> => {
    const database = openBeside(path)
    for (const statement of statements) database.exec(statement)
    database.close()
    return readFile(path)
  }
  const table = 'CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT)'
  const pagesOf = (bytes: Buffer): Buffer[] =>
    Array.from({ length: bytes.length / 4096 }, (_, page) => bytes.subarray(page * 4096, (page + 1) * 4096))

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'free-space-'))
    path = join(folder, 'texts.sqlite')
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('may be overwritten: the file stays whole, and has all its rows', async () => {
    const numbers = 'WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 500)'
    const bytes = await made(
      table,
      'CREATE INDEX by_text ON texts (text)',
      `${numbers} INSERT INTO texts (text) SELECT n || hex(randomblob(n % 3000)) FROM numbers`,
      'DELETE FROM texts WHERE id % 3 = 0',
    )
    const layout = layoutOf(bytes, bytes.length)
    if (layout === undefined) throw new Error('free space cannot be told')
    const all = () => {
      const database = openBeside(path)
      const [{ integrity_check: whole } = {}] = database.prepare('PRAGMA integrity_check').all()
      const rows = database.prepare('SELECT * FROM texts ORDER BY id').all()
      database.close()
      return { whole, rows }
    }
    const before = all()
    let cleared = 0
    pagesOf(bytes).forEach((page, index) => {
      const [from, to] = (index > 0 && freeSpaceOf(page, layout)) || [0, 0]
      page.fill(0xff, from, to)
      cleared += to - from
    })
    expect(cleared).to.be.greaterThan(10_000)
    await writeFile(path, bytes)
    expect(before.whole).to.equal('ok')
    expect(all()).to.deep.equal(before)
  })

  it('is not looked for on pages of large texts, whatever they say', async () => {
    const bytes = await made(
      table,
      "INSERT INTO texts (text) VALUES (replace(hex(zeroblob(20000)), '00', char(13, 0, 1)))",
    )
    const layout = layoutOf(bytes, bytes.length)
    if (layout === undefined) throw new Error('free space cannot be told')
    const told = pagesOf(bytes).map((page, index) => index > 0 && freeSpaceOf(page, layout) !== undefined)
    expect(told.filter((each) => each)).to.have.length(1)
    expect(told.length).to.be.greaterThan(5)
  })

  it('cannot be told in a file of 128 GiB, unless it has pointer maps', async () => {
    const bytes = await made('PRAGMA auto_vacuum = INCREMENTAL', table)
    expect(layoutOf(bytes, 2 ** 37)).to.deep.equal({ pageSize: 4096, usable: 4096, hasPointerMaps: true })
    bytes.writeUInt32BE(0, 52)
    expect(layoutOf(bytes, 2 ** 37 - 4096)).to.deep.equal({ pageSize: 4096, usable: 4096, hasPointerMaps: false })
    expect(layoutOf(bytes, 2 ** 37)).to.equal(undefined)
  })
})

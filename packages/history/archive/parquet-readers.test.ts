import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { readAsAnalysts, type Seen, withParquetReaders } from '#test/doubles/parquet-readers.ts'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { EVENTS } from './archive-folder.ts'
import { ArchiveWriter } from './archive-writer.ts'
import { allOf, inPieces, pastStore } from './archived-store.fixture.ts'
import { openDuckDb, sqlText } from './duckdb.ts'
import { eventColumns } from './event-columns.ts'

const options = { ...inPieces, full: { events: 40, size: 1_000_000 } }

const sumOf = (events: readonly { position: number }[]): number =>
  events.reduce((sum, { position }) => sum + position, 0)

/**
 * Adds events in several commits, so that files are replaced, and then a few events without a commit. All readers
 * meanwhile read the folder of the events, each with its simplest call.
 */
async function seenBy(read: (directory: string) => Promise<Record<string, Seen>>) {
  await using folder = await temporaryDirectory()
  const events = await allOf((await pastStore()).past.store)
  const committed = events.slice(0, -3)
  await using writer = await ArchiveWriter.open(folder.path, options)
  for (let from = 0; from < committed.length; from += 17) {
    const some = committed.slice(from, from + 17)
    await writer.add(some)
    await writer.commit(some.at(-1)?.position ?? 0)
  }
  await writer.add(events.slice(-3))
  expect(readdirSync(join(folder.path, '_unfinished')), 'something lies beside the files').to.not.be.empty
  return { seen: await read(join(folder.path, EVENTS)), wanted: { rows: committed.length, sum: sumOf(committed) } }
}

const names = eventColumns.map(({ name }) => name)

async function byDuckDb(directory: string): Promise<Record<string, Seen>> {
  using duckDb = await openDuckDb()
  const rowsOf = async (sql: string) => (await duckDb.connection.runAndReadAll(sql)).getRows()
  const seen: Record<string, Seen> = {}
  for (const source of [directory, `${directory}/**/*.parquet`]) {
    const reads = `read_parquet(${sqlText(source)})`
    const [[rows, sum] = []] = await rowsOf(`SELECT count(*)::INTEGER, sum(position)::INTEGER FROM ${reads}`)
    const columns = await rowsOf(`DESCRIBE FROM ${reads}`)
    seen[source.replace(directory, 'DIR')] = {
      ...{ rows: Number(rows), sum: Number(sum) },
      columns: Object.fromEntries(columns.map(([name, type]) => [String(name), String(type)])),
    }
  }
  return seen
}

describe('the events of an archive', () => {
  it('are opened as a folder by DuckDB, with times in UTC and JSON that says so', async () => {
    const { seen, wanted } = await seenBy(byDuckDb)
    for (const [source, { columns, ...counted }] of Object.entries(seen)) {
      expect(counted, source).to.deep.equal(wanted)
      expect(Object.keys(columns), source).to.deep.equal(names)
      expect(columns, source).to.include({ recorded_at: 'TIMESTAMP WITH TIME ZONE', data: 'JSON', category: 'VARCHAR' })
    }
  })
})

withParquetReaders(() =>
  describe('the events of an archive', () => {
    it('are opened as a folder by pandas, pyarrow and polars, while it is written into', async () => {
      const { seen, wanted } = await seenBy(async (directory) => {
        const [found = {}] = await readAsAnalysts([[directory, 'position']])
        return found
      })
      expect(Object.keys(seen)).to.have.length(5)
      for (const [reader, { columns, ...counted }] of Object.entries(seen)) {
        expect(counted, reader).to.deep.equal(wanted)
        expect(Object.keys(columns), reader).to.deep.equal(names)
        expect(columns.recorded_at, reader).to.match(/UTC/)
      }
    }).timeout(60_000)
  }),
)

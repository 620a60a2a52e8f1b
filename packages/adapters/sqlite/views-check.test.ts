import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { expect } from 'chai'
import { sampleViews as definition } from '#packages/ports/views-samples.contract.ts'
import { systemClock as clock } from '../system/clock.ts'
import { openSqliteViews } from './views.ts'
import type { Checked } from './views-check-thread.ts'

async function checked(path: string): Promise<Checked> {
  const url = new URL('./views-check-thread.ts', import.meta.url)
  const [found] = await once(new Worker(url, { workerData: { path }, execArgv: [] }), 'message')
  return found as Checked
}

describe('the check of a file of views', function () {
  this.timeout(60_000)
  let folder: string
  let path: string

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'views-check-'))
    path = join(folder, 'views.sqlite')
    await using views = await openSqliteViews({ path, clock, definition })
    await views.begin()
    const writes = Array.from({ length: 1200 }, (_, n) => {
      const fields = {
        orgId: `o-${n % 7}`,
        kind: 'k',
        listedAs: 'queued',
        requestedAt: n,
        result: `text ${n}`.repeat(n % 400 === 0 ? 10_000 : 1),
      }
      return { collection: 'jobs', id: `job-${n}`, position: n + 1, fields }
    })
    await views.apply(writes, { position: 2000, checkpoint: 2000 })
  })
  after(() => rm(folder, { recursive: true }))

  /** A copy of the file with one flipped bit. */
  const flipped = async (at: number): Promise<string> => {
    const copy = join(folder, 'damaged.sqlite')
    const bytes = await readFile(path)
    bytes[at] = (bytes[at] ?? 0) ^ 1
    await writeFile(copy, bytes)
    return copy
  }

  it('finds nothing wrong with an unchanged file', async () => {
    expect(await checked(path)).to.equal(null)
  })

  it('finds nothing if there is no file: other code reports that', async () => {
    expect(await checked(join(folder, 'none.sqlite'))).to.equal(null)
  })

  it('finds a flipped bit in pages of documents and of their indexes', async () => {
    const database = new DatabaseSync(path, { readOnly: true })
    const size = Number(database.prepare('PRAGMA page_size').get()?.page_size)
    const used = database.prepare(
      `SELECT pageno FROM dbstat
       WHERE ncell > 0 AND name IN (SELECT name FROM sqlite_master WHERE tbl_name = 'documents') ORDER BY pageno`,
    )
    const pages = used.all().map(({ pageno }) => Number(pageno))
    database.close()
    expect(pages).to.have.length.above(40)
    const missed: number[] = []
    for (const page of pages.filter((_, index) => index % Math.ceil(pages.length / 8) === 0)) {
      // Content fills a page from its end, so its last bytes belong to a row or to an index entry.
      if ((await checked(await flipped(page * size - 9))) === null) missed.push(page)
    }
    expect(missed).to.deep.equal([])
  })
})

import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import type { GuardedWrite, RebuildableViews } from '#packages/ports/views.ts'
import { sampleViews as definition, sampleCollections } from '#packages/ports/views-samples.contract.ts'
import { until } from '#test/doubles/service/until.ts'
import { systemClock as clock } from '../system/clock.ts'
import { Unwiped } from './unwiped.ts'
import { openSqliteViews } from './views.ts'

const all = sampleCollections
const JOBS = 3000

const url = (n: number): string => `https://cdn.example.com/film-${n}-of.mp4`

describe('documents that are removed from the file of the views', function () {
  this.timeout(60_000)
  let folder: string
  let path: string
  let views: RebuildableViews
  let position = 0

  const write = (n: number, more: object): GuardedWrite => {
    const listed = { orgId: 'o', kind: 'k', listedAs: 'queued', requestedAt: n, idempotencyKeyHash: `${n * 7919}` }
    const fields = { ...listed, url: url(n), ...more }
    return { collection: 'jobs', id: `${(n * 7919) % JOBS}-${n}`, position: ++position, fields }
  }
  const remove = (n: number) => {
    return { collection: 'jobs', position: ++position, removes: { id: `${(n * 7919) % JOBS}-${n}` } }
  }
  /** Makes them anew: the old ones are then in free pages of the file. */
  const rebuild = async (writes: readonly GuardedWrite[]): Promise<void> => {
    await using rebuilt = await views.rebuild()
    await rebuilt.views.begin(all)
    await rebuilt.views.apply(all, writes, position)
    while (!(await rebuilt.takeOver()));
    await views.begin(all)
  }
  const apply = (...changes: Parameters<RebuildableViews['apply']>[1]) => views.apply(all, changes, position)
  /** The jobs of which the files have something, by what is asked for. */
  const left = async (gone: ReadonlySet<number>): Promise<number[]> => {
    const found = new Set<number>()
    for (const suffix of ['', '-wal']) {
      const bytes = await readFile(path + suffix, 'latin1')
      for (const [, n] of bytes.matchAll(/film-(\d+)-of|said-(\d+)-there/g))
        if (gone.has(Number(n))) found.add(Number(n))
    }
    return [...found]
  }

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wiper-'))
    path = join(folder, 'views.sqlite')
    views = await openSqliteViews({ path, clock, definition })
    await views.begin(all)
    await views.makeReadable()
    // Documents grow when their jobs end, some time after they have begun: SQLite moves many of them to other pages.
    const written: GuardedWrite[] = []
    for (let n = 0; n < JOBS; n += 50) {
      const begun = Array.from({ length: 50 }, (_, k) => write(n + k, { pad: 'x'.repeat(300) }))
      const ended = Array.from({ length: n < 50 ? 0 : 50 }, (_, k) =>
        write(n - 50 + k, {
          pad: 'y'.repeat(500 + ((k * 37) % 300)),
          result: `said-${n - 50 + k}-there `.repeat(k * 20),
        }),
      )
      await apply(...begun, ...ended)
      written.push(...begun, ...ended)
    }
    await rebuild(written)
  })
  after(async () => {
    await views[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })

  it('leave no byte in it and in its log, soon, while others are written', async () => {
    const gone = new Set<number>()
    for (let n = 0; n < JOBS; n += 7) gone.add(n)
    expect(await left(gone), 'before').to.have.length(gone.size)
    await writeFile(`${path}.damaged`, 'set aside')
    await apply(...[...gone].map(remove))
    let n = 1
    await until('nothing is left', async () => {
      await apply(write(n, { pad: 'z'.repeat(400) }))
      n += 7
      return (await left(gone)).length === 0
    })
    expect(await stat(`${path}.damaged`).catch(({ code }) => code)).to.equal('ENOENT')
    using reader = new DatabaseSync(path, { readOnly: true })
    await until('the file says so', () => !new Unwiped(reader, 'views').isWanted)
    await views.verify()
    expect(await views.problem()).to.equal(undefined)
    const database = new DatabaseSync(path, { readOnly: true })
    expect(database.prepare('PRAGMA integrity_check').all()).to.deep.equal([{ integrity_check: 'ok' }])
    database.close()
    const where = { orgId: ['o'], kind: ['k'], listedAs: ['queued'] }
    const found = await views.page('jobs', { where, by: 'requestedAt', limit: 10_000 })
    expect(found).to.have.length(JOBS - gone.size)
  })
})

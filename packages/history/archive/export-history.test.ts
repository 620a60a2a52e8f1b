import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { newestVersion } from '#contracts/generated/events.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { directoryForEach } from '#test/doubles/temporary-directory.ts'
import { allOf, exported, inPieces, type Past, parquetIn, pastStore, personal } from './archived-store.fixture.ts'
import { checkArchive } from './check-archive.ts'
import { openExport } from './export-history.ts'
import { forgetRemoved } from './forget-removed.ts'
import { type Manifest, readManifest } from './manifest.ts'
import { openArchive } from './open-archive.ts'

const options = { ...inPieces, origin: 'file-1', full: { events: 40, size: 1_000_000 } }

describe('export', () => {
  let past: Past
  let clock: Awaited<ReturnType<typeof pastStore>>['clock']
  let jobs: string[]
  const folder = directoryForEach()
  beforeEach(async () => {
    ;({ past, clock, jobs } = await pastStore())
  })
  const at = (name: string): string => join(folder.path, name)

  const exportTo = (name: string, more: Parameters<typeof exported>[2] = {}): Promise<number> =>
    exported(past.store, at(name), { ...options, ...more })

  const manifestOf = (name: string): Manifest => readManifest(at(name)) as Manifest

  async function rowsIn(name: string, sql = 'SELECT * FROM events'): Promise<Record<string, unknown>[]> {
    using archive = await openArchive(at(name))
    const found = await archive.connection.runAndReadAll(
      `SELECT * REPLACE (position::INTEGER AS position, id::VARCHAR AS id, epoch_ms(recorded_at)::DOUBLE AS recorded_at)
       FROM (${sql}) ORDER BY position`,
    )
    return found.getRowObjectsJS()
  }

  /** Everything readable in a folder: bytes of files, names, and the values in Parquet files. */
  async function textOf(name: string): Promise<string> {
    const files = readdirSync(at(name), { recursive: true, encoding: 'utf8', withFileTypes: true })
    const bytes = files.flatMap((file) =>
      file.isFile() ? [readFileSync(join(file.parentPath, file.name), 'latin1')] : [],
    )
    return [...files.map((file) => file.name), ...bytes, JSON.stringify(await rowsIn(name))].join('\n')
  }

  /** Expects that the Parquet files are those of the manifest, and no others. */
  const expectNamed = (name: string) =>
    expect(parquetIn(at(name))).to.deep.equal(
      manifestOf(name)
        .files.map(({ path }) => path)
        .sort(),
    )

  it('has each event with all its columns', async () => {
    const added = await exportTo('archive', { withContent: true })
    const events = await allOf(past.store)
    expect(added).to.equal(events.length)
    expect(await rowsIn('archive')).to.deep.equal(events.map(rowOf))
    expect(manifestOf('archive').position).to.equal(events.at(-1)?.position)
  })

  it('has files for each month and category, sorted, which the manifest names with their ranges', async () => {
    await exportTo('archive')
    const { files } = manifestOf('archive')
    expectNamed('archive')
    expect(new Set(files.map(({ month }) => month))).to.deep.equal(new Set(['2026-11', '2026-12']))
    using archive = await openArchive(at('archive'))
    for (const { path, month, category, first, last, events } of files) {
      const found = await archive.connection.runAndReadAll(
        `SELECT min(position)::INTEGER, max(position)::INTEGER, count(*)::INTEGER,
           count(*) FILTER (strftime(recorded_at, '%Y-%m') = '${month}' AND stream LIKE '${category}-%')::INTEGER,
           list(position) = list_sort(list(position))
         FROM read_parquet('${join(at('archive'), path)}')`,
      )
      expect(found.getRows()).to.deep.equal([[first, last, events, events, true]])
    }
  })

  it('has no personal data unless it is asked for', async () => {
    await exportTo('without')
    const text = await textOf('without')
    for (const each of Object.values(personal)) expect(text).to.not.include(each)
    expect(text).to.include('sha256:')
    await exportTo('with', { withContent: true })
    const all = await textOf('with')
    for (const each of Object.values(personal)) expect(all).to.include(each)
  })

  it('writes the same bytes in one run and in many', async () => {
    await exportTo('piecemeal', { commitEvery: 17 })
    for (let more = 0; more < 5; more++) {
      await past.job('org-1', `job-${more}`)
      await exportTo('piecemeal', { commitEvery: 1 })
    }
    await exportTo('once')
    await exportTo('again')
    const [piecemeal, once, again] = ['piecemeal', 'once', 'again'].map((name) => manifestOf(name).files)
    expect(once).to.deep.equal(again)
    expect(piecemeal).to.deep.equal(once)
    expect(parquetIn(at('piecemeal'))).to.deep.equal(parquetIn(at('once')))
  })

  it('adds nothing where there is nothing new', async () => {
    await exportTo('archive')
    const before = manifestOf('archive')
    expect(await exportTo('archive')).to.equal(0)
    expect(manifestOf('archive')).to.deep.equal(before)
  })

  it('has events that were recorded by a clock behind the others', async () => {
    await exportTo('archive')
    await clock.advance(-40 * 86_400_000)
    await past.job('org-1', 'late')
    await exportTo('archive')
    expect(await rowsIn('archive', `SELECT * FROM events WHERE correlation_id = 'late'`)).to.have.length(6)
    expect(manifestOf('archive').files.map(({ month }) => month)).to.include('2026-10')
  })

  it('begins at a time or a position, also when it goes on', async () => {
    const instant = Date.UTC(2026, 11, 1)
    await exportTo('archive', { from: { instant } })
    await past.job('org-1', 'later')
    await exportTo('archive')
    const events = await allOf(past.store)
    const late = events.filter(({ recordedAt }) => recordedAt >= instant)
    expect((await rowsIn('archive')).map(({ position }) => position)).to.deep.equal(
      late.map(({ position }) => position),
    )
    await exportTo('positions', { from: { position: 100 } })
    expect((await rowsIn('positions'))[0]).to.include({ position: 100 })
    expect(await failureOf(exportTo('positions', { from: { position: 99 } }))).to.match(/begins elsewhere/)
  })

  it('refuses an archive of another kind, of another store, or of a later state of this one', async () => {
    await exportTo('archive')
    expect(await failureOf(exportTo('archive', { withContent: true }))).to.match(/is without content/)
    const before = past
    ;({ past } = await pastStore())
    expect(await failureOf(exportTo('archive'))).to.match(/of another event store/)
    past = before
    // The last events of a category may have been removed with their streams.
    await past.removed('retention', 'org-1', [streams.job(jobs.at(-1) ?? ''), streams.credits('org-2')])
    expect(await exportTo('archive')).to.equal(1)
  })

  it('takes no folder that has other files', async () => {
    mkdirSync(at('documents/events'), { recursive: true })
    writeFileSync(at('documents/events/own.parquet'), 'of somebody else')
    expect(await failureOf(exportTo('documents'))).to.match(/is no archive/)
    expect(parquetIn(at('documents'))).to.deep.equal(['events/own.parquet'])
  })

  it('touches no Parquet file of an archive whose manifest was lost', async () => {
    await exportTo('archive')
    const before = parquetIn(at('archive'))
    rmSync(at('archive/_manifest.json'))
    expect(await failureOf(exportTo('archive'))).to.match(/no _manifest.json: put it back/)
    expect(parquetIn(at('archive'))).to.deep.equal(before)
  })

  it('drops what was not committed, and files that the manifest does not name', async () => {
    {
      await using writer = await openExport(past.store, at('archive'), options)
      await writer.add((await allOf(past.store)).slice(0, 100))
    }
    expect(manifestOf('archive')).to.deep.include({ position: 0, files: [] })
    expect(parquetIn(at('archive'))).to.deep.equal([])
    await exportTo('archive')
    const { path = '' } = manifestOf('archive').files[0] ?? {}
    writeFileSync(join(at('archive'), path.replace('.parquet', '-2.parquet')), 'left by a crash')
    await exportTo('archive')
    expectNamed('archive')
  })

  it('keeps of forgotten streams monthly sums only', async () => {
    await exportTo('archive', { withContent: true })
    const job = jobs.at(-1) ?? ''
    await past.removed('forgotten', 'org-1', [streams.job(job)])
    await exportTo('archive', { withContent: true })
    const sums = { debited: 0, charged: 0, refunded: 0 }
    expect(manifestOf('archive').forgotten).to.deep.equal([{ month: '2026-12', jobs: 1, ...sums }])
    expect(await rowsIn('archive', `SELECT * FROM events WHERE stream = '${streams.job(job)}'`)).to.deep.equal([])

    const all = [streams.organization('org-2'), streams.credits('org-2')]
    const jobsOf2 = jobs.filter((_, index) => index % 2 === 1 && index < jobs.length - 1).map(streams.job)
    await past.removed('forgotten', 'org-2', [...jobsOf2, ...all] as [string])
    const others = [streams.organization('org-1'), streams.credits('org-1')]
    const jobsOf1 = jobs.filter((_, index) => index % 2 === 0).map(streams.job)
    await past.removed('forgotten', 'org-1', [...jobsOf1, ...others] as [string])
    await exportTo('archive', { withContent: true })
    const { forgotten } = manifestOf('archive')
    expect(forgotten).to.deep.equal([
      { month: '2026-11', jobs: 22, debited: 110, charged: 22, refunded: 88 },
      { month: '2026-12', jobs: 8, debited: 40, charged: 8, refunded: 32 },
    ])
    const text = await textOf('archive')
    for (const each of Object.values(personal)) expect(text).to.not.include(each)
    expect(await rowsIn('archive', `SELECT * FROM events WHERE category <> 'removal'`)).to.deep.equal([])
    expectNamed('archive')
  })

  it('loses forgotten streams also without an export, which then goes on as before', async () => {
    await exportTo('archive', { withContent: true })
    const { position } = manifestOf('archive')
    const [first = '', second = ''] = jobs
    await past.removed('forgotten', 'org-1', [streams.job(first)])
    await past.job('org-1', randomUUID())
    const { store } = past
    expect(await forgetRemoved(store, { directory: at('archive'), origin: 'file-1', program: 'test' })).to.equal(1)
    expect(await rowsIn('archive', `SELECT * FROM events WHERE stream = '${streams.job(first)}'`)).to.deep.equal([])
    expect(await rowsIn('archive', `SELECT * FROM events WHERE stream = '${streams.job(second)}'`)).to.have.length(4)
    const { position: left, forgotten } = manifestOf('archive')
    expect([left, forgotten.map(({ jobs }) => jobs)]).to.deep.equal([position, [1]])
    expect(await exportTo('archive', { withContent: true })).to.equal(7)
    expect(manifestOf('archive').forgotten).to.deep.equal(forgotten)
    expect(await checkArchive(at('archive'))).to.deep.equal([])
  })

  it('keeps what retention has removed from the store', async () => {
    await exportTo('archive')
    const before = await rowsIn('archive')
    await past.removed('retention', 'org-1', jobs.map(streams.job) as [string])
    await exportTo('archive')
    expect((await rowsIn('archive')).slice(0, -1)).to.deep.equal(before)
  })
})

const rowOf = ({ metadata, data, recordedAt, stream, ...event }: StoredEvent) => ({
  ...event,
  stream,
  category: /^[a-z]+/.exec(stream)?.[0],
  version: newestVersion[event.type],
  recorded_at: recordedAt,
  org_id: metadata.orgId,
  correlation_id: metadata.correlationId,
  causation_id: metadata.causationId,
  traceparent: metadata.traceparent,
  data: JSON.stringify(data),
})

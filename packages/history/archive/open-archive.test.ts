import { renameSync } from 'node:fs'
import { mkdir, rename, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { directoryForEach } from '#test/doubles/temporary-directory.ts'
import { ArchivedHistory } from './archived-history.ts'
import { allOf, exported, inPieces, type Past, pastStore } from './archived-store.fixture.ts'
import { checkArchive } from './check-archive.ts'
import { exportHistory, openExport } from './export-history.ts'
import { type Manifest, readManifest, writeManifest } from './manifest.ts'
import { manifestOf, openArchive, readArchive } from './open-archive.ts'

const options = { ...inPieces, full: { events: 20, size: 1_000_000 } }

describe('an archive that is opened', () => {
  const folder = directoryForEach()
  let past: Past
  beforeEach(async () => {
    ;({ past } = await pastStore())
    await addNew()
  })

  const addNew = (path = folder.path): Promise<number> => exported(past.store, path, options)

  const missing = (manifest: Manifest): Manifest => ({
    ...manifest,
    files: manifest.files.map((file, index) => (index === 0 ? { ...file, path: 'events/gone.parquet' } : file)),
  })

  it('has the files of the newest manifest, where one was replaced while it was opened', async () => {
    const manifest = manifestOf(folder.path)
    writeManifest(folder.path, missing(manifest))
    const opening = openArchive(folder.path, { threads: 1 })
    writeManifest(folder.path, manifest)
    using archive = await opening
    expect(archive.manifest).to.deep.equal(manifest)
    const counted = await archive.connection.runAndReadAll('SELECT count(*)::INTEGER FROM events')
    expect(counted.getRows()[0]?.[0]).to.equal(manifest.files.reduce((sum, { events }) => sum + events, 0))
  })

  it('stays as it was, while files are replaced by larger ones', async () => {
    using archive = await openArchive(folder.path, { threads: 1 })
    const count = async () => (await archive.connection.runAndReadAll('SELECT count(*)::INTEGER FROM events')).getRows()
    const [before, events] = [await count(), await allOf(new ArchivedHistory(archive))]
    await past.job('org-1', 'later')
    await addNew()
    expect(manifestOf(folder.path).position).to.be.greaterThan(archive.manifest.position)
    expect(await count()).to.deep.equal(before)
    expect(await allOf(new ArchivedHistory(archive))).to.deep.equal(events)
  })

  it('is whole where a crash came between the manifest and the places of its files, which the next run makes good', async () => {
    const manifest = manifestOf(folder.path)
    const moves = manifest.files.slice(0, 2).map(({ path }, index) => ({ from: `_unfinished/${index}.part`, to: path }))
    await mkdir(join(folder.path, '_unfinished'), { recursive: true })
    for (const { from, to } of moves) renameSync(join(folder.path, to), join(folder.path, from))
    writeManifest(folder.path, { ...manifest, moves })
    expect(await checkArchive(folder.path)).to.deep.equal([])
    using archive = await openArchive(folder.path, { threads: 1 })
    expect(await allOf(new ArchivedHistory(archive))).to.have.length(
      manifest.files.reduce((sum, { events }) => sum + events, 0),
    )
    await addNew()
    expect(manifestOf(folder.path)).to.deep.equal(manifest)
    expect(await checkArchive(folder.path)).to.deep.equal([])
  })

  it('is made good by the next run where a file could not take its place', async () => {
    const [{ files }, path] = [manifestOf(folder.path), join(folder.path, 'second')]
    const inTheWay = join(path, files[1]?.path ?? '')
    const failed = await (async () => {
      await using writer = await openExport(past.store, path, options)
      await mkdir(inTheWay, { recursive: true })
      await exportHistory(past.store, writer)
    })().catch(String)
    expect(failed).to.contain('EISDIR')
    await rmdir(inTheWay)
    await addNew(path)
    expect(manifestOf(path)).to.deep.equal(manifestOf(folder.path))
    expect(await checkArchive(path)).to.deep.equal([])
  })

  it('is read once more where files are gone since it was opened, and a newer manifest does without them', async () => {
    const manifest = manifestOf(folder.path)
    const [file] = manifest.files
    const path = join(folder.path, file?.path ?? '')
    let reads = 0
    const counted = await readArchive(folder.path, { threads: 1 }, async ({ connection }) => {
      if (reads++ === 0) {
        await rename(path, `${path}.gone`)
        writeManifest(folder.path, { ...manifest, files: manifest.files.slice(1) })
      }
      return (await connection.runAndReadAll('SELECT count(*)::INTEGER FROM events')).getRows()[0]?.[0]
    })
    expect([reads, counted]).to.deep.equal([2, manifest.files.slice(1).reduce((sum, { events }) => sum + events, 0)])
    await rename(`${path}.gone`, path)
    writeManifest(folder.path, manifest)
    const refused = await readArchive(folder.path, {}, () => Promise.reject(new Error('a wrong question'))).catch(
      String,
    )
    expect(refused).to.equal('Error: a wrong question')
  })

  it('is refused where a file is gone that its manifest names', async () => {
    const manifest = readManifest(folder.path)
    await rm(join(folder.path, manifest?.files[0]?.path ?? ''))
    const error = await openArchive(folder.path, { threads: 1 }).catch(String)
    expect(error).to.contain('No files found')
  })
})

import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { temporaryDirectory } from '#test/doubles/temporary-directory.ts'
import { pastStore } from './archived-store.fixture.ts'
import { exportHistory, openExport } from './export-history.ts'
import { type Manifest, readManifest, writeManifest } from './manifest.ts'
import { manifestOf, openArchive, readArchive } from './open-archive.ts'

const options = { origin: null, from: null, program: '1', full: { events: 20, size: 1_000_000 }, withContent: false }

describe('an archive that is opened', () => {
  let folder: Awaited<ReturnType<typeof temporaryDirectory>>
  before(async () => {
    folder = await temporaryDirectory()
    const { store } = (await pastStore()).past
    await using writer = await openExport(store, folder.path, options)
    await exportHistory(store, writer)
  })
  after(() => folder[Symbol.asyncDispose]())

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

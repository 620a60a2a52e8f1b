import { rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { directoryForEach } from '#test/doubles/temporary-directory.ts'
import { exported, pastStore } from './archived-store.fixture.ts'
import { type ArchiveFinding, checkArchive } from './check-archive.ts'
import { type ArchiveFile, writeManifest } from './manifest.ts'
import { manifestOf } from './open-archive.ts'

describe('checkArchive', () => {
  const folder = directoryForEach()
  beforeEach(async () => {
    const { past } = await pastStore()
    await exported(past.store, folder.path, { full: { events: 40, size: 1_000_000 } })
  })

  /** The findings after a change to the files or to their entries in the manifest. */
  async function found(change: (files: ArchiveFile[]) => ArchiveFile[]): Promise<ArchiveFinding[]> {
    const manifest = manifestOf(folder.path)
    writeManifest(folder.path, { ...manifest, files: change([...manifest.files]) })
    return await checkArchive(folder.path)
  }

  it('finds nothing where every file is as the manifest says', async () => {
    expect(await found((files) => files)).to.deep.equal([])
  })

  it('finds files that are missing or were changed', async () => {
    const [first, second] = manifestOf(folder.path).files
    rmSync(join(folder.path, first?.path ?? ''))
    truncateSync(join(folder.path, second?.path ?? ''), 1000)
    expect(await found((files) => files)).to.deep.equal([
      { file: first?.path, problem: 'is missing' },
      { file: second?.path, problem: 'has other bytes than were written' },
    ])
  })

  it('says which manifest is damaged, or is not that of an archive', () => {
    const path = join(folder.path, '_manifest.json')
    const problemOf = (text: string): string => {
      writeFileSync(path, text)
      try {
        return `none: ${manifestOf(folder.path).position}`
      } catch (error) {
        return (error as Error).message.replace(path, 'FILE')
      }
    }
    expect(problemOf('{')).to.match(/^FILE is damaged: Expected/)
    expect(problemOf('null')).to.equal('FILE is damaged: it is no manifest')
    expect(problemOf('{"format": 2, "forgotten": []}')).to.match(
      /^the archive \S+ has format 2, and .* take another folder$/,
    )
    expect(problemOf('{"format": 1, "position": 8, "files": []}')).to.match(/^FILE is not that of an archive/)
  })

  it('finds other events than the manifest says, and events that are there twice', async () => {
    const [first] = await found(([file, ...rest]) => (file ? [{ ...file, events: file.events + 1 }, ...rest] : []))
    expect(first?.problem).to.equal('has other events than the manifest says')
    const twice = await found((files) => [...files, ...files.slice(-1)])
    expect(twice.at(-1)?.problem).to.match(/^begins before .* ends$/)
  })
})

import { execFile } from 'node:child_process'
import { chmod, mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { openSqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import { LOCK, openArchiveFolder } from '#packages/history/archive/archive-folder.ts'
import { Past } from '#packages/history/archive/archived-store.fixture.ts'
import { exportHistory, openExport } from '#packages/history/archive/export-history.ts'
import { MANIFEST } from '#packages/history/archive/manifest.ts'
import { writeProgress } from '#packages/history/retention/checked-archive.ts'
import { openDataDirectory } from '#services/host/data-directory.ts'
import { machineEnvironment } from '#test/doubles/machine-environment.ts'
import { scriptArguments } from '#test/doubles/script-arguments.ts'
import { directoryForEach } from '#test/doubles/temporary-directory.ts'

/** The paths below a folder that anybody except their owner may read or enter. */
async function openToOthers(folder: string): Promise<string[]> {
  const paths = await readdir(folder, { recursive: true })
  const modes = await Promise.all(paths.map(async (path) => (await stat(join(folder, path))).mode & 0o077))
  return paths.filter((_, at) => modes[at] !== 0)
}

describe('another account on the machine', function () {
  this.timeout(60_000)
  const directory = directoryForEach()
  let archive: string
  beforeEach(async () => {
    archive = join(directory.path, 'archive')
    await using store = await openSqliteEventStore({ path: join(directory.path, 'events.sqlite') })
    await new Past(store).organization('acme')
  })

  /** Files that this process and its children create meanwhile are readable by everybody, unless they prevent it. */
  async function asOpenProcess(work: () => Promise<unknown>): Promise<void> {
    const before = process.umask(0o022)
    try {
      await work()
    } finally {
      process.umask(before)
    }
  }

  const exportByCommand = () =>
    asOpenProcess(() => {
      const env = { ...machineEnvironment(), DATA_DIR: directory.path }
      return promisify(execFile)(process.execPath, [...scriptArguments('history'), 'export', '--to', archive], { env })
    })

  /** Exports as retention does in a service. */
  const exportInService = () =>
    asOpenProcess(async () => {
      await openDataDirectory(directory.path)
      await using store = await openSqliteEventStore({ path: join(directory.path, 'events.sqlite'), readOnly: true })
      const options = { origin: null, withContent: false, from: null, program: 'test' }
      await using writer = await openExport(store, archive, options)
      await exportHistory(store, writer)
      writeProgress(archive, 0)
    })

  for (const [by, exportAll] of Object.entries({ 'the command': exportByCommand, 'a service': exportInService }))
    it(`reads no file of an archive that ${by} makes in a folder open to everybody: a new one, or its lock of an older version`, async () => {
      await mkdir(archive)
      await chmod(archive, 0o755)
      await exportAll()
      expect(await readdir(archive)).to.include.members([LOCK, MANIFEST, 'events'])
      expect(await openToOthers(archive)).to.deep.equal([])
      await chmod(join(archive, LOCK), 0o644)
      await exportAll()
      expect(await openToOthers(archive)).to.deep.equal([])
    })

  it('is kept out by the entry points: an archive does not change the umask of its process', async () => {
    await asOpenProcess(async () => {
      await using _opened = await openArchiveFolder(archive)
      expect(process.umask()).to.equal(0o022)
    })
  })
})

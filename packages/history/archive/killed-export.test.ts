import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, watch } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { openSqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import { granted } from '#packages/domain/credits/credits.fixture.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { directoryForAll } from '#test/doubles/temporary-directory.ts'
import { exported, newEvent, parquetIn } from './archived-store.fixture.ts'
import { checkArchive } from './check-archive.ts'
import { manifestOf } from './open-archive.ts'

const harness = fileURLToPath(new URL('./export-process.harness.ts', import.meta.url))

/** An export is killed after this many batches: before its first commit, or after one. */
const BATCHES = [1, 3, 3]
/** An export is killed after this many changes of files in the folder: while it converts, or while it commits. */
const CHANGES = [12, 25]

describe('an export that is killed', function () {
  this.timeout(120_000)
  const folder = directoryForAll()
  const store = openedForAll(() => openSqliteEventStore({ path: at('events.sqlite') }))
  before(async () => {
    for (let batch = 0; batch < 16; batch++)
      await Promise.all(['credits-org', 'job-j'].map((name) => store.append(`${name}-${batch}`, 'no-stream', grants)))
  })
  const at = (name: string): string => join(folder.path, name)
  const start = (directory: string, batches: number | 'all'): ChildProcessByStdio<null, Readable, null> =>
    spawn(process.execPath, ['--import', 'tsx/esm', harness, at('events.sqlite'), directory, `${batches}`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })

  async function killAfterBatches(batches: number, directory: string): Promise<void> {
    const child = start(directory, batches)
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  /** Kills an export after a number of changes in its folder, unless it ends earlier. */
  async function killAtChange(change: number, directory: string): Promise<void> {
    const child = start(directory, 'all')
    let changes = 0
    const watching = watch(directory, { recursive: true }, () => {
      changes++
      if (changes === change) child.kill('SIGKILL')
    })
    await once(child, 'exit')
    watching.close()
  }

  it('loses nothing, counts nothing twice, and the next run goes on to the same bytes', async () => {
    const directory = at('killed')
    for (const batches of BATCHES) {
      await killAfterBatches(batches, directory)
      if (existsSync(join(directory, '_manifest.json'))) expect(await checkArchive(directory)).to.deep.equal([])
    }
    expect(manifestOf(directory).position, 'committed before kills').to.be.within(2000, 6000)
    for (const change of CHANGES) {
      await killAtChange(change, directory)
      expect(await checkArchive(directory)).to.deep.equal([])
    }
    await exported(store, directory)
    await exported(store, at('whole'))
    expect(manifestOf(directory)).to.deep.equal(manifestOf(at('whole')))
    expect(parquetIn(directory)).to.deep.equal(parquetIn(at('whole')))
    expect(await checkArchive(directory)).to.deep.equal([])
  })

  it('is the only one that writes into its folder, and leaves no lock', async () => {
    const child = start(at('locked'), 1)
    await once(child.stdout, 'data')
    expect(await failureOf(exported(store, at('locked')))).to.match(/another export writes into/)
    child.kill('SIGKILL')
    await once(child, 'exit')
    await exported(store, at('locked'))
    expect(await checkArchive(at('locked'))).to.deep.equal([])
  })
})

const grants = Array.from({ length: 250 }, () => newEvent(granted(1, 'adjustment'), 'org-1'))

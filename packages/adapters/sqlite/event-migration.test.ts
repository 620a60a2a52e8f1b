import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { EncodedRecord } from '#packages/events/codec.ts'
import { InvalidEventError } from '#packages/ports/event-store.ts'
import { openBeside } from '#test/doubles/open-beside.ts'
import { readingsOf } from './event-file.fixture.ts'
import { writeVersion1 } from './event-file-v1.fixture.ts'
import { migrateEventFile, newPathOf } from './event-migration.ts'
import { movedVersion, versionOf } from './event-schema.ts'
import { openSqliteEventStore } from './event-store.ts'
import { verifyEventFile } from './verify.ts'

const moduleUrl = new URL('./event-migration.ts', import.meta.url).href

const versionAt = (path: string): number => {
  using database = openBeside(path)
  return versionOf(database)
}

function originOf(path: string): unknown {
  using database = openBeside(path)
  return database.prepare('SELECT id FROM origin').get()?.id
}

/** The events of a file as a follower gets them, encoded. */
function eventsIn(path: string): EncodedRecord[] {
  const feed = readingsOf(path, []).get('feed')
  if (!Array.isArray(feed)) throw feed ?? new Error('nothing was read')
  return feed.map((row) => {
    const { previous: _, checksum: __, ...record } = row as EncodedRecord & { previous: number; checksum: number }
    return record
  })
}

const byPosition = (records: readonly EncodedRecord[]) => new Map(records.map((record) => [record.position, record]))

/** A process that migrates a file, limited to so many kilobytes for each file that it writes. */
function migrateInProcess(path: string, kilobytes = 'unlimited'): ChildProcess {
  const code = `import { migrateEventFile } from ${JSON.stringify(moduleUrl)}
    process.stdout.write('begins ')
    try { migrateEventFile(${JSON.stringify(path)}, 1000); process.stdout.write('done') }
    catch (error) { process.stdout.write(error.message) }`
  const shell = `trap '' XFSZ; ulimit -f ${kilobytes}; exec "$0" --input-type=module -e "$1"`
  return spawn('bash', ['-c', shell, process.execPath, code], { stdio: ['ignore', 'pipe', 'inherit'] })
}

async function outputOf(child: ChildProcess): Promise<string> {
  let output = ''
  child.stdout?.on('data', (text: Buffer) => {
    output += text
  })
  await once(child, 'close')
  return output
}

describe('the migration of an event file of version 1', function () {
  this.timeout(90_000)
  let folder: string
  let path: string
  let golden: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'event-migration-'))
    path = join(folder, 'events.sqlite')
    golden = join(folder, 'golden')
  })
  afterEach(() => rm(folder, { recursive: true }))

  const assertMigrated = (records: readonly EncodedRecord[]): void => {
    expect(versionAt(path)).to.equal(2)
    expect(byPosition(eventsIn(path))).to.deep.equal(byPosition(records))
    expect(verifyEventFile(path, () => {}).findings).to.deep.equal([])
    using database = openBeside(path)
    expect(database.prepare('PRAGMA integrity_check').get()).to.include({ integrity_check: 'ok' })
  }

  it('keeps every event with its place and its time, the removals, and the name of the file', async () => {
    const records = writeVersion1(path, 300)
    const originBefore = originOf(path)
    {
      await using store = await openSqliteEventStore({ path })
      expect(store.origin).to.include({ id: originBefore, lastPosition: 300 })
      expect((await store.read('credits-0')).length).to.be.above(10)
      expect(await store.read('job-1')).to.deep.equal([])
      const removed = await store.append('job-newest', 'no-stream', []).catch((error: unknown) => error)
      expect(removed).to.be.instanceOf(RangeError)
    }
    assertMigrated(records)
    expect(readdirSync(folder).filter((name) => name.includes('.new'))).to.deep.equal([])
  })

  it('does not trust migrated events: they are validated at every read', async () => {
    writeVersion1(path, 300)
    {
      using old = openBeside(path)
      old.exec(`UPDATE events SET data = '{"raison":"x"}' WHERE position = 3`)
    }
    await using store = await openSqliteEventStore({ path })
    const refused = await store.read('credits-3').catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(InvalidEventError)
  })

  it('can be killed at any moment: the next start goes on or begins anew', async () => {
    const records = writeVersion1(golden, 4000)
    const versions = new Set<number>()
    for (let round = 0; round < 12; round++) {
      for (const name of readdirSync(folder)) if (name !== 'golden') rmSync(join(folder, name))
      copyFileSync(golden, path)
      const child = migrateInProcess(path)
      const closed = once(child, 'close')
      if (child.stdout === null) throw new Error('the child has no output')
      await once(child.stdout, 'data')
      await new Promise((resolve) => setTimeout(resolve, round * 12))
      child.kill('SIGKILL')
      await closed
      versions.add(existsSync(newPathOf(path)) ? -1 : versionAt(path))
      migrateEventFile(path, 5000)
      assertMigrated(records)
    }
    expect(versions.has(-1), 'one was killed during the migration').to.equal(true)
  })

  it('goes on after a kill between the two files', () => {
    const records = writeVersion1(golden, 200)
    copyFileSync(golden, path)
    migrateEventFile(path, 1000)
    copyFileSync(path, newPathOf(path))
    copyFileSync(golden, path)
    {
      using old = openBeside(path)
      old.exec(`PRAGMA journal_mode = DELETE; PRAGMA user_version = ${movedVersion}`)
    }
    migrateEventFile(path, 1000)
    assertMigrated(records)
  })

  it('begins anew where the new file is only half written', () => {
    const records = writeVersion1(path, 200)
    copyFileSync(path, newPathOf(path))
    migrateEventFile(path, 1000)
    assertMigrated(records)
  })

  it('leaves the file as it is where the disk is too small, and says so', async () => {
    const records = writeVersion1(path, 2000)
    const failed = await outputOf(migrateInProcess(path, '400'))
    expect(failed).to.match(/begins .*(full|disk I\/O error)/)
    expect(existsSync(newPathOf(path))).to.equal(false)
    expect(versionAt(path)).to.equal(1)
    expect(await outputOf(migrateInProcess(path))).to.equal('begins done')
    assertMigrated(records)
  })

  it('is refused while another process has the file open, and where events are missing', () => {
    writeVersion1(path, 200)
    {
      using other = openBeside(path)
      other.exec('SELECT * FROM origin')
      expect(() => migrateEventFile(path, 50)).to.throw('another process has it open')
    }
    {
      using damaged = openBeside(path)
      damaged.exec(
        "DELETE FROM events WHERE revision = 3 AND stream = (SELECT id FROM streams WHERE name = 'credits-0')",
      )
    }
    const before = readFileSync(path)
    expect(() => migrateEventFile(path, 1000)).to.throw(/events are missing before the one at credits-0, revision 4/)
    expect(readFileSync(path).length).to.equal(before.length)
    expect(versionAt(path)).to.equal(1)
  })
})

import { randomUUID } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { DamagedEventsError } from '#packages/ports/damaged-events.ts'
import { grants } from '#packages/ports/event-store-samples.contract.ts'
import { until } from '#test/doubles/service/until.ts'
import { fileOfEachTest } from '#test/doubles/temporary-directory.ts'
import { acceptEventFileEnd } from './accept-end.ts'
import { linesOf, processOn } from './event-file.fixture.ts'
import { openSqliteEventStore } from './event-store.ts'
import { verifyEventFile } from './verify.ts'

/** How many places to cut the log at. */
const CUTS = 8

const samplesUrl = new URL('../../ports/event-store-samples.contract.ts', import.meta.url).href

/** Appends each event to its own stream, with a limit on the size of files, and prints each answered stream. */
const appendInProcess = (path: string, kilobytes?: number) => {
  const code = `import { grants } from ${JSON.stringify(samplesUrl)}
    for (let failures = 0; failures < 3; ) {
      const stream = 'credits-' + crypto.randomUUID()
      try { await store.append(stream, 'no-stream', grants(2)); process.stdout.write(stream + '\\n') }
      catch { failures++ }
    }
    await store[Symbol.asyncDispose]().catch(() => {})
    process.exit()`
  return processOn(path, code, kilobytes)
}

const causeOf = async (opening: Promise<AsyncDisposable>): Promise<unknown> => {
  try {
    await using _store = await opening
    return undefined
  } catch (error) {
    return error
  }
}

describe('an event file with a missing end', function () {
  this.timeout(120_000)
  const at = fileOfEachTest('events.sqlite')

  const files = () => readdirSync(at.folder).filter((name) => name.startsWith('events.sqlite'))
  const keep = (): Map<string, Buffer> => new Map(files().map((name) => [name, readFileSync(join(at.folder, name))]))
  function putBack(kept: ReadonlyMap<string, Buffer>): void {
    for (const name of files()) rmSync(join(at.folder, name))
    for (const [name, bytes] of kept) if (!name.endsWith('-shm')) writeFileSync(join(at.folder, name), bytes)
  }

  async function append(count: number): Promise<string[]> {
    await using store = await openSqliteEventStore({ path: at.path })
    const streams = Array.from({ length: count }, () => `credits-${randomUUID()}`)
    for (const stream of streams) await store.append(stream, 'no-stream', grants(1))
    return streams
  }

  async function missingOf(streams: readonly string[]): Promise<string[]> {
    await using store = await openSqliteEventStore({ path: at.path })
    const missing: string[] = []
    for (const stream of streams) if ((await store.read(stream)).length === 0) missing.push(stream)
    return missing
  }

  it('is refused if its log was cut after a kill, at any place, unless no answered event is missing', async () => {
    await append(3)
    // A reader of an older state keeps the log from being emptied, which a writer otherwise does soon after its start.
    const reader = new DatabaseSync(at.path)
    reader.exec('BEGIN; SELECT count(*) FROM events')
    const answered = await linesOf(appendInProcess(at.path), 60)
    expect(answered.length).to.be.at.least(60)
    const kept = keep()
    reader.close()
    const log = kept.get('events.sqlite-wal') ?? Buffer.alloc(0)
    expect(log.length).to.be.above(100_000)
    for (let cut = 0; cut < CUTS; cut++) {
      putBack(kept)
      truncateSync(`${at.path}-wal`, Math.floor((log.length * cut) / CUTS))
      const error = await causeOf(openSqliteEventStore({ path: at.path }))
      expect(String(error), `cut at ${cut} of ${CUTS}`).to.contain('events are missing').and.contain('accept-end')
    }
    putBack(kept)
    expect(await missingOf(answered)).to.deep.equal([])
  })

  it('is refused if an older copy was restored, or if it was emptied, or if it is gone', async () => {
    await append(3)
    const older = keep()
    await append(3)
    const newer = keep()
    const put = (file: Buffer | undefined) => {
      putBack(newer)
      if (file === undefined) rmSync(at.path)
      else writeFileSync(at.path, file)
    }
    for (const file of [older.get('events.sqlite'), Buffer.alloc(0), undefined]) {
      put(file)
      const error = (await causeOf(openSqliteEventStore({ path: at.path }))) as Error
      expect(error.message).to.contain('events are missing').and.contain('npm run history -- accept-end')
      expect(error.message).to.contain('had come to position 6')
      expect(existsSync(at.path), 'no new file is made').to.equal(file !== undefined)
    }
  })

  it('is refused if it was replaced by another file with as many events', async () => {
    await append(4)
    const other = keep()
    for (const name of files()) rmSync(join(at.folder, name))
    await append(4)
    writeFileSync(at.path, other.get('events.sqlite') ?? '')
    expect(String(await causeOf(openSqliteEventStore({ path: at.path })))).to.contain('with other events than these')
  })

  it('opens with a new id once its end was accepted, and is refused again if more events are missing', async () => {
    await append(3)
    const older = keep()
    const missing = await append(3)
    const { origin } = await openAndClose()
    writeFileSync(at.path, older.get('events.sqlite') ?? '')
    expect(acceptEventFileEnd(at.path)).to.deep.equal({ end: 3, seen: 6 })
    expect(await missingOf(missing)).to.deep.equal(missing)
    const accepted = await openAndClose()
    expect(accepted.origin).to.include({ lastPosition: 3, acceptedEnd: 3 })
    expect(accepted.origin.id).to.not.equal(origin.id)
    const more = await append(2)
    expect(await missingOf(more)).to.deep.equal([])
    writeFileSync(at.path, older.get('events.sqlite') ?? '')
    expect(String(await causeOf(openSqliteEventStore({ path: at.path })))).to.contain('events are missing')
  })

  it('is created again, once its loss was accepted, if the file is gone', async () => {
    await append(3)
    rmSync(at.path)
    expect(acceptEventFileEnd(at.path)).to.deep.equal({ end: 0, seen: 3 })
    expect((await openAndClose()).origin).to.include({ lastPosition: 0, acceptedEnd: 0 })
  })

  it('does not need its mark: a missing or torn one is recreated', async () => {
    const streams = await append(3)
    for (const damage of [
      () => rmSync(`${at.path}.end`),
      () => writeFileSync(`${at.path}.end`, Buffer.alloc(640, 7)),
    ]) {
      damage()
      expect(await missingOf(streams)).to.deep.equal([])
    }
  })

  async function openAndClose() {
    await using store = await openSqliteEventStore({ path: at.path })
    return { origin: store.origin }
  }

  it('loses no answered event when the disk is full, at whatever write that begins', async () => {
    for (let kilobytes = 80; kilobytes < 320; kilobytes += 60) {
      for (const name of files()) rmSync(join(at.folder, name))
      await append(2)
      const answered = await linesOf(appendInProcess(at.path, kilobytes))
      expect(answered.length, `${kilobytes} kB`).to.be.above(0)
      expect(await missingOf(answered), `${kilobytes} kB`).to.deep.equal([])
      expect(verifyEventFile(at.path, () => {}).findings).to.deep.equal([])
    }
  })
})

describe('an event file that is changed while a store has it open', function () {
  this.timeout(120_000)
  const at = fileOfEachTest('events.sqlite')

  const grant = (stream: string) => [stream, 'no-stream', grants(1)] as const

  const changes: Record<string, (older: string) => void> = {
    'is deleted': () => rmSync(at.path),
    'is replaced by an older copy': (older) => {
      rmSync(at.path)
      copyFileSync(older, at.path)
    },
    'is put back with its log taken away': (older) => {
      for (const suffix of ['', '-wal', '-shm']) rmSync(at.path + suffix)
      copyFileSync(older, at.path)
    },
    'loses its log': () => rmSync(`${at.path}-wal`),
    'is overwritten by a shorter copy': (older) => writeFileSync(at.path, readFileSync(older)),
  }

  for (const [change, make] of Object.entries(changes))
    it(`is no longer trusted once it ${change}, and accepts no append`, async () => {
      const older = join(at.folder, 'older')
      {
        await using store = await openSqliteEventStore({ path: at.path })
        await store.append(...grant('credits-1'))
      }
      copyFileSync(at.path, older)
      {
        await using store = await openSqliteEventStore({ path: at.path })
        await Promise.all(Array.from({ length: 400 }, (_, n) => store.append(...grant(`credits-more-${n}`))))
      }
      expect(statSync(older).size).to.be.below(statSync(at.path).size)
      const damages: DamagedEventsError[] = []
      await using store = await openSqliteEventStore({ path: at.path, onDamage: (error) => damages.push(error) })
      await store.append(...grant('credits-2'))
      expect(store.integrityProblem()).to.equal(undefined)
      make(older)
      const error = await store.append(...grant('credits-3')).catch((thrown: unknown) => thrown)
      expect(error).to.be.instanceOf(DamagedEventsError)
      expect(store.integrityProblem()).to.contain('the event file')
      expect(damages).to.have.length(1)
    })

  it('is noticed without an append as well, within seconds', async () => {
    await using store = await openSqliteEventStore({ path: at.path })
    await store.append(...grant('credits-1'))
    rmSync(at.path)
    await until('it is noticed', () => store.integrityProblem() !== undefined)
    expect(store.integrityProblem()).to.equal('the event file was deleted while the service runs')
  })
})

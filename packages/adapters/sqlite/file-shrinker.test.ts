import { randomUUID } from 'node:crypto'
import { copyFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import type { NewEvent } from '#packages/ports/event-store.ts'
import { metadata } from '#packages/ports/event-store-samples.contract.ts'
import { openBeside } from '#test/doubles/open-beside.ts'
import { until } from '#test/doubles/service/until.ts'
import { AppendWriter } from './append-writer.ts'
import { EndMarks } from './end-mark.ts'
import { append } from './event-file.fixture.ts'
import { prepareEventFile } from './event-schema.ts'
import { openSqliteEventStore } from './event-store.ts'
import { FileShrinker } from './file-shrinker.ts'
import { verifyEventFile } from './verify.ts'

const eventOf = (reason: string): NewEvent => ({
  ...{ id: randomUUID(), type: 'CaptionsUnavailable', data: { reason } },
  metadata,
})

describe('an event file', function () {
  this.timeout(120_000)
  let folder: string
  let path: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'shrinking-file-'))
    path = join(folder, 'events.sqlite')
  })
  afterEach(() => rm(folder, { recursive: true }))

  type Store = Awaited<ReturnType<typeof openSqliteEventStore>>
  const bytes = (): number => statSync(path).size
  const content = (): string =>
    readdirSync(folder)
      .filter((name) => !name.endsWith('-shm'))
      .map((name) => readFileSync(join(folder, name), 'latin1'))
      .join()

  /** Streams of ten events of about a kilobyte, each with its own secret. */
  async function fill(store: Store, count: number): Promise<{ stream: string; secret: string }[]> {
    const made = Array.from({ length: count }, (_, n) => ({ stream: `job-${n}`, secret: randomUUID() }))
    for (let at = 0; at < count; at += 100)
      await Promise.all(
        made.slice(at, at + 100).map(({ stream, secret }) =>
          store.append(
            stream,
            'no-stream',
            Array.from({ length: 10 }, () => eventOf(secret.repeat(20))),
          ),
        ),
      )
    return made
  }

  it('of which nine tenths are removed shrinks to less than a fifth while appends go on, in every process that has it open, with no trace of what is gone', async () => {
    await using store = await openSqliteEventStore({ path })
    await using other = await openSqliteEventStore({ path })
    const made = await fill(store, 2000)
    const full = bytes()
    const removed = made.filter((_, n) => n % 10 > 0)
    await Promise.all(removed.map(({ stream }) => store.remove(stream)))
    let last = -1
    await until('the file has shrunk', async () => {
      const { revision } = await store.append('job-meanwhile', last < 0 ? 'no-stream' : last, [eventOf('meanwhile')])
      last = revision
      return bytes() < full / 5
    })
    expect(last).to.be.greaterThan(5)
    expect(await store.read('job-meanwhile')).to.have.length(last + 1)
    const left = made.filter((_, n) => n % 10 === 0)
    for (const { stream, secret } of [left[0], left.at(-1)].filter((one) => one !== undefined))
      for (const each of [store, other])
        expect((await each.read(stream)).map(({ data }) => data)).to.deep.equal(
          Array.from({ length: 10 }, () => ({ reason: secret.repeat(20) })),
        )
    await other.append('job-other', 'no-stream', [eventOf('other')])
    expect([store, other].map((each) => each.integrityProblem())).to.deep.equal([undefined, undefined])
    const bytesLeft = content()
    expect(removed.filter(({ secret }) => bytesLeft.includes(secret))).to.deep.equal([])
    expect(verifyEventFile(path, () => {})).to.deep.equal({ events: 2000 + last + 2, findings: [] })
  })

  it('is still no longer trusted once a shorter copy is written over it', async () => {
    const older = join(folder, 'older')
    {
      await using store = await openSqliteEventStore({ path })
      await store.append('job-first', 'no-stream', [eventOf('first')])
    }
    copyFileSync(path, older)
    await using store = await openSqliteEventStore({ path })
    const made = await fill(store, 200)
    await Promise.all(made.slice(0, 150).map(({ stream }) => store.remove(stream)))
    const full = bytes()
    await until('the file has shrunk', () => bytes() < full / 2)
    await store.append('job-next', 'no-stream', [eventOf('next')])
    expect(bytes()).to.be.greaterThan(statSync(older).size)
    writeFileSync(path, readFileSync(older))
    const error = await store.append('job-last', 'no-stream', [eventOf('last')]).catch(String)
    expect(error).to.contain('it is no longer the file that was opened')
    expect(store.integrityProblem()).to.contain('overwritten by a shorter one')
  })

  it('is left as long as it is where its mark was deleted, or where it is damaged', async () => {
    using database = openBeside(path)
    prepareEventFile(database, path)
    const writer = new AppendWriter(database)
    writer.write([append('job-1', 'no-stream', 2000), { kind: 'remove', stream: 'job-1' }])
    const full = bytes()
    const tried = { noted: 0, asked: 0 }
    // Without its file, a mark is written and cannot be read.
    const marks = { noteShortest: () => void tried.noted++ }
    const isDamaged = (): boolean => tried.asked++ >= 0
    {
      using _unmarked = new FileShrinker({ path, database, marks, isOffLimits: () => false })
      using _damaged = new FileShrinker({ path, database, marks, isOffLimits: isDamaged })
      await until('both have been tried', () => tried.noted > 0 && tried.asked > 0)
    }
    expect(database.isTransaction).to.equal(false)
    expect(database.prepare('PRAGMA freelist_count').get()?.freelist_count).to.be.greaterThan(100)
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    expect(bytes()).to.equal(full)
  })

  it('is not shrunk while a backup reads an older state, so that its log stays short, and is after that', async () => {
    using database = openBeside(path)
    prepareEventFile(database, path)
    using marks = new EndMarks(path)
    const writer = new AppendWriter(database)
    const request = append('job-1', 'no-stream', 1000)
    if (request.kind === 'append')
      for (const event of request.events) Object.assign(event, { data: JSON.stringify('x'.repeat(10_000)) })
    writer.write([request])
    using backup = new DatabaseSync(path, { readOnly: true })
    backup.exec('BEGIN; SELECT count(*) FROM events')
    writer.write([{ kind: 'remove', stream: 'job-1' }])
    const freePages = () => Number(database.prepare('PRAGMA freelist_count').get()?.freelist_count)
    const freed = freePages()
    let looks = 0
    using _shrinker = new FileShrinker({ path, database, marks, isOffLimits: () => looks++ < 0 })
    await until('it has been tried several times', () => looks > 3)
    expect(freePages()).to.equal(freed)
    backup.exec('ROLLBACK')
    await until('the file has shrunk', () => freePages() < 100 && bytes() < 1_000_000)
    expect(statSync(`${path}-wal`).size).to.equal(0)
  })

  it('keeps a removed event in its log only while somebody reads an older state', async () => {
    await using store = await openSqliteEventStore({ path })
    const [one] = await fill(store, 1)
    using reader = new DatabaseSync(path, { readOnly: true })
    reader.exec('BEGIN; SELECT count(*) FROM events')
    await store.append('job-later', 'no-stream', [eventOf('later')])
    await store.remove('job-0')
    expect(await store.read('job-0')).to.deep.equal([])
    expect(content()).to.contain(one?.secret)
    reader.exec('ROLLBACK')
    await until('the log is empty', () => !content().includes(one?.secret ?? ''))
  })

  it('that was copied as a crash leaves it, with the removal in its log, loses what was removed soon after its start', async () => {
    const crashed = join(folder, 'crashed.sqlite')
    let secret = ''
    {
      await using store = await openSqliteEventStore({ path })
      const [one] = await fill(store, 1)
      secret = one?.secret ?? ''
      using reader = new DatabaseSync(path, { readOnly: true })
      reader.exec('BEGIN; SELECT count(*) FROM events')
      await store.remove('job-0')
      for (const suffix of ['', '-wal', '.end']) copyFileSync(path + suffix, crashed + suffix)
    }
    for (const name of readdirSync(folder)) if (!name.startsWith('crashed')) rmSync(join(folder, name))
    expect(content()).to.contain(secret)
    await using store = await openSqliteEventStore({ path: crashed })
    expect(await store.isRemoved('job-0')).to.equal(true)
    await until('the log is empty', () => !content().includes(secret))
  })
})

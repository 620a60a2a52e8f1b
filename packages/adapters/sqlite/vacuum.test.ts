import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { unavailable } from '#packages/ports/event-store-samples.contract.ts'
import { openBeside } from '#test/doubles/open-beside.ts'
import { Random } from '#test/doubles/random.ts'
import { until } from '#test/doubles/service/until.ts'
import { fileOfEachTest } from '#test/doubles/temporary-directory.ts'
import { AppendWriter } from './append-writer.ts'
import { writeDamageNote } from './damage-note.ts'
import { readingsOf } from './event-file.fixture.ts'
import { prepareEventFile } from './event-schema.ts'
import { openSqliteEventStore } from './event-store.ts'
import { removalsSinceVacuum } from './removals-since-vacuum.ts'
import { vacuum } from './vacuum.ts'
import { verifyEventFile } from './verify.ts'

const pattern = /secret-\d+-of-\d+-end/g

/** Jobs under way side by side. Each event has its own text, and some texts take overflow pages. */
class Jobs {
  readonly writer: AppendWriter
  readonly streams: string[] = []
  readonly #chance: Random
  readonly #secrets = new Map<string, string[]>()
  readonly #last = new Map<string, number>()
  #made = 0

  constructor(database: DatabaseSync, chance: Random) {
    this.writer = new AppendWriter(database)
    this.#chance = chance
  }

  /** Appends this many events, in transactions of ten. */
  write(count: number): void {
    for (let n = 0; n < count; n += 10)
      this.#assert(this.writer.write(Array.from({ length: 10 }, () => this.#append())))
  }

  #append(): Parameters<AppendWriter['write']>[0][number] {
    const chance = this.#chance
    if (this.streams.length === 0 || chance.chance(0.3)) this.streams.push(`job-${this.streams.length}`)
    const stream = this.streams[Math.max(0, this.streams.length - chance.between(1, 30))] as string
    const last = this.#last.get(stream)
    const id = `${this.#made}`
    const secret = `secret-${this.#made++}-of-${stream.slice(4)}-end`
    this.#secrets.set(stream, [...(this.#secrets.get(stream) ?? []), secret])
    this.#last.set(stream, (last ?? -1) + 1)
    const most = chance.pick([1000, 1000, 1000, 1000, chance.chance(0.1) ? 100_000 : 3000])
    const data = secret.padEnd(chance.between(30, most), secret)
    const events = [{ id, type: 'CaptionsUnavailable', version: 1, metadata: '{}', data }]
    return { kind: 'append', appends: [{ stream, expected: last ?? 'no-stream', events }] }
  }

  /** @returns the secrets of the stream */
  remove(stream: string): string[] {
    this.#assert(this.writer.write([{ kind: 'remove', stream }]))
    return this.#secrets.get(stream) ?? []
  }

  #assert(outcomes: readonly { kind: string }[]): void {
    expect(outcomes.filter(({ kind }) => kind !== 'appended' && kind !== 'stream-removed')).to.deep.equal([])
  }
}

describe('a VACUUM of the event file', function () {
  this.timeout(120_000)
  const at = fileOfEachTest('events.sqlite')

  const open = (file = at.path): DatabaseSync => {
    const database = openBeside(file)
    prepareEventFile(database, at.path)
    database.exec('PRAGMA synchronous = OFF')
    return database
  }
  const left = (gone: ReadonlySet<string>, file = at.path): string[] =>
    ['', '-wal'].flatMap((suffix) => {
      const found = existsSync(file + suffix) ? readFileSync(file + suffix, 'latin1').match(pattern) : null
      return [...new Set(found ?? [])].filter((secret) => gone.has(secret))
    })
  const tables = (database: DatabaseSync) =>
    ['events', 'streams', 'categories', 'removals', 'ends', 'origin'].map((name) =>
      database.prepare(`SELECT * FROM ${name} ORDER BY 1`).all(),
    )

  /** Removes half of many jobs in an order that makes SQLite merge pages. */
  function removeMany(database: DatabaseSync, seed: string): { jobs: Jobs; gone: Set<string>; kept: string[] } {
    const chance = new Random(seed)
    const jobs = new Jobs(database, chance)
    jobs.write(1500)
    const gone = new Set<string>()
    const share = 0.5 + 0.4 * chance.next()
    const removed = new Set(jobs.streams.filter(() => chance.chance(share)))
    for (const [, stream] of [...removed].map((each) => [chance.next(), each] as const).sort(([a], [b]) => a - b))
      for (const secret of jobs.remove(stream)) gone.add(secret)
    return { jobs, gone, kept: jobs.streams.filter((stream) => !removed.has(stream)) }
  }

  it('leaves no byte of removed events, and everything else unchanged', async () => {
    let before = 0
    for (let seed = 0; seed < 6; seed++) {
      const file = join(at.folder, `${seed}.sqlite`)
      using database = open(file)
      const { gone, kept } = removeMany(database, `wipe ${seed}`)
      before += left(gone, file).length
      const [rows, read] = [tables(database), readingsOf(file, kept)]
      expect([...read.values()].filter((each) => each instanceof Error)).to.deep.equal([])
      expect(await vacuum(file), `${seed}`).to.include({ kind: 'vacuumed' })
      expect(left(gone, file), `${seed}`).to.deep.equal([])
      expect(database.prepare('PRAGMA integrity_check').get()).to.deep.include({ integrity_check: 'ok' })
      expect(tables(database)).to.deep.equal(rows)
      expect(readingsOf(file, kept)).to.deep.equal(read)
      expect(verifyEventFile(file, () => {}).findings).to.deep.equal([])
    }
    expect(before, 'copies that secure_delete has left').to.be.above(0)
  })

  it('runs once after removals by any process, and not on a missing file', async () => {
    using database = open()
    const { jobs, kept } = removeMany(database, 'once')
    expect(await vacuum(at.path)).to.include({ kind: 'vacuumed' })
    expect(await vacuum(at.path)).to.deep.equal({ kind: 'not-needed' })
    jobs.write(10)
    expect(await vacuum(at.path)).to.deep.equal({ kind: 'not-needed' })
    for (const stream of kept) jobs.remove(stream)
    database.close()
    expect(await vacuum(at.path)).to.include({ kind: 'vacuumed' })
    expect(await vacuum(join(at.folder, 'none.sqlite'))).to.deep.equal({ kind: 'not-needed' })
    expect(await readdir(at.folder)).to.deep.equal(['events.sqlite'])
  })

  it('frees unused pages while stores in other processes append, read and trust the file', async () => {
    const { gone } = (() => {
      using database = open()
      return removeMany(database, 'beside')
    })()
    await using store = await openSqliteEventStore({ path: at.path })
    await using other = await openSqliteEventStore({ path: at.path })
    const vacuuming = vacuum(at.path)
    let isDone = false
    const ended = vacuuming.finally(() => {
      isDone = true
    })
    let last = -1
    while (!isDone || last < 5) {
      last = (await store.append('job-meanwhile', last < 0 ? 'no-stream' : last, [unavailable('meanwhile')])).revision
      await sleep(5)
    }
    const outcome = await ended
    expect(outcome).to.include({ kind: 'vacuumed' })
    if (outcome.kind === 'vacuumed') expect(outcome.bytesAfter).to.be.below(outcome.bytesBefore * 0.8)
    expect(statSync(at.path).size).to.be.at.least(outcome.kind === 'vacuumed' ? outcome.bytesAfter : 0)
    // Each append compares the file with the one that was opened.
    for (const each of [store, other]) await each.append(`job-${randomUUID()}`, 'no-stream', [unavailable('meanwhile')])
    expect(await other.read('job-meanwhile')).to.have.length(last + 1)
    expect([store, other].map((each) => each.integrityProblem())).to.deep.equal([undefined, undefined])
    expect(left(gone)).to.deep.equal([])
    expect(verifyEventFile(at.path, () => {}).findings).to.deep.equal([])
  })

  it('waits for a reader of an older state, such as a backup', async () => {
    using database = open()
    const { gone } = removeMany(database, 'wipe 1')
    using backup = new DatabaseSync(at.path, { readOnly: true })
    backup.exec('BEGIN; SELECT count(*) FROM events')
    const vacuuming = vacuum(at.path)
    await until('the VACUUM is in the log', () => statSync(`${at.path}-wal`).size > 100_000)
    expect(removalsSinceVacuum(database)).to.be.above(0)
    backup.exec('ROLLBACK')
    expect(await vacuuming).to.include({ kind: 'vacuumed' })
    expect(left(gone)).to.deep.equal([])
  })

  it('is skipped if the file is damaged or larger than allowed, and remains due', async () => {
    using database = open()
    removeMany(database, 'left')
    const why = async (maxBytes?: number): Promise<string> => {
      const outcome = await vacuum(at.path, maxBytes)
      return outcome.kind === 'left' ? outcome.why : outcome.kind
    }
    expect(await why(100_000)).to.match(/^it has \d+ bytes: run npm run history -- vacuum/)
    writeDamageNote(at.path, 'the events are damaged')
    expect(await why()).to.equal('it is damaged')
    expect(removalsSinceVacuum(database)).to.be.above(0)
  })

  it('that is killed at any moment leaves the file intact, with all that was appended, and remains due', async () => {
    using database = open()
    const { jobs, gone } = removeMany(database, 'killed')
    const chance = new Random('killed')
    for (let round = 0; round < 6; round++) {
      const end = new AbortController()
      const vacuuming = vacuum(at.path, Infinity, end.signal).catch(() => undefined)
      const endsAt = performance.now() + chance.between(40, 300)
      while (performance.now() < endsAt) {
        jobs.write(10)
        for (const secret of jobs.remove(chance.pick(jobs.streams.slice(-200)))) gone.add(secret)
        await sleep(1)
      }
      end.abort()
      await vacuuming
      expect(database.prepare('PRAGMA integrity_check').get()).to.deep.include({ integrity_check: 'ok' })
    }
    expect(removalsSinceVacuum(database)).to.be.above(0)
    expect(await vacuum(at.path)).to.include({ kind: 'vacuumed' })
    expect(left(gone)).to.deep.equal([])
    expect(verifyEventFile(at.path, () => {}).findings).to.deep.equal([])
  })
})

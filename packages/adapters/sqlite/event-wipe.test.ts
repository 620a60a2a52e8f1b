import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { openBeside } from '#test/doubles/open-beside.ts'
import { Random } from '#test/doubles/random.ts'
import { until } from '#test/doubles/service/until.ts'
import { AppendWriter } from './append-writer.ts'
import { writeDamageNote } from './damage-note.ts'
import { readingsOf } from './event-file.fixture.ts'
import { prepareEventFile } from './event-schema.ts'
import { openSqliteEventStore } from './event-store.ts'
import { layoutOf } from './free-space.ts'
import { lockPageOf, mapPageOf, PointerMaps } from './pointer-maps.ts'
import { WalkedFile } from './remains.fixture.ts'
import { Unwiped } from './unwiped.ts'
import { verifyEventFile } from './verify.ts'
import { wipeOnce } from './wiper.ts'

const pattern = /secret-\d+-of-\d+-end/g

/** Jobs under way side by side, each event with a text of its own, of which some take overflow pages. */
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

  /** Appends so many events, in transactions of ten. */
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
    return {
      ...{ kind: 'append', stream, expected: last ?? 'no-stream' },
      events: [{ id, type: 'CaptionsUnavailable', version: 1, metadata: '{}', data }],
    }
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

describe('the file of events, of which removed ones leave no byte', function () {
  this.timeout(120_000)
  let folder: string
  let path: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'event-wipe-'))
    path = join(folder, 'events.sqlite')
  })
  afterEach(() => rm(folder, { recursive: true }))

  const open = (file = path): DatabaseSync => {
    const database = openBeside(file)
    prepareEventFile(database, file)
    database.exec('PRAGMA synchronous = OFF')
    return database
  }
  const left = (gone: ReadonlySet<string>, file = path): string[] =>
    ['', '-wal'].flatMap((suffix) => {
      const found = existsSync(file + suffix) ? readFileSync(file + suffix, 'latin1').match(pattern) : null
      return [...new Set(found ?? [])].filter((secret) => gone.has(secret))
    })
  const tables = (database: DatabaseSync) =>
    ['events', 'streams', 'categories', 'removals', 'ends', 'origin'].map((name) =>
      database.prepare(`SELECT * FROM ${name} ORDER BY 1`).all(),
    )
  const isWanted = (database: DatabaseSync): boolean => new Unwiped(database, 'events').isWanted
  const whole = (database: DatabaseSync): unknown => database.prepare('PRAGMA integrity_check').get()?.integrity_check

  /** Removes half of many jobs in such an order that pages are merged, and moves some pages. */
  function removeMany(database: DatabaseSync, seed: string): { jobs: Jobs; gone: Set<string>; kept: string[] } {
    const chance = new Random(seed)
    const jobs = new Jobs(database, chance)
    jobs.write(1500)
    const gone = new Set<string>()
    const share = 0.5 + 0.4 * chance.next()
    const removed = new Set(jobs.streams.filter(() => chance.chance(share)))
    for (const [, stream] of [...removed].map((each) => [chance.next(), each] as const).sort(([a], [b]) => a - b)) {
      for (const secret of jobs.remove(stream)) gone.add(secret)
      if (chance.chance(0.05)) database.exec(`PRAGMA incremental_vacuum(${chance.between(1, 60)})`)
    }
    return { jobs, gone, kept: jobs.streams.filter((stream) => !removed.has(stream)) }
  }

  it('has nothing of them after a wipe, and all else as it was', async () => {
    let before = 0
    for (let seed = 0; seed < 8; seed++) {
      const file = join(folder, `${seed}.sqlite`)
      using database = open(file)
      const { gone, kept } = removeMany(database, `wipe ${seed}`)
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      before += left(gone, file).length
      expect(isWanted(database), `${seed}`).to.equal(true)
      const [rows, read] = [tables(database), readingsOf(file, kept)]
      expect([...read.values()].filter((each) => each instanceof Error)).to.deep.equal([])
      expect(await wipeOnce('events', file), `${seed}`).to.equal(true)
      expect(left(gone, file), `${seed}`).to.deep.equal([])
      expect(whole(database), `${seed}`).to.equal('ok')
      expect(tables(database)).to.deep.equal(rows)
      expect(readingsOf(file, kept)).to.deep.equal(read)
      expect(verifyEventFile(file, () => {}).findings).to.deep.equal([])
      expect(isWanted(database)).to.equal(false)
      // No unused byte is left, be it in free space, between cells, after the end of a large text, or on a free page.
      expect(new WalkedFile(file).remains(), `${seed}`).to.deep.equal({})
    }
    expect(before).to.be.above(2)
  })

  it('is told page by page as a walk over its trees finds it', () => {
    for (const pageSize of [512, 1024, 4096, 65_536]) {
      const file = join(folder, `${pageSize}.sqlite`)
      using database = openBeside(file)
      database.exec(`PRAGMA page_size = ${pageSize}`)
      prepareEventFile(database, file)
      removeMany(database, `pages of ${pageSize}`)
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      const walked = new WalkedFile(file)
      const layout = layoutOf(walked.bytes, walked.bytes.length)
      if (layout === undefined) throw new Error('no layout')
      const maps = new PointerMaps(layout, (page) => walked.bytes.subarray((page - 1) * pageSize, page * pageSize))
      walked.kinds.forEach((kind, index) => {
        const expected = kind === 'cells' || kind === 'free' ? kind : 'other'
        if (kind !== 'first') expect(maps.kindOf(index + 1), `${pageSize}, page ${index + 1}`).to.equal(expected)
      })
      expect(new Set(walked.kinds)).to.include.members(['cells', 'free', 'overflow', 'map or lock'])
    }
  })

  it('has its pointer map one page later where the map would fall on the page of the locks, at 1 GiB', () => {
    const layout = (pageSize: number) => ({ pageSize, usable: pageSize, hasPointerMaps: true })
    const asked = (pageSize: number, page: number) => mapPageOf(page, layout(pageSize)) - page
    expect(lockPageOf(layout(1024))).to.equal(1_048_577)
    expect([1_048_576, 1_048_578, 1_048_579, 1_048_782].map((page) => asked(1024, page))).to.deep.equal([
      -204, 0, -1, 0,
    ])
    expect(lockPageOf(layout(4096))).to.equal(262_145)
    expect([2, 3, 821, 822, 823].map((page) => asked(4096, page))).to.deep.equal([0, -1, -819, 0, -1])
    const read = () => Buffer.alloc(4096, 5)
    const maps = new PointerMaps(layout(4096), read)
    expect([1, 2, 3, 262_144, 262_145, 262_146].map((page) => maps.kindOf(page))).to.deep.equal([
      'other',
      'other',
      'cells',
      'cells',
      'other',
      'cells',
    ])
  })

  it('is left whole, with all that was appended meanwhile, where wipes are killed at any moment', async () => {
    const program = fileURLToPath(new URL('./wipe-process.ts', import.meta.url))
    const chance = new Random('killed')
    using database = open()
    const { jobs, gone } = removeMany(database, 'killed')
    for (let round = 0; round < 8; round++) {
      const child = spawn(process.execPath, [program, 'events', path], { stdio: ['pipe', 'ignore', 'inherit'] })
      const exited = once(child, 'exit')
      const endsAt = performance.now() + chance.between(40, 240)
      while (performance.now() < endsAt) {
        jobs.write(10)
        for (const secret of jobs.remove(chance.pick(jobs.streams.slice(-200)))) gone.add(secret)
        await sleep(1)
      }
      child.kill('SIGKILL')
      await exited
      expect(whole(database)).to.equal('ok')
    }
    expect(verifyEventFile(path, () => {}).findings).to.deep.equal([])
    expect(isWanted(database)).to.equal(true)
    expect(await wipeOnce('events', path)).to.equal(true)
    expect(left(gone)).to.deep.equal([])
    expect(verifyEventFile(path, () => {}).findings).to.deep.equal([])
    expect(whole(database)).to.equal('ok')
  })

  it('is wiped by the next service, soon, where the last one was killed', async () => {
    const database = open()
    const { gone } = removeMany(database, 'wipe 1')
    database.close()
    await using store = await openSqliteEventStore({ path })
    using reader = new DatabaseSync(path, { readOnly: true })
    await until('it is wiped', () => !isWanted(reader))
    expect(left(gone)).to.deep.equal([])
    expect(store.integrityProblem()).to.equal(undefined)
  })

  it('is left alone where it is damaged, of another version, or another file by now', async () => {
    using database = open()
    removeMany(database, 'alone')
    const version = Number(database.prepare('PRAGMA user_version').get()?.user_version)
    database.exec('PRAGMA user_version = 1001; PRAGMA wal_checkpoint(TRUNCATE)')
    const bytes = readFileSync(path)
    expect(await wipeOnce('events', path)).to.equal(false)
    database.exec(`PRAGMA user_version = ${version}`)
    writeDamageNote(path, 'the events are damaged')
    expect(await wipeOnce('events', path)).to.equal(false)
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    const now = readFileSync(path)
    for (const each of [bytes, now]) each.fill(0, 0, 100)
    expect(now.equals(bytes)).to.equal(true)
    expect(await wipeOnce('events', join(folder, 'none.sqlite'))).to.equal(false)
    expect(existsSync(join(folder, 'none.sqlite'))).to.equal(false)
    closeSync(openSync(join(folder, 'empty.sqlite'), 'w'))
    expect(await wipeOnce('events', join(folder, 'empty.sqlite'))).to.equal(false)
    expect(statSync(join(folder, 'empty.sqlite')).size).to.equal(0)
  })

  it('is wanted to be wiped again where rows are removed or moved while it is wiped', async () => {
    using database = open()
    const { jobs, kept } = removeMany(database, 'reader')
    const unwiped = new Unwiped(database, 'events')
    const began = unwiped.begin()
    jobs.remove(kept.at(-1) as string)
    expect([unwiped.clear(began), unwiped.isWanted]).to.deep.equal([false, true])
    const again = unwiped.begin()
    unwiped.addMoved()
    expect([unwiped.clear(again), unwiped.isWanted]).to.deep.equal([false, true])
    expect([unwiped.clear(unwiped.begin()), unwiped.isWanted]).to.deep.equal([true, false])
    unwiped.addMoved()
    expect(unwiped.isWanted).to.equal(false)
  })
})

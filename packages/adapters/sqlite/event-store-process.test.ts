import { randomUUID } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { RevisionConflictError, UnknownEventError } from '#packages/ports/event-store.ts'
import { failureOf, following, historyAfter, unavailable } from '#packages/ports/event-store-samples.contract.ts'
import { openBeside } from '#test/doubles/open-beside.ts'
import { until } from '#test/doubles/service/until.ts'
import { fileOfEachTest } from '#test/doubles/temporary-directory.ts'
import { AppendWriter } from './append-writer.ts'
import { linesOf, processOn } from './event-file.fixture.ts'
import { openSqliteEventStore, type SqliteEventStore, type SqliteEventStoreOptions } from './event-store.ts'
import { verifyEventFile } from './verify.ts'

const event = () => unavailable('test')

/**
 * A process that endlessly appends to eight pairs of streams, to both of a pair at once. It prints `stream revision`
 * for each answer.
 */
function appendForEver(path: string) {
  const code = `const template = ${JSON.stringify(event())}
    await Promise.all(Array.from({ length: 8 }, async (_, n) => {
      const streams = ['a', 'b'].map((one) => 'job-' + process.pid + '-' + n + one)
      for (let expected = 'no-stream'; ; ) {
        const events = () => [0, 1].map(() => ({ ...template, id: crypto.randomUUID() }))
        const [{ revision }] = await store.appendTogether(streams.map((stream) => ({ stream, expected, events: events() })))
        process.stdout.write(streams.map((stream) => stream + ' ' + revision + '\\n').join(''))
        expected = revision
      }
    }))`
  return processOn(path, code)
}

/**
 * A process that endlessly appends two events at a time to a ledger, truncates it, and removes nine of ten jobs. It
 * prints `stream revision` for each append, and for the ledger also the first remaining revision.
 */
function removeForEver(path: string) {
  const code = `const template = ${JSON.stringify(event())}
    const data = { reason: 'x'.repeat(3000) }
    const two = () => [0, 1].map(() => ({ ...template, data, id: crypto.randomUUID() }))
    for (let n = 0, last = -1; ; n++) {
      const job = 'job-' + process.pid + '-' + n
      await Promise.all([0, 1, 2, 3].map((part) => store.append(job + '-' + part, 'no-stream', two())))
      await Promise.all([0, 1, 2, 3].map((part) => n % 10 && store.remove(job + '-' + part)))
      last = (await store.append('credits-' + process.pid, last < 0 ? 'no-stream' : last, two())).revision
      if (last > 10) await store.truncate('credits-' + process.pid, last - 10)
      process.stdout.write('credits-' + process.pid + ' ' + last + '\\n')
    }`
  return processOn(path, code)
}

/** Kills the process once it has given this many answers, and returns the last answer of each stream. */
async function answersBeforeKill(child: ReturnType<typeof processOn>, count: number): Promise<Map<string, number>> {
  // The last line may be cut.
  const answers = (await linesOf(child, count)).map((line) => line.split(' ')).filter(({ length }) => length === 2)
  return new Map(answers.map(([stream = '', revision]) => [stream, Number(revision)]))
}

describe('SqliteEventStore among processes', function () {
  this.timeout(60_000)
  const at = fileOfEachTest('events.sqlite')
  const stores: SqliteEventStore[] = []
  const open = async (more: Partial<SqliteEventStoreOptions> = {}): Promise<SqliteEventStore> => {
    const store = await openSqliteEventStore({ path: at.path, ...more })
    stores.push(store)
    return store
  }
  afterEach(async () => {
    for (const store of stores.splice(0)) await store[Symbol.asyncDispose]()
  })

  it('loses no answered append, and stores none in part, when its process is killed', async () => {
    for (const count of [40, 300, 1000]) {
      const answers = await answersBeforeKill(appendForEver(at.path), count)
      const store = await open()
      expect(answers.size).to.be.greaterThan(0)
      for (const [stream, revision] of answers) {
        const events = await store.read(stream)
        expect(events.length, stream).to.be.greaterThan(revision)
        expect(events.length % 2).to.equal(0)
        expect(events.map((each) => each.revision)).to.deep.equal(events.map((_, index) => index))
        const other = await store.read(stream.replace(/[ab]$/, (end) => (end === 'a' ? 'b' : 'a')))
        expect(other, 'both of a pair, or neither').to.have.length(events.length)
      }
    }
  })

  it('stays intact when its process is killed while it removes, truncates and shrinks', async () => {
    for (const count of [20, 60]) {
      const [[ledger, last] = ['', 0]] = await answersBeforeKill(removeForEver(at.path), count)
      const store = await open()
      const left = await store.read(ledger)
      expect(left.at(-1)?.revision).to.be.at.least(last)
      expect(left.length).to.be.within(11, 13)
      expect(verifyEventFile(at.path, () => {}).findings).to.deep.equal([])
      expect(store.integrityProblem()).to.equal(undefined)
    }
  })

  it('reads nothing twice: followers at the end and reads after an append get the same objects', async () => {
    const store = await open()
    const { signal } = new AbortController()
    const follow = () => store.follow({ after: 0, prefixes: ['job-'], signal })[Symbol.asyncIterator]()
    const followers = [follow(), follow()]
    for (const follower of followers) expect((await follower.next()).value.caughtUp).to.equal(true)
    const waiting = followers.map((follower) => follower.next())
    await store.append('job-1', 'no-stream', [event()])
    const [read] = await store.read('job-1', { to: 0 })
    for (const each of waiting) expect((await each).value.events[0]).to.equal(read)
    for (const follower of followers) await follower.return?.(undefined)
  })

  it('puts appends that wait together into one transaction', async () => {
    const store = await open()
    const outcomes = await Promise.allSettled(
      Array.from({ length: 500 }, (_, n) => store.append(`job-${n % 400}`, 'no-stream', [event()])),
    )
    const conflicts = outcomes.filter((outcome) => outcome.status === 'rejected')
    expect(conflicts).to.have.length(100)
    for (const { reason } of conflicts) expect(reason).to.be.instanceOf(RevisionConflictError)
    expect(store.transactions).to.be.at.most(3)
  })

  it('rejects an append while another process locks the file for too long, and accepts it afterwards', async () => {
    const store = await open({ busyTimeoutMs: 100 })
    const other = openBeside(at.path)
    other.exec('BEGIN IMMEDIATE')
    const appended = event()
    const error = await store.append('job-1', 'no-stream', [appended]).catch((thrown: unknown) => thrown)
    expect(String(error)).to.match(/could not be written: .*locked/)
    expect(await store.read('job-1')).to.deep.equal([])
    other.exec('ROLLBACK')
    other.close()
    expect((await store.append('job-1', 'no-stream', [appended])).revision).to.equal(0)
  })

  it('refuses appends beyond the waiting limit, and everything once it is closed', async () => {
    const store = await open({ maxWaitingAppends: 3 })
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, (_, n) => store.append(`job-${n}`, 'no-stream', [event()])),
    )
    expect(outcomes.map((outcome) => outcome.status)).to.deep.equal([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
    ])
    const pending = store.append('job-9', 'no-stream', [event()])
    await store[Symbol.asyncDispose]()
    expect((await pending).revision).to.equal(0)
    const error = await store.append('job-10', 'no-stream', [event()]).catch((thrown: unknown) => thrown)
    expect(String(error)).to.contain('closed')
  })

  it('ends its followers without an error when it is closed', async () => {
    const store = await open()
    const { signal } = new AbortController()
    const following = Array.fromAsync(store.follow({ after: 0, prefixes: ['job-'], signal }))
    await store[Symbol.asyncDispose]()
    expect((await following).flatMap((batch) => batch.events)).to.deep.equal([])
  })

  it('names the file that cannot be opened, and the reason', async () => {
    const missing = join(at.folder, 'missing', 'events.sqlite')
    const error = await openSqliteEventStore({ path: missing }).catch((thrown: unknown) => thrown)
    expect(String(error)).to.contain(missing).and.contain('unable to open database file').and.not.contain('damaged')
  })

  it('reports a damaged file, and never changes it', async () => {
    {
      await using store = await openSqliteEventStore({ path: at.path })
      await store.append('job-1', 'no-stream', [event()])
    }
    const broken = await readFile(at.path)
    broken.fill(0xff, 100, 4096)
    for (const content of [Buffer.from('not a database '.repeat(500)), broken]) {
      await writeFile(at.path, content)
      const error = await openSqliteEventStore({ path: at.path }).catch((thrown: unknown) => thrown)
      expect(String(error)).to.contain(at.path).and.contain('the events').and.contain('damaged')
      expect((await readFile(at.path)).equals(content)).to.equal(true)
    }
  })

  it('bounds the bytes of a batch', async () => {
    const store = await open({ page: { events: 1000, bytes: 5000 } })
    for (let n = 0; n < 10; n++) {
      await store.append(`job-${n}`, 'no-stream', [unavailable('x'.repeat(2000))])
    }
    const sizes = (await historyAfter(store, 0, ['job-'])).map(({ events }) => events.length)
    expect(Math.max(...sizes)).to.equal(3)
    expect(sizes.reduce((sum, size) => sum + size, 0)).to.equal(10)
  })

  it('leaves no trace of removed data in its files', async () => {
    const store = await open()
    const secret = randomUUID()
    const files = async (): Promise<string> => {
      const names = (await readdir(at.folder)).filter((name) => !name.endsWith('-shm'))
      return (await Promise.all(names.map((name) => readFile(join(at.folder, name), 'latin1')))).join()
    }
    await store.append('job-1', 'no-stream', [unavailable(secret)])
    // The data is in the log or in the file; while it moves, a read of both may miss it.
    await until('it is in the files', async () => (await files()).includes(secret))
    await store.remove('job-1')
    expect(await files()).to.not.contain(secret)
  })

  it('stops a follower exactly at an event of unknown type', async () => {
    const store = await open()
    await store.append('job-1', 'no-stream', [event(), event()])
    {
      using other = openBeside(at.path)
      const unknown = { id: randomUUID(), type: 'FromTheFuture', version: 1, data: '{}', metadata: '{}' }
      const written = new AppendWriter(other).write([
        { kind: 'append', appends: [{ stream: 'job-1', expected: 1, events: [unknown] }] },
      ])
      expect(written).to.have.nested.property('[0].kind', 'appended')
    }
    const { batches, ended } = following(store, ['job-'])
    expect(await failureOf(ended)).to.be.instanceOf(UnknownEventError)
    const seen = batches.flatMap(({ events, position }) => [...events.map(({ revision }) => revision), position])
    expect(seen).to.deep.equal([0, 1, 2])
    expect(await failureOf(store.read('job-1'))).to.be.instanceOf(UnknownEventError)
  })
})

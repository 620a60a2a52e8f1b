import { copyFile, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { storeFormat } from '#packages/events/format/store-format.ts'
import { historyAfter, unavailable } from '#packages/ports/event-store-samples.contract.ts'
import { openBeside } from '#test/doubles/open-beside.ts'
import { fileOfEachTest } from '#test/doubles/temporary-directory.ts'
import { openSqliteEventStore, type SqliteEventStoreOptions } from './event-store.ts'

const event = () => unavailable('test')
const prefixes = ['job-', 'credits-', 'key-']

describe('an event file that is only read', () => {
  const at = fileOfEachTest('events.sqlite')
  beforeEach(async () => {
    await using store = await openSqliteEventStore({ path: at.path })
    for (let n = 0; n < 20; n++) await store.append(`${prefixes[n % 3]}${n}`, 'no-stream', [event(), event()])
  })

  const positionsOf = async (options: Partial<SqliteEventStoreOptions>, followed = prefixes): Promise<number[]> => {
    await using store = await openSqliteEventStore({ path: at.path, readOnly: true, ...options })
    const batches = await historyAfter(store, 0, followed)
    return batches.flatMap(({ events }) => events.map(({ position }) => position))
  }

  it('yields all events, whether another process has it open or not, and changes no byte of it', async () => {
    const before = await readFile(at.path)
    const all = Array.from({ length: 40 }, (_, index) => index + 1)
    expect(await positionsOf({})).to.deep.equal(all)
    expect((await readFile(at.path)).equals(before)).to.equal(true)
    await using writing = await openSqliteEventStore({ path: at.path })
    await writing.append('job-new', 'no-stream', [event()])
    expect(await positionsOf({})).to.deep.equal([...all, 41])
  })

  it('refuses appends, removals and truncations', async () => {
    await using store = await openSqliteEventStore({ path: at.path, readOnly: true })
    for (const change of [
      () => store.append('job-1', 'no-stream', [event()]),
      () => store.remove('job-0'),
      () => store.truncate('job-0', 1),
    ]) {
      const error = await change().catch((thrown: unknown) => thrown)
      expect(String(error)).to.contain('opened for reading only')
    }
  })

  it('is not created if it is missing, and not read if it is of another format', async () => {
    const other = join(at.folder, 'other.sqlite')
    expect(await openSqliteEventStore({ path: other, readOnly: true }).catch(String)).to.contain('could not be opened')
    expect(await readdir(at.folder)).to.not.contain('other.sqlite')
    await copyFile(at.path, other)
    {
      using database = openBeside(other)
      database.exec('PRAGMA user_version = 2')
    }
    expect(await openSqliteEventStore({ path: other, readOnly: true }).catch(String)).to.contain(
      `the folder ${at.folder} has format 2, and this program reads format ${storeFormat} alone`,
    )
  })

  it('leaves no note of damage, because a service would then stop accepting jobs', async () => {
    {
      using database = openBeside(at.path)
      database.exec(`UPDATE events SET data = '{"reason":"tset"}' WHERE position = 7`)
    }
    expect(await positionsOf({}).catch(String)).to.contain('damaged')
    expect(await readdir(at.folder)).to.not.contain('events.sqlite.damage')
  })

  it('is divided into shares, each with whole streams, that have every stream once', async () => {
    for (const followed of [prefixes, ['key-'], ['job-']]) {
      const shares = await Promise.all(
        [0, 1].map((index) => positionsOf({ share: { of: 2, index }, page: { events: 4, bytes: 1e6 } }, followed)),
      )
      const whole = await positionsOf({}, followed)
      expect(shares.flat().sort((a, b) => a - b)).to.deep.equal(whole)
      for (const share of shares) {
        expect(share.length).to.be.within(1, whole.length - 1)
        // Both events of a stream were appended together.
        for (const position of share) expect(share).to.contain(position % 2 === 1 ? position + 1 : position - 1)
      }
    }
  })

  it('reports the position up to which events were recorded by a time', async () => {
    {
      using database = openBeside(at.path)
      database.exec(
        'UPDATE events SET recorded_at = position * 100; DELETE FROM events WHERE position BETWEEN 10 AND 14',
      )
    }
    await using store = await openSqliteEventStore({ path: at.path, readOnly: true })
    const positions = [0, 99, 100, 850, 1200, 1500, 9999].map((instant) => store.positionAt(instant))
    // Between 9 and 15 there is nothing, so any position of the gap is right.
    expect(positions.map((position) => (position > 9 && position < 15 ? 9 : position))).to.deep.equal([
      ...[0, 0, 1, 8, 9, 15, 40],
    ])
  })
})

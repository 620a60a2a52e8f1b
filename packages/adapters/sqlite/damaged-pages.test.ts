import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { DamagedEventsError } from '#packages/ports/damaged-events.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { openBeside } from '#test/doubles/open-beside.ts'
import { Random } from '#test/doubles/random.ts'
import { fileOfEachTest } from '#test/doubles/temporary-directory.ts'
import { saysDamaged } from './damaged-file.ts'
import { checksumOf } from './event-checksum.ts'
import { append, openWriter, type Readings, readingsOf, writeEventFile } from './event-file.fixture.ts'
import type { StoredRow } from './event-rows.ts'
import { readVerifiedFile, verifyEventFile } from './verify.ts'

const pageBytes = 4096
const flipsPerPage = 6

const verified = (path: string) => verifyEventFile(path, () => {}).findings

/** Readings that differ from what was written without being reported as damage. */
function unnoticed(readings: Readings, written: Readings): { changed: string[]; hidden: string[] } {
  const [changed, hidden]: [string[], string[]] = [[], []]
  for (const [way, were] of written) {
    const are = readings.get(way) ?? readings.get('open')
    if (are instanceof Error) {
      if (!(are instanceof DamagedEventsError) && !saysDamaged(are)) throw are
      continue
    }
    const known = new Set((were as object[]).map((record) => JSON.stringify(record)))
    const given = (are ?? []).map((record) => JSON.stringify(record))
    if (given.some((record) => !known.has(record))) changed.push(way)
    else if (given.length < known.size) hidden.push(way)
  }
  return { changed, hidden }
}

describe('a damaged event file', function () {
  this.timeout(300_000)
  const at = fileOfEachTest('events.sqlite')
  let sound: string
  let path: string
  let streams: string[]
  let written: Readings
  /** Notes what is in the sound file. */
  const noteWritten = (): void => {
    using database = new DatabaseSync(sound, { readOnly: true })
    streams = database
      .prepare('SELECT name FROM streams ORDER BY id')
      .all()
      .map((row) => String(row.name))
    written = readingsOf(sound, streams)
  }
  /** Reads the damaged file, and checks that it gives nothing that was not written. */
  const readDamaged = (place: string): { isNoticed: boolean; hidden: string[] } => {
    const readings = readingsOf(path, streams)
    const { changed, hidden } = unnoticed(readings, written)
    expect(changed, place).to.deep.equal([])
    return { isNoticed: [...readings.values()].some((read) => read instanceof Error), hidden }
  }
  beforeEach(() => {
    sound = join(at.folder, 'sound.sqlite')
    path = at.path
    writeEventFile(sound)
    noteWritten()
    expect([...written.values()].filter((read) => read instanceof Error)).to.deep.equal([])
    expect(verified(sound)).to.deep.equal([])
  })

  it('is not reported when its reader meets damage of another file', async () => {
    const other = join(at.folder, 'other.sqlite')
    writeFileSync(other, 'this is no database'.repeat(100))
    const reading = readVerifiedFile(sound, async () => {
      using database = new DatabaseSync(other)
      return database.prepare('SELECT name FROM sqlite_schema').all()
    })
    expect(saysDamaged(await failureOf(reading))).to.equal(true)
  })

  it('yields only events that were written, and the comparison finds the damage, whichever bit is flipped', () => {
    const bytes = readFileSync(sound)
    const pages = bytes.length / pageBytes
    expect(pages).to.be.within(30, 120)
    const chance = new Random('damaged pages')
    const outcomes = { harmless: 0, whenRead: 0, byComparison: 0 }
    for (let page = 0; page < pages; page++) {
      for (let flip = 0; flip < flipsPerPage; flip++) {
        // The first bytes of a page describe how to read the rest.
        const at = page * pageBytes + chance.between(0, (flip < 2 ? 110 : pageBytes) - 1)
        const bit = 1 << chance.between(0, 7)
        const broken = Buffer.from(bytes)
        broken[at] = (broken[at] ?? 0) ^ bit
        writeFileSync(path, broken)
        const place = `page ${page + 1}, byte ${at % pageBytes}, bit ${bit}`
        const { isNoticed, hidden } = readDamaged(place)
        if (isNoticed) outcomes.whenRead++
        else if (hidden.length === 0) outcomes.harmless++
        if (isNoticed || hidden.length > 0) {
          expect(verified(path), `${place} ${hidden.join()}`).to.have.length.above(0)
          if (!isNoticed) outcomes.byComparison++
        }
      }
    }
    expect(outcomes.whenRead).to.be.above(pages)
    expect(outcomes.byComparison).to.be.above(0)
  })

  it('notices a page that is half an older version, and one that is wholly an older version', () => {
    const older = readFileSync(sound)
    goOn(sound, 40)
    const bytes = readFileSync(sound)
    noteWritten()
    let torn = 0
    for (let start = 0; start < older.length; start += pageBytes) {
      for (const bytesOfOlder of [512, 2048, pageBytes]) {
        const mixed = Buffer.from(bytes)
        older.copy(mixed, start, start, start + bytesOfOlder)
        if (mixed.equals(bytes)) continue
        torn++
        writeFileSync(path, mixed)
        const place = `page ${start / pageBytes + 1}, ${bytesOfOlder} bytes`
        const { isNoticed, hidden } = readDamaged(place)
        if (isNoticed || hidden.length > 0) expect(verified(path), place).to.have.length.above(0)
      }
    }
    expect(torn).to.be.above(10)
  })

  it('gives no follower an event with the wrong predecessor, even if its own checksum fits', () => {
    copyFileSync(sound, path)
    const feed = written.get('feed') as StoredRow[]
    const other = feed.find((row, index) => row.revision > 0 && feed[index - 1]?.stream === row.stream)
    if (other === undefined) throw new Error('no two events of a stream lie side by side')
    {
      using database = openBeside(path)
      const put = database.prepare('UPDATE events SET previous = ?, checksum = ? WHERE position = ?')
      put.run(17, checksumOf(other, 17), other.position)
    }
    const read = readingsOf(path, []).get('feed')
    expect(read).to.be.instanceOf(DamagedEventsError).with.property('message').that.includes('does not follow')
  })

  it('notices each missing event beside removed and truncated ones', () => {
    const positions = (written.get('feed') as { position: number }[]).map(({ position }) => position)
    const beside = positions.filter((at, n) => positions[n - 1] !== at - 1 || positions[n + 1] !== at + 1)
    expect(beside.length).to.be.above(10)
    for (const position of beside) {
      copyFileSync(sound, path)
      {
        using database = openBeside(path)
        database.prepare('DELETE FROM events WHERE position = ?').run(position)
      }
      expect(readingsOf(path, []).get('feed'), `${position}`).to.be.instanceOf(DamagedEventsError)
      expect(verified(path), `${position}`).to.deep.include({
        ...{ file: 'events.sqlite', problem: 'an event is missing', position },
      })
    }
  })

  it('is verified: the findings name file, stream, revision, position and id of each damaged event', () => {
    copyFileSync(sound, path)
    const damaged = (written.get('feed') as { position: number; stream: string; revision: number; id: string }[])[20]
    {
      using database = openBeside(path)
      database.prepare('UPDATE events SET recorded_at = recorded_at + 1 WHERE position = ?').run(damaged?.position ?? 0)
    }
    const { stream, revision, position, id } = damaged ?? {}
    expect(verified(path)).to.deep.equal([
      { file: 'events.sqlite', problem: 'the event is not what was written', stream, revision, position, id },
    ])
  })
})

/** Appends more events to a file, to existing streams and new ones. */
function goOn(path: string, count: number): void {
  using file = openWriter(path)
  for (let n = 0; n < count; n++) file.write([append(`job-later-${n}`, 'no-stream', 2, n)])
}

import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { grants } from '#packages/ports/event-store-samples.contract.ts'
import { sampleViews as definition } from '#packages/ports/views-samples.contract.ts'
import { openBeside } from '#test/doubles/open-beside.ts'
import { fileOfEachTest } from '#test/doubles/temporary-directory.ts'
import { systemClock as clock } from '../system/clock.ts'
import { acceptEventFileEnd } from './accept-end.ts'
import type { EventOrigin } from './event-reader.ts'
import { openSqliteEventStore } from './event-store.ts'
import { MissingEventsError } from './missing-events.ts'
import { openSqliteViews } from './views.ts'

type Kept = { job: boolean; checkpoint: number; note: boolean }

const all: Kept = { job: true, checkpoint: 3, note: true }
const nothing: Kept = { job: false, checkpoint: 0, note: false }

describe('the file of the views', () => {
  const at = fileOfEachTest('views.sqlite')
  let events: string
  let path: string
  let warnings: string[]
  const log = { warn: (_fields: object, message: string) => void warnings.push(message) }

  beforeEach(() => {
    events = join(at.folder, 'events.sqlite')
    path = at.path
    warnings = []
  })

  /** Appends this many events, each to its own stream. @returns the origin when the file was opened */
  async function append(file: string, count: number): Promise<EventOrigin> {
    await using store = await openSqliteEventStore({ path: file })
    for (const event of grants(count)) await store.append(`credits-${event.id}`, 'no-stream', [event])
    return store.origin
  }

  const originOf = (file: string): Promise<EventOrigin> => append(file, 0)

  async function apply(origin: EventOrigin): Promise<void> {
    await using views = await openSqliteViews({ path, clock, definition, origin, log })
    await views.begin()
    await views.makeReadable()
    await views.apply([{ collection: 'jobs', id: 'job-1', position: 3, fields: { status: 'queued' } }], {
      position: 3,
      checkpoint: 3,
    })
    await views.putNote('note-1', { at: 1 })
  }

  async function kept(origin?: EventOrigin): Promise<Kept> {
    await using views = await openSqliteViews({ path, clock, definition, log, ...(origin && { origin }) })
    const job = (await views.getMany('jobs', ['job-1'])).length === 1
    return { job, checkpoint: await views.checkpoint(), note: (await views.getNotes(['note-1'])).size === 1 }
  }

  it('is kept with its events, even if the newest were removed', async () => {
    await append(events, 2)
    {
      await using store = await openSqliteEventStore({ path: events })
      await store.append('credits-1', 'no-stream', grants(1))
      await store.remove('credits-1')
    }
    await apply(await originOf(events))
    expect(await kept(await originOf(events))).to.deep.equal(all)
    expect(await kept()).to.deep.equal(all)
    expect(warnings).to.deep.equal([])
  })

  it('is refused unchanged if it is ahead of the events, and emptied once their end was accepted', async () => {
    const backup = join(at.folder, 'backup')
    await append(events, 2)
    await copyFile(events, backup)
    await append(events, 1)
    await apply(await originOf(events))
    await copyFile(backup, events)
    // The end of the events has no mark, but the views have seen it.
    await rm(`${events}.end`)
    const error = await originOf(events)
      .then(kept)
      .catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(MissingEventsError)
    expect(String(error)).to.contain('ends at position 2').and.contain('up to position 3').and.contain('accept-end')
    expect(await kept()).to.deep.equal(all)
    expect(warnings).to.deep.equal([])

    acceptEventFileEnd(events)
    expect(await kept(await originOf(events))).to.deep.equal(nothing)
    expect(warnings).to.have.length(1)
    expect(warnings[0]).to.contain('not made from these events')
    await append(events, 1)
    await apply(await originOf(events))
    expect(await kept(await originOf(events))).to.deep.equal(all)
    expect(warnings).to.have.length(1)
  })

  it('is refused if its events are gone and a new event file was begun', async () => {
    await append(events, 3)
    await apply(await originOf(events))
    await rm(events)
    await rm(`${events}.end`)
    await append(events, 1)
    const error = await originOf(events)
      .then(kept)
      .catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(MissingEventsError)
  })

  it('is emptied if it was made from other events, even from as many', async () => {
    await append(events, 3)
    await apply(await originOf(events))
    await rm(events)
    await rm(`${events}.end`)
    await append(events, 3)
    expect(await kept(await originOf(events))).to.deep.equal(nothing)
    expect(warnings).to.have.length(1)
  })

  it('is recreated if it is of another version, whatever tables it has', async () => {
    await append(events, 3)
    const database = openBeside(path)
    database.exec('CREATE TABLE documents (n INTEGER); CREATE TABLE state (n INTEGER); CREATE TABLE old (n INTEGER)')
    database.close()
    await apply(await originOf(events))
    expect(await kept(await originOf(events))).to.deep.equal(all)
    expect(warnings).to.have.length(1)
    expect(warnings[0]).to.contain('another version')
  })

  it('is set aside, with a warning, when it is damaged: the last such file is kept', async () => {
    await append(events, 3)
    const origin = await originOf(events)
    for (const damage of ['not a database '.repeat(500), 'nor is this one '.repeat(500)]) {
      await apply(origin)
      await writeFile(path, damage)
      await writeFile(`${path}-wal`, damage)
      expect(await kept(origin)).to.deep.equal(nothing)
      expect(await readFile(`${path}.damaged`, 'utf8')).to.equal(damage)
    }
    expect(warnings).to.have.length(2)
    expect(warnings[0]).to.contain('damaged')
    expect((await readdir(at.folder)).sort()).to.deep.equal([
      'events.sqlite',
      'events.sqlite.end',
      'views.sqlite',
      'views.sqlite.damaged',
    ])
  })

  it('is set aside if its state is not what was written, because then no events are missing', async () => {
    await append(events, 3)
    await apply(await originOf(events))
    const database = openBeside(path)
    database.exec('UPDATE state SET checkpoint = checkpoint + 64')
    database.close()
    expect(await kept(await originOf(events))).to.deep.equal(nothing)
    expect(warnings).to.have.length(1)
    expect(await readdir(at.folder)).to.include('views.sqlite.damaged')
  })

  it('is unchanged after any other failure', async () => {
    await append(events, 3)
    await apply(await originOf(events))
    const other = openBeside(path)
    other.exec('BEGIN EXCLUSIVE')
    const origin = { id: 'another', lastPosition: 9 }
    const error = await openSqliteViews({ path, clock, definition, origin, log, busyTimeoutMs: 50 }).catch(
      (thrown: unknown) => thrown,
    )
    other.close()
    expect(String(error)).to.contain('locked')
    expect(await kept(await originOf(events))).to.deep.equal(all)
  })
})

import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { openEventStoreDb } from '#packages/adapters/eventstoredb/event-store.ts'
import { openSqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import { openSqliteViews } from '#packages/adapters/sqlite/views.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { projections } from '#packages/events/views/projections.ts'
import { viewsDefinition as definition } from '#packages/events/views/views-definition.ts'
import { allOf } from '#packages/history/archive/archived-store.fixture.ts'
import { readManifest } from '#packages/history/archive/manifest.ts'
import { madeHistory } from '#packages/history/questions/verify/made-history.fixture.ts'
import type { EventStore, StoredEvent } from '#packages/ports/event-store.ts'
import type { GuardedWrite } from '#packages/ports/views.ts'
import { changesOf, stepsOf } from '#services/projections/changes-of.ts'
import { startEventStoreDouble } from '#test/doubles/eventstoredb/server.ts'
import { openBeside } from '#test/doubles/open-beside.ts'
import { directoryForAll, directoryForEach } from '#test/doubles/temporary-directory.ts'
import { run } from './history.harness.ts'

/** Whether the checks of an event depend on its recorded time. */
const isTimely = ({ type, data }: StoredEvent): boolean =>
  type === 'CreditsRenewed' || (type === 'JobFailed' && ['timeout', 'internal_error'].includes(data.code))

/** A history that holds regardless of when it is recorded. */
function timelessHistory(): StoredEvent[] {
  for (let seed = 1; ; seed++) {
    const events = madeHistory(seed)
    if (!events.some(isTimely) && events.length > 60) return events
  }
}

/** Appends all events, in the order of their positions. */
async function appendTo(store: EventStore, events: readonly StoredEvent[]): Promise<void> {
  for (const { stream, revision, recordedAt: _, position: __, ...event } of events)
    await store.append(stream, revision === 0 ? 'no-stream' : revision - 1, [event])
}

async function writeViews(path: string, events: readonly StoredEvent[], ...more: GuardedWrite[]): Promise<void> {
  await using views = await openSqliteViews({ path, clock, definition })
  await views.begin()
  const changes = changesOf(stepsOf(projections, events), new Map())
  const position = events.at(-1)?.position ?? 0
  await views.apply([...changes, ...more], { position, checkpoint: position })
  await views.makeReadable()
}

describe('npm run history -- verify', function () {
  this.timeout(60_000)
  const folder = directoryForAll()
  const other = directoryForEach()
  let events: StoredEvent[]
  before(async () => {
    await using store = await openSqliteEventStore({ path: join(folder.path, 'events.sqlite') })
    await appendTo(store, timelessHistory())
    events = await allOf(store)
    await writeViews(join(folder.path, 'views.sqlite'), events)
  })

  it('checks the file, every invariant and the views, and counts the checks', async () => {
    const { lines, isGood } = await run('verify', { dataDir: folder.path })
    expect(lines.join('\n')).to.not.contain('BROKEN')
    expect(isGood).to.equal(true)
    expect(lines[0]).to.equal(`${events.length} events compared: everything holds`)
    expect(lines.join('\n')).to.match(/^ {2}3 {2}holds +[1-9]\d* {2}a job is debited once/m)
    expect(lines.at(-1)).to.match(
      /^ {2}5 {2}holds +[1-9]\d* {2}views equal a fresh replay of the events up to position \d+$/,
    )
    const json = JSON.parse((await run('verify --json', { dataDir: folder.path })).lines.join())
    expect(json).to.deep.include({ holds: true, events: events.length, findings: [] })
    expect(json.invariants).to.have.length(13)
    expect(json.views).to.include({ differing: 0, moving: 0 })
  })

  it('skips with --from the checks that need earlier events', async () => {
    const { lines, isGood } = await run(`verify --from ${events[40]?.position}`, { dataDir: folder.path })
    expect(isGood).to.equal(true)
    expect(lines[0]).to.match(new RegExp(`^${events.length - 40} events read`))
    expect(lines.join('\n')).to.match(/not checked: \d+ jobs that began before/)
    expect(lines.at(-1)).to.contain('neither the file nor the views are compared')
  })

  it('names the first event that breaks an invariant, and the first document that differs', async () => {
    const changed = timelessHistory().map((event) =>
      event.type === 'VideoFetched' ? { ...event, data: { ...event.data, durationSeconds: 7 } } : event,
    )
    {
      await using store = await openSqliteEventStore({ path: join(other.path, 'events.sqlite') })
      await appendTo(store, changed)
      const made = { collection: 'keys', id: 'nobody', position: 1, fields: { orgId: 'nobody' } }
      await writeViews(join(other.path, 'views.sqlite'), await allOf(store), made)
    }
    const { lines, isGood } = await run('verify', { dataDir: other.path })
    expect(isGood).to.equal(false)
    const text = lines.join('\n')
    expect(text).to.match(
      /^ {5}BROKEN .* its id follows from it\n {5}job-\S+ #\d+ VideoFetched, position \d+, 2\S+, id \S+: its id is that/m,
    )
    expect(text).to.match(/^ {2}5 {2}BROKEN .*\n {5}keys nobody is there, and no event makes it$/m)
  })

  const damages = {
    'in an event': `UPDATE events SET data = replace(data, '"credits":50', '"credits":90') WHERE type = 'CreditsGranted'`,
    'that is found only after all events were read': `UPDATE streams SET head = head + 1 WHERE name LIKE 'credits-%'`,
  }
  for (const [where, damage] of Object.entries(damages))
    it(`skips the invariants if the file has damage ${where}`, async () => {
      const path = join(other.path, 'events.sqlite')
      {
        await using store = await openSqliteEventStore({ path })
        await appendTo(store, timelessHistory())
      }
      {
        using database = openBeside(path)
        database.exec(damage)
      }
      const { lines, isGood } = await run('verify', { dataDir: other.path })
      expect(isGood).to.equal(false)
      expect(lines.at(-2)).to.match(/^\d+ events compared: \d+ damaged/)
      expect(lines.at(-1)).to.contain('the invariants are not looked at')
    })

  it('checks an archive’s files and events, and says what it cannot check', async () => {
    const archive = join(other.path, 'archive')
    await run(`export --to ${archive}`, { dataDir: folder.path })
    const { lines, isGood } = await run(`verify --archive ${archive}`, { dataDir: folder.path })
    expect(lines.join('\n')).to.not.contain('BROKEN')
    expect(isGood).to.equal(true)
    expect(lines[0]).to.match(/^\d+ files compared with the manifest: all are what it says$/)
    expect(lines.join('\n')).to.match(/not checked: \d+ events without their content/)
    const file = readManifest(archive)?.files.find(({ category }) => category === 'job')?.path ?? ''
    await writeFile(join(archive, file), 'something else')
    const damaged = await run(`verify --archive ${archive}`, { dataDir: folder.path })
    expect(damaged.isGood).to.equal(false)
    expect(damaged.lines[0]).to.equal(`${file} has other bytes than were written`)
    await rm(join(archive, file))
    expect((await run(`verify --archive ${archive}`, { dataDir: folder.path })).lines[0]).to.equal(`${file} is missing`)
  })

  it('reads a server in the same way', async () => {
    await using server = await startEventStoreDouble({ path: join(other.path, 'log.sqlite') })
    await using store = openEventStoreDb(server.url)
    await appendTo(store, timelessHistory())
    const { lines, isGood } = await run('verify', { dataDir: folder.path, env: { EVENT_STORE_URL: server.url } })
    expect(lines[0]).to.contain(`${events.length} events read`)
    // These views were made from other events.
    expect(lines.filter((line) => line.includes('BROKEN')).map((line) => line.slice(0, 3))).to.deep.equal(['  5'])
    expect(isGood).to.equal(false)
  })
})

import { cp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { openSqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import { removalsSinceVacuum } from '#packages/adapters/sqlite/removals-since-vacuum.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { jobRequested } from '#packages/domain/job/job.fixture.ts'
import { openArchiveFolder } from '#packages/history/archive/archive-folder.ts'
import { newEvent } from '#packages/history/archive/archived-store.fixture.ts'
import { noteCopy } from '#packages/history/archive/copies.ts'
import { manifestOf, openArchive } from '#packages/history/archive/open-archive.ts'
import { streamsOfOrganization } from '#packages/history/archive/streams-of-organization.ts'
import { streams } from '#packages/ports/ids.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { addPastJobs } from '#test/doubles/service/past-jobs.ts'
import { until } from '#test/doubles/service/until.ts'
import { directoryForEach } from '#test/doubles/temporary-directory.ts'
import { run } from './history.harness.ts'

describe('npm run history -- forget, while no service runs', function () {
  this.timeout(60_000)
  const folder = directoryForEach()
  let told: string[]
  let jobs: string[]
  const open = () => openSqliteEventStore({ path: join(folder.path, 'events.sqlite') })
  const archive = () => join(folder.path, 'exported')

  beforeEach(async () => {
    told = []
    await using store = await open()
    const metadata = { orgId: 'org-1', correlationId: 'test', causationId: 'test', traceparent: newTraceparent(false) }
    const grant = { command: { type: 'grant', credits: 100, by: 'command' }, metadata } as const
    await new Ledgers({ store, clock, ids }).execute('org-1', grant)
    jobs = await addPastJobs({ store }, 'org-1', 2, 2)
    await run(`export --to ${archive()} --with-content`, { dataDir: folder.path })
  })

  const forget = async (id: string): Promise<boolean> => {
    const env = { EXPORT_DIR: archive(), LOG_LEVEL: 'error' }
    const { isGood, lines } = await run(`forget ${id} --yes`, { dataDir: folder.path, env, told })
    told.push(...lines)
    return isGood
  }
  /** Whether the file may contain remains of removed rows. */
  const mayHaveRemains = (store: 'events' | 'views'): boolean => {
    using database = new DatabaseSync(join(folder.path, `${store}.sqlite`), { readOnly: true })
    return removalsSinceVacuum(database) > 0
  }
  const archived = async (): Promise<string[]> => {
    using opened = await openArchive(archive())
    const rows = await opened.connection.runAndReadAll("SELECT DISTINCT stream FROM events WHERE category = 'job'")
    return rows.getRows().map(([stream]) => String(stream))
  }

  it('forgets a job in events and archives, even one that retention left only in archives', async () => {
    const [taken = '', there = ''] = jobs
    {
      await using store = await open()
      await store.remove(streams.job(taken))
    }
    expect(mayHaveRemains('events')).to.equal(true)
    await forget(there)
    expect([mayHaveRemains('events'), mayHaveRemains('views')]).to.deep.equal([false, false])
    expect(await archived()).to.deep.equal([streams.job(taken)])
    await forget(taken)
    expect(await archived()).to.deep.equal([])
    await using store = await open()
    expect(await store.isRemoved(streams.job(there))).to.equal(true)
    expect((await failureOf<Error>(forget(taken))).message).to.contain(`the job ${taken} was forgotten at 20`)
  })

  it('waits while another process writes into an archive, and continues with the others if one cannot be written', async () => {
    const [first = '', second = ''] = jobs
    const writing = await openArchiveFolder(archive())
    const forgetting = forget(first)
    {
      await using store = await open()
      await until('it is gone from the events', () => store.isRemoved(streams.job(first)))
    }
    writing[Symbol.dispose]()
    expect(await forgetting).to.equal(true)
    expect(await archived()).to.deep.equal([streams.job(second)])

    await cp(archive(), join(folder.path, 'archive'), { recursive: true })
    const { files } = manifestOf(archive())
    for (const { path } of files) await rm(join(archive(), path))
    expect(await forget(second)).to.equal(false)
    expect(told.filter((line) => /exported STILL HAS IT: /.test(line))).to.have.length(1)
    expect(told.at(-1)).to.contain(`the job ${second} is forgotten`)
    using other = await openArchive(join(folder.path, 'archive'))
    expect(await streamsOfOrganization(other, 'org-1')).to.deep.equal([])
  })

  it('names existing tables that were made from an archive', async () => {
    const [first = '', second = ''] = jobs
    const copy = join(folder.path, 'tables.duckdb')
    await writeFile(copy, '')
    noteCopy(archive(), copy)
    expect(await forget(first)).to.equal(false)
    expect(told.join('\n')).to.contain(`the tables in ${copy} MAY STILL HAVE IT`)
    await rm(copy)
    expect(await forget(second)).to.equal(true)
  })

  it('says if the id is unknown, and if a job has not ended', async () => {
    expect((await failureOf<Error>(forget('nobody'))).message).to.equal('there is no job and no organization nobody')
    const jobId = crypto.randomUUID()
    {
      await using store = await open()
      const requested = { type: 'JobRequested', data: jobRequested({ orgId: 'org-1' }) } as const
      await store.append(streams.job(jobId), 'no-stream', [newEvent(requested, 'org-1', jobId)])
    }
    expect((await failureOf<Error>(forget(jobId))).message).to.contain('cancel it first')
    expect(told).to.deep.equal([])
  })
})

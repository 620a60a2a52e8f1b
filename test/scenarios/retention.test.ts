/** RETENTION_DAYS as an operator sets it: the service sweeps beside its work, in a process of its own. */
import { mkdir } from 'node:fs/promises'
import { expect } from 'chai'
import type { CreditsTransactionList, JobList } from '#contracts/generated/http.ts'
import { Organizations } from '#packages/accounts/organizations/organizations.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { scavenge } from '#test/doubles/eventstoredb/scavenge.ts'
import { openedForAll } from '#test/doubles/opened.ts'
import { BackDoor } from '#test/doubles/service/back-door.ts'
import { Client } from '#test/doubles/service/client.ts'
import { startScript } from '#test/doubles/service/engine-room.ts'
import { addPastJobs } from '#test/doubles/service/past-jobs.ts'
import { Service } from '#test/doubles/service/service.ts'
import { shiftedClock } from '#test/doubles/service/shifted-clock.ts'
import { stringsStored } from '#test/doubles/service/stored-strings.ts'
import { until } from '#test/doubles/service/until.ts'
import { directoryForAll } from '#test/doubles/temporary-directory.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const JOBS = 120

describe('RETENTION_DAYS', function () {
  this.timeout(180_000)
  const archive = directoryForAll()
  // Three days later.
  const later = shiftedClock(3 * DAY_MS)
  const service = openedForAll(() =>
    Service.prepare({ env: { RETENTION_DAYS: '1', EXPORT_DIR: archive.path, ...later } }),
  )
  let company: Client
  let old: string[]

  before(async () => {
    await mkdir(service.dataDir)
    await using backDoor = await BackDoor.open(service)
    const { store, ledgers } = backDoor
    const created = await new Organizations({ store, clock, ids, ledgers }).create('Acme', 'pro')
    company = new Client(() => service.base, created)
    old = await addPastJobs({ store }, created.orgId, JOBS, 5)
  })

  const read = async <T>(path: string): Promise<T> => (await company.get(path)).body as T

  it('is refused without a folder for the archive', async () => {
    const { code } = await service.spawn({ env: { EXPORT_DIR: '' } }).exited
    expect(code).to.equal(1)
    expect(service.output).to.include('RETENTION_DAYS needs EXPORT_DIR')
  })

  it('removes old jobs from the events of a service at work; its history still has them', async () => {
    await service.start()
    await until('the first sweep has ended', () => /"jobs":120,.*"ledgers":1,.*was swept/.test(service.output))
    const [jobId = ''] = old
    await until('the views know of it', async () => (await read<JobList>('/v1/jobs')).jobs.length === 0)
    expect((await company.get(`/v1/transcript/${jobId}`)).status).to.equal(404)
    const { transactions } = await read<CreditsTransactionList>('/v1/credits/transactions')
    expect(transactions.at(-1)?.type).to.equal('opening')
    const sum = transactions.reduce((total, { amount }) => total + amount, 0)
    // More may be available: three days later may be another month, and its credits are booked with its first use.
    expect(sum).to.equal(transactions[0]?.balance)
    const types = (await service.printed('history', 'show', jobId, '--json'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).type)
    expect(types).to.deep.equal(['CreditsDebited', 'JobRequested', 'CaptionsRead', 'JobCompleted', 'CreditsSettled'])
  })

  // Files are rewritten at night: forgetting.test.ts.
  if (startScript !== 'start')
    it('leaves nothing of them in the event store after a scavenge', async () => {
      const words = [`word 3 of ${JOBS - 1}`]
      expect(await stringsStored(service, words)).to.deep.equal(words)
      await scavenge(service.env.EVENT_STORE_URL ?? '')
      expect(await stringsStored(service, words)).to.deep.equal([])
    })

  it('leaves events and views in which verify finds nothing wrong', async () => {
    const { views } = JSON.parse(await service.printed('history', 'verify', '--json'))
    expect(views).to.include({ differing: 0, moving: 0 })
  })
})

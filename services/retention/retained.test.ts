import { expect } from 'chai'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { EVENTS_PER_STATEMENT } from '#packages/domain/credits/credits.ts'
import { ArchivedHistory } from '#packages/history/archive/archived-history.ts'
import { openArchive } from '#packages/history/archive/open-archive.ts'
import { readJob } from '#packages/history/questions/job-record.ts'
import { exportAndSweep } from '#packages/history/retention/export-and-sweep.ts'
import { storeChanges } from '#packages/history/retention/store-changes.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'
import { endJob } from '#test/doubles/ingress/ended-job.ts'
import { type Answer, type StartedIngress, startIngress } from '#test/doubles/ingress/started-ingress.ts'
import { ManualClock, settle } from '#test/doubles/manual-clock.ts'
import { madeForAll, openedForAll } from '#test/doubles/opened.ts'
import { directoryForAll } from '#test/doubles/temporary-directory.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const RETENTION_DAYS = 30
const UNKNOWN = '00000000-0000-4000-8000-000000000000'
const video = { url: 'https://cdn.example.com/film.mp4' }
const segments = [{ start: 0, end: 2, text: 'Welcome.' }]

const seen = ({ status, text, headers }: Answer): unknown => [status, text, [...headers.keys()]]

describe('retention as customers see it', () => {
  const clock = madeForAll(() => new ManualClock(Date.UTC(2026, 10, 21, 12)))
  const archive = directoryForAll()
  const ingress = openedForAll(() => start())
  const acme = madeForAll(() => ingress.org())
  let old: string
  let young: string

  const start = (more: Partial<Parameters<typeof startIngress>[0]> = {}): Promise<StartedIngress> =>
    startIngress({ clock, options: { retentionDays: RETENTION_DAYS }, ...more })

  async function job(key: string): Promise<string> {
    const { body } = await acme.post('/v1/transcript', video, { headers: { 'idempotency-key': key } })
    await endJob(ingress, body.jobId, { segments })
    return body.jobId
  }

  async function grants(count: number): Promise<void> {
    const { orgId } = acme
    const metadata = { orgId, correlationId: 'test', causationId: 'test', traceparent: newTraceparent(false) }
    const entry = { command: { type: 'grant', credits: 1, by: 'command' }, metadata } as const
    for (let n = 0; n < count; n++) await ingress.ledgers.execute(orgId, entry)
  }

  before(async () => {
    old = await job('old')
    await grants(EVENTS_PER_STATEMENT)
    await clock.jump(40 * DAY_MS)
    young = await job('young')
    await settle()
    expect((await acme.get(`/v1/transcript/${old}`)).body.status).to.equal('completed')
    await clock.jump(DAY_MS)
    const { memory: store } = ingress
    const swept = await exportAndSweep(store, storeChanges({ store, clock, ids, dropCached: async () => {} }), {
      directory: archive.path,
      origin: null,
      program: 'test',
      cutoff: clock.now() - RETENTION_DAYS * DAY_MS,
    })
    expect(swept).to.include({ jobs: 1, ledgers: 1 })
    await settle()
  })

  /** Runs a check on the views that were kept up to date, and on rebuilt views. */
  const onBothViews = (name: string, check: (get: (path: string) => Promise<Answer>) => Promise<void>): void => {
    it(name, () => check((path) => acme.get(path)))
    it(`${name}, also after a rebuild of the views`, async () => {
      await using rebuilt = await start({ store: ingress.memory })
      await settle()
      await check((path) => rebuilt.call('GET', path, { key: acme.key }))
    })
  }

  onBothViews('a job past it is the 404 of an unknown job, byte for byte', async (get) => {
    for (const path of ['/v1/transcript/JOB', '/v1/extract/JOB', '/v1/jobs/JOB', '/v1/jobs/JOB/events'])
      expect(seen(await get(path.replace('JOB', old))), path).to.deep.equal(
        seen(await get(path.replace('JOB', UNKNOWN))),
      )
    expect((await get(`/v1/transcript/${old}`)).status).to.equal(404)
  })

  onBothViews('it is absent from lists; younger ones stay', async (get) => {
    const { body } = await get('/v1/jobs')
    expect(body.jobs.map(({ jobId }: { jobId: string }) => jobId)).to.deep.equal([young])
    expect((await get(`/v1/transcript/${young}`)).body.status).to.equal('completed')
  })

  onBothViews('usage and transactions go back as far as it, and add up', async (get) => {
    const { body: usage } = await get('/v1/usage?from=2026-11-20')
    expect(usage).to.deep.include({ from: '2026-12-03', totals: { jobs: 1, creditsCharged: 1, creditsRefunded: 4 } })
    const { transactions } = (await get('/v1/credits/transactions')).body
    expect(transactions.at(-1)).to.include({ type: 'opening', createdAt: '2026-11-21T12:00:00.000Z' })
    const sum = transactions.reduce((total: number, { amount }: { amount: number }) => total + amount, 0)
    expect(sum).to.equal((await get('/v1/credits')).body.available)
  })

  it('a repeat under its idempotency key is a new job', async () => {
    const again = await acme.post('/v1/transcript', video, { headers: { 'idempotency-key': 'old' } })
    expect(again.status).to.equal(202)
    expect(again.body.jobId).to.not.be.oneOf([old, young])
  })

  it('the history still has the job, from archive and store as one', async () => {
    using opened = await openArchive(archive.path)
    const record = await readJob(new ArchivedHistory(opened, ingress.memory), old)
    expect(record?.events.map(({ type }) => type)).to.deep.equal([
      'CreditsDebited',
      'JobRequested',
      'CaptionsRead',
      'JobCompleted',
      'CreditsSettled',
    ])
  })
})

import { expect } from 'chai'
import { systemClock } from '#packages/adapters/system/clock.ts'
import { job } from '#packages/domain/job/job.ts'
import { REUSED_WITHIN_MS } from '#packages/domain/job/reuse.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import type { Clock } from '#packages/ports/clock.ts'
import { InvalidEventError, type StoredEvent } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { appendToJob, endJob, settleJob } from '#test/doubles/ingress/ended-job.ts'
import { type StartedIngress, startIngress } from '#test/doubles/ingress/started-ingress.ts'
import { until } from '#test/doubles/service/until.ts'

const url = 'https://cdn.example.com/film.mp4'
const native = { url, mode: 'native' }
const again = { ...native, reuse: true }
const segments = [{ start: 0, end: 2, text: 'Welcome.' }]
const byKey = (key: string) => ({ headers: { 'idempotency-key': key } })
const typesOf = (events: readonly { type: string }[]): string[] => events.map(({ type }) => type)

type Org = Awaited<ReturnType<StartedIngress['org']>>

describe('reusing a result', () => {
  /** How far the clock is ahead of the machine's, milliseconds. */
  let aheadMs: number
  let ingress: StartedIngress
  let acme: Org
  const jobOf = (jobId: string): Promise<StoredEvent[]> => ingress.memory.read(streams.job(jobId))
  const isListed = (org: Org, jobId: string) =>
    until('it is listed as completed', async () => {
      const { body } = await org.get('/v1/jobs?status=completed&limit=100')
      return body.jobs.some((one: { jobId: string }) => one.jobId === jobId)
    })

  /** A completed job, in the list of jobs. */
  async function completed(org = acme): Promise<string> {
    const { jobId } = (await org.post('/v1/transcript', native)).body
    await endJob(ingress, jobId, { segments, seconds: 2 })
    await isListed(org, jobId)
    return jobId
  }

  beforeEach(async () => {
    aheadMs = 0
    const clock: Clock = { now: () => systemClock.now() + aheadMs, sleep: systemClock.sleep }
    ingress = await startIngress({ clock, options: { extracts: true } })
    acme = await ingress.org()
  })
  afterEach(() => ingress[Symbol.asyncDispose]())

  for (const isAtomic of [false, true])
    it(`ends the new job at once for nothing${isAtomic ? ', even if the store appends together' : ''}`, async () => {
      if (isAtomic) ingress.store.canAppendTogether()
      const source = await completed()
      const before = await acme.credits()
      const posted = await acme.post('/v1/transcript', again)
      const { jobId } = posted.body
      expect([posted.status, posted.body]).to.deep.equal([202, { jobId, status: 'queued' }])
      expect(['x-reused-job', 'x-credits-held'].map((name) => posted.headers.get(name))).to.deep.equal([source, '0'])
      const events = await jobOf(jobId)
      expect(fold(job, events)).to.include({ status: 'completed', credits: 0 })
      await settleJob(ingress, jobId, 0)
      const [own, theirs] = [jobId, source].map((id) =>
        acme.get(`/v1/transcript/${id}`, { headers: { prefer: 'wait=20' } }),
      )
      const [mine, first] = [await own, await theirs]
      expect(mine?.body.resultJson).to.deep.equal(first?.body.resultJson)
      expect(mine?.headers.get('x-reused-job')).to.equal(source)
      expect(mine?.headers.get('x-credits-charged')).to.equal('0')
      const details = (await acme.get(`/v1/jobs/${jobId}`)).body
      expect(details).to.deep.include({ reused: source, state: 'completed', credits: { held: 0, charged: 0 } })
      expect((await acme.get(`/v1/jobs/${source}`)).body).to.include({ reused: null })
      expect(await acme.credits()).to.equal(before)
    })

  it('is a normal job without `reuse`, for another request, or if nothing is completed', async () => {
    const open = (await acme.post('/v1/transcript', { url })).body.jobId
    const failed = (await acme.post('/v1/transcript', { url })).body.jobId
    await endJob(ingress, failed, { code: 'no_speech' })
    const source = await completed()
    const asked = [native, { ...again, lang: 'de' }, { url, reuse: true }, { ...again, words: true }]
    for (const body of asked) {
      const { jobId } = (await acme.post('/v1/transcript', body)).body
      expect(typesOf(await jobOf(jobId))).to.deep.equal(['JobRequested'])
    }
    expect((await jobOf(open)).length).to.equal(1)
    expect((await acme.post('/v1/extract', { url, prompt: 'W?', reuse: true })).headers.get('x-reused-job')).to.equal(
      null,
    )
    expect((await acme.post('/v1/estimate', again)).body).to.deep.include({
      refusal: null,
      seconds: 0,
      credits: { held: 0, charged: { least: 0, likely: 0, most: 0 } },
    })
    expect((await acme.post('/v1/transcript', again)).headers.get('x-reused-job')).to.equal(source)
  })

  it('costs nothing even if no credits are left, for a key without any', async () => {
    await completed()
    const poor = (await acme.post('/v1/keys', { name: 'poor', monthlyCredits: 0 })).body.key
    const refused = await ingress.call('POST', '/v1/transcript', { key: poor, json: native })
    expect(refused.status).to.equal(403)
    expect((await ingress.call('POST', '/v1/transcript', { key: poor, json: again })).status).to.equal(202)
  })

  it('gives no organization the result of another, whatever the view proposes', async () => {
    const source = await completed()
    const other = await ingress.org()
    const document = await ingress.views.get('jobs', source)
    const page = ingress.views.page.bind(ingress.views)
    // A faulty view.
    ingress.views.page = async (name, question) =>
      [...(document ? [document] : []), ...(await page(name, question))] as never
    const { body, headers } = await other.post('/v1/transcript', again)
    expect(headers.get('x-reused-job')).to.equal(null)
    expect(typesOf(await jobOf(body.jobId))).to.deep.equal(['JobRequested'])
    expect(await other.credits()).to.equal(49)
  })

  it('checks events: it skips results older than a day, deleted, or reused themselves', async () => {
    const source = await completed()
    const copy = (await acme.post('/v1/transcript', again)).body.jobId
    await settleJob(ingress, copy, 0)
    await isListed(acme, copy)
    const reusedBy = async () => (await acme.post('/v1/transcript', again)).headers.get('x-reused-job')
    expect(await reusedBy()).to.equal(source)
    aheadMs = REUSED_WITHIN_MS - 60_000
    expect(await reusedBy()).to.equal(source)
    aheadMs = REUSED_WITHIN_MS + 1000
    expect(await reusedBy()).to.equal(null)
    const younger = await completed()
    expect(await reusedBy()).to.equal(younger)
    expect((await acme.remove(`/v1/jobs/${younger}/content`)).status).to.equal(200)
    expect(await reusedBy()).to.equal(null)
    // A result that was copied earlier stays: it belongs to the other job.
    expect((await acme.get(`/v1/transcript/${copy}`)).body.status).to.equal('completed')
  })

  it('is part of what an Idempotency-Key stands for', async () => {
    const source = await completed()
    const first = await acme.post('/v1/transcript', again, byKey('a'))
    const repeat = await acme.post('/v1/transcript', again, byKey('a'))
    expect([repeat.status, repeat.text]).to.deep.equal([202, first.text])
    expect(repeat.headers.get('x-reused-job')).to.equal(source)
    expect((await acme.post('/v1/transcript', native, byKey('a'))).body.error).to.equal('idempotency_conflict')
    await acme.post('/v1/transcript', native, byKey('b'))
    expect((await acme.post('/v1/transcript', again, byKey('b'))).status).to.equal(409)
    // Without an idempotency key each request is a job, and without `reuse` each job costs.
    expect((await acme.post('/v1/transcript', again)).text).to.not.equal(first.text)
  })

  it('loses and charges nothing if it is interrupted between the debit and the job', async () => {
    const source = await completed()
    const before = await acme.credits()
    const cut = async (key: string): Promise<void> => {
      ingress.store.fault = async (stream, _events, proceed) => {
        if (stream.startsWith('job-')) throw new InvalidEventError('JobRequested', 'a test')
        return proceed()
      }
      expect((await acme.post('/v1/transcript', again, byKey(key))).status).to.equal(503)
      ingress.store.fault = undefined
    }
    await cut('goes on')
    const repeat = await acme.post('/v1/transcript', again, byKey('goes on'))
    expect([repeat.status, repeat.headers.get('x-reused-job')]).to.deep.equal([202, source])
    expect(typesOf(await acme.ledger()).filter((type) => type === 'CreditsDebited')).to.have.length(2)
    await cut('gone')
    await acme.remove(`/v1/jobs/${source}/content`)
    const late = await acme.post('/v1/transcript', again, byKey('gone'))
    expect([late.status, late.headers.get('retry-after')]).to.deep.equal([503, '15'])
    expect(await acme.credits()).to.equal(before)
  })

  it('leaves a result to its own job if it is too large for one append with a request', async () => {
    const { jobId } = (await acme.post('/v1/transcript', native)).body
    const { data } = await appendToJob(ingress, jobId)
    const text = 'x'.repeat(1000 * 1000)
    await endJob(ingress, jobId, { segments: [{ start: 0, end: 1, text }] })
    await isListed(acme, jobId)
    expect(data.reused).to.equal(null)
    expect((await acme.post('/v1/transcript', again)).headers.get('x-reused-job')).to.equal(null)
  })
})

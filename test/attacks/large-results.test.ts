import { expect } from 'chai'
import { madeForAll, openedForAll } from '#test/doubles/opened.ts'
import { assertNeverHeld } from '#test/doubles/service/loop-watch.ts'
import { captionsOf, writePastJob } from '#test/doubles/service/past-results.ts'
import { Setting } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'

/** The largest size of a result. */
const RESULT_BYTES = 1_900_000
const JOBS = 30
const JSON_ONLY = { accept: 'application/json' }

describe('jobs with the largest results', function () {
  this.timeout(180_000)
  const env = { RATE_LIGHT_PER_MINUTE: '100000', RATE_POLLS_PER_MINUTE: '100000' }
  const setting = openedForAll(() => Setting.start({ speech: null, env }))
  const me = madeForAll(() => setting.client({ plan: 'pro' }))
  let jobIds: string[]
  /** An extraction that has its transcript and waits for the model. */
  let queuedId: string

  before(async () => {
    const results = [captionsOf(RESULT_BYTES)]
    queuedId = await writePastJob(await setting.backDoor(), {
      orgId: me.orgId,
      kind: 'extraction',
      results,
      ends: false,
    })
  })

  it('are shown in the views without holding the event loop', async () => {
    const backDoor = await setting.backDoor()
    const { orgId } = me
    await assertNeverHeld(setting, me, async () => {
      const results = [captionsOf(RESULT_BYTES)]
      jobIds = []
      for (let n = 0; n < JOBS; n++)
        jobIds.push(await writePastJob(backDoor, { orgId, kind: 'transcript', results, ends: true }))
      const last = jobIds.at(-1)
      await until('the last is shown', async () => (await me.get(`/v1/transcript/${last}`)).body.status === 'completed')
    })
  })

  it('are listed, whole pages of them, without holding the event loop', async () => {
    await assertNeverHeld(setting, me, async () => {
      const pages = Array.from({ length: 20 }, () => me.get('/v1/jobs?limit=100'))
      for (const { status, body } of await Promise.all(pages)) {
        expect(status).to.equal(200)
        expect((body as { jobs: unknown[] }).jobs).to.have.length(JOBS + 1)
      }
    })
  })

  it('are polled, more than fit into memory, as JSON and as subtitles, without holding the event loop', async () => {
    await assertNeverHeld(setting, me, async () => {
      for (const jobId of jobIds) {
        const { text, body } = await me.get(`/v1/transcript/${jobId}`, JSON_ONLY)
        expect([body.status, body.resultJson?.source]).to.deep.equal(['completed', 'captions'])
        expect(text.length).to.be.above(RESULT_BYTES * 0.9)
        const form = jobIds.indexOf(jobId) % 2 === 0 ? 'text/vtt' : 'application/x-subrip'
        const subtitles = await me.get(`/v1/transcript/${jobId}`, { accept: form })
        expect(subtitles.headers.get('content-type')).to.contain(form)
        const etag = subtitles.headers.get('etag') ?? ''
        const many = `${'"x", '.repeat(2000)}${etag}`
        expect((await me.get(`/v1/transcript/${jobId}`, { accept: form, 'if-none-match': many })).status).to.equal(304)
      }
    })
  })

  it('are not read again by polls of an extraction from their text that is still queued', async () => {
    const path = `/v1/extract/${queuedId}`
    const { jobs } = (await me.get('/v1/jobs?kind=extraction')).body as unknown as { jobs: { createdAt: string }[] }
    const requestedAt = Date.parse(jobs[0]?.createdAt ?? '')
    // From this age on, a poll also reads the events.
    await until('the job is older than ten seconds', () => Date.now() - requestedAt > 10_000)
    await assertNeverHeld(setting, me, async () => {
      const polls = Array.from({ length: 100 }, (_, n) => me.get(path, n % 2 === 0 ? { prefer: 'wait=2' } : {}))
      for (const { status, body } of await Promise.all(polls))
        expect([status, body.status === 'completed']).to.deep.equal([200, false])
    })
  })
})

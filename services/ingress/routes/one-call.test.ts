import { expect } from 'chai'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { eachIngress } from '#test/doubles/ingress/each-ingress.ts'
import { endJob } from '#test/doubles/ingress/ended-job.ts'
import type { Answer } from '#test/doubles/ingress/started-ingress.ts'
import { until } from '#test/doubles/service/until.ts'
import { MOST_WAITS } from '../limits/end-waits.ts'

const url = 'https://cdn.example.com/film.mp4'
const native = { url, mode: 'native' }
const segments = [
  { start: 0, end: 2, text: 'Welcome to' },
  { start: 2, end: 4, text: 'the film. It begins.' },
]
const waiting = (seconds: number) => ({ headers: { prefer: `wait=${seconds}` } })

/** Headers about the job, not about this one request. */
const jobHeaders = ({ headers }: Answer) =>
  ['etag', 'content-type', 'cache-control', 'vary', 'x-credits-charged', 'x-trace-id', 'x-reused-job'].map((name) =>
    headers.get(name),
  )

describe('a job in one call', () => {
  const { ingress, acme } = eachIngress(() => ({ clock, options: { extracts: true, maxWaitSeconds: 60 } }), 'pro')

  /** The job that a POST under this key has begun. */
  const begun = (idempotencyKey: string): Promise<string> =>
    until('the job is listed', async () => {
      const { body } = await acme.get(`/v1/jobs?idempotencyKey=${idempotencyKey}`)
      return body.jobs[0]?.jobId as string | undefined
    })

  it('is answered like a poll of its end, with Location, in every form; without the header with 202', async () => {
    const ends = {
      completed: { segments },
      failed: { code: 'no_speech', message: 'Nobody speaks.' },
      late: { code: 'timeout', message: 'Too late.' },
    }
    for (const [name, end] of Object.entries(ends))
      for (const query of ['', '?format=srt', '?chunkSize=200']) {
        const key = `${name}${query.slice(1, 4)}`
        const headers = { prefer: 'wait=50', 'idempotency-key': key }
        const posting = acme.post(`/v1/transcript${query}`, native, { headers })
        const jobId = await begun(key)
        await endJob(ingress, jobId, end)
        const [posted, polled] = [await posting, await acme.get(`/v1/transcript/${jobId}${query}`)]
        expect(posted.status).to.equal(name === 'late' ? 504 : 200)
        expect([posted.status, posted.text]).to.deep.equal([polled.status, polled.text])
        expect(jobHeaders(posted)).to.deep.equal(jobHeaders(polled))
        expect(posted.headers.get('location')).to.equal(`/v1/transcript/${jobId}`)
        const plain = await acme.post('/v1/transcript', native, { headers: { 'idempotency-key': key } })
        expect([plain.status, plain.body]).to.deep.equal([202, { jobId, status: 'queued' }])
      }
  })

  it('is the usual 202 if it does not end in time, and for a key that may not read', async () => {
    const late = await acme.post('/v1/extract', { url, prompt: 'What?' }, waiting(1))
    expect(late.status).to.equal(202)
    expect(Object.keys(late.body)).to.have.members(['jobId', 'status'])
    const limited = (await acme.post('/v1/keys', { name: 'jobs', scopes: ['jobs'] })).body.key
    const blind = ingress.call('POST', '/v1/transcript', { key: limited, json: native, ...waiting(60) })
    expect((await blind).status).to.equal(202)
  })

  it('waits for ten of an organization at once: the next gets a 202, but another organization waits', async () => {
    const held = Array.from({ length: MOST_WAITS }, (_, n) =>
      acme.post('/v1/transcript', native, { headers: { prefer: 'wait=60', 'idempotency-key': `held-${n}` } }),
    )
    const jobs = await Promise.all(held.map((_, n) => begun(`held-${n}`)))
    // Each job is listed before its request waits, at the latest once the next one is answered.
    const one = await acme.post('/v1/transcript', native, waiting(60))
    expect(one.status).to.equal(202)
    const other = await ingress.org()
    const theirs = other.post('/v1/transcript', native, { headers: { prefer: 'wait=60', 'idempotency-key': 'theirs' } })
    const { jobId } = await until('it is listed', async () => (await other.get('/v1/jobs')).body.jobs[0])
    for (const job of [...jobs, jobId]) await endJob(ingress, job, { segments })
    for (const posted of await Promise.all([...held, theirs])) expect(posted.status).to.equal(200)
    // The places are free again.
    const again = acme.post('/v1/transcript', native, { headers: { prefer: 'wait=60', 'idempotency-key': 'again' } })
    await endJob(ingress, await begun('again'), { segments })
    expect((await again).status).to.equal(200)
  })

  it('and polls come in the form of `format`, before Accept; anything else is a 400 and begins no job', async () => {
    const { jobId } = (await acme.post('/v1/transcript', native)).body
    await endJob(ingress, jobId, { segments })
    const path = `/v1/transcript/${jobId}`
    const types = { json: 'application/json', srt: 'application/x-subrip', vtt: 'text/vtt', txt: 'text/plain' }
    for (const [format, type] of Object.entries(types)) {
      const { status, headers } = await acme.get(`${path}?format=${format}`, { headers: { accept: 'text/vtt' } })
      expect([status, headers.get('content-type')?.split(';')[0]]).to.deep.equal([200, type])
    }
    const before = (await acme.ledger()).length
    for (const query of [
      'format=xml',
      'format=',
      'format=srt&format=srt',
      'chunkSize=199',
      'chunkSize=10001',
      'chunkSize=9e2',
    ])
      for (const answer of [await acme.get(`${path}?${query}`), await acme.post(`/v1/transcript?${query}`, native)]) {
        expect([answer.status, answer.body.error], query).to.deep.equal([400, 'invalid_request'])
        expect(answer.body.details[0].path).to.equal(query.split('=')[0])
      }
    const wrong = ['format=srt', 'chunkSize=500'].map((query) =>
      acme.post(`/v1/extract?${query}`, { url, prompt: 'W?' }),
    )
    wrong.push(
      acme.get(`${path}?chunkSize=500&format=txt`),
      acme.get(`${path}?chunkSize=500`, { headers: { accept: 'text/vtt' } }),
    )
    for (const { status } of await Promise.all(wrong)) expect(status).to.equal(400)
    expect(await acme.ledger()).to.have.length(before)
  })

  it('has its text in chunks if `chunkSize` asks for them, and unchanged if not', async () => {
    const { jobId } = (await acme.post('/v1/transcript', native)).body
    await endJob(ingress, jobId, { segments })
    const { body, headers } = await acme.get(`/v1/transcript/${jobId}?chunkSize=200`)
    expect(body.resultJson.chunks).to.deep.equal([{ start: 0, end: 4, text: 'Welcome to the film. It begins.' }])
    const plain = await acme.get(`/v1/transcript/${jobId}`)
    const { chunks: _, ...rest } = body.resultJson
    expect(plain.body.resultJson).to.deep.equal(rest)
    expect(headers.get('etag')).to.not.equal(plain.headers.get('etag'))
  })
})

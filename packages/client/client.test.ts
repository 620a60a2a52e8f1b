import { createServer, type IncomingHttpHeaders } from 'node:http'
import { expect } from 'chai'
import { eachIngress } from '../../test/doubles/ingress/each-ingress.ts'
import { endJob, settleJob } from '../../test/doubles/ingress/ended-job.ts'
import { onLoopback } from '../../test/doubles/loopback-server.ts'
import { until } from '../../test/doubles/service/until.ts'
import { systemClock as clock } from '../adapters/system/clock.ts'
import { type KeyLimits, VideoIntelligence } from './client.ts'
import { VideoIntelligenceError } from './error.ts'
import { advisedPolling } from './jobs.ts'

const url = 'https://cdn.example.com/film.mp4'
const segments = [{ start: 0, end: 2, text: 'Welcome.' }]

type Asked = { method: string; url: string; headers: IncomingHttpHeaders; body: string }
type Scripted = { status: number; body?: unknown; headers?: Record<string, string> } | 'hang up' | 'stay silent'

/** A service that sends the scripted answers in turn, and then repeats the last one. */
async function scripted(...answers: Scripted[]) {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { method = '', url = '', headers } = request
    asked.push({ method, url, headers, body })
    const answer = answers[Math.min(asked.length, answers.length) - 1]
    if (answer === undefined || answer === 'hang up') return void request.socket.destroy()
    if (answer === 'stay silent') return
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {}))
  })
  const listening = await onLoopback(server)
  return { ...listening, asked, baseUrl: `http://127.0.0.1:${listening.port}` }
}

/** Fetches, and records when it was called, because the request itself may be sent later. */
function notedFetch() {
  const askedAt: number[] = []
  const noted: typeof fetch = (...asked) => {
    askedAt.push(performance.now())
    return fetch(...asked)
  }
  return { askedAt, fetch: noted }
}

const clientOf = (baseUrl: string, more: object = {}) => new VideoIntelligence({ baseUrl, apiKey: 'ma_key', ...more })
const me = { orgId: 'o', name: 'Acme', creditsRemaining: 50 }
const refusal = (error: string) => ({ error, message: `It is ${error}.`, details: null, documentationUrl: null })
/** A refused request, which may be repeated after this many seconds. */
const limited = (seconds: string) => {
  return { status: 429, body: refusal('rate_limited'), headers: { 'retry-after': seconds } }
}
const queued = { status: 200, body: { jobId: 'j', status: 'queued', resultJson: null, error: null } }

async function errorOf(work: Promise<unknown>): Promise<VideoIntelligenceError> {
  const thrown = await work.catch((error: unknown) => error)
  if (thrown instanceof VideoIntelligenceError) return thrown
  throw new Error(`no such error, but ${String(thrown)}`)
}

describe('the client', () => {
  describe('with the service', () => {
    const { ingress, acme } = eachIngress(() => ({ clock }))
    let client: VideoIntelligence
    beforeEach(() => {
      client = new VideoIntelligence({ baseUrl: `${ingress.base}/v1/`, apiKey: acme.key })
    })

    it('requests a transcript and polls until it is available', async () => {
      const polls: number[] = []
      const ran = client.transcripts.run({ url, mode: 'native' }, { onPoll: (n) => polls.push(n), idempotencyKey: 'k' })
      const jobId = await client.transcripts.request({ url, mode: 'native' }, { idempotencyKey: 'k' })
      await endJob(ingress, jobId, { segments })
      expect(await ran).to.deep.equal({
        text: 'Welcome.',
        segments,
        language: 'en',
        source: 'captions',
        availableLanguages: null,
      })
      expect(await client.transcriptText(jobId, 'vtt')).to.contain('00:00:00.000 --> 00:00:02.000\nWelcome.')
      expect(
        (await client.jobs({ idempotencyKey: 'k', status: 'completed' })).jobs.map((job) => job.jobId),
      ).to.deep.equal([jobId])
    })

    it('needs one call if the answer shows the end of the job, and returns the text in chunks', async () => {
      const { jobId } = await client.transcripts.begin({ url, mode: 'native' })
      await endJob(ingress, jobId, { segments })
      await until('it is listed', async () => (await client.jobs({ status: 'completed' })).jobs.length > 0)
      const again = client.transcripts.run({ url, mode: 'native', reuse: true })
      const copy = await until('it is there', async () => (await client.jobs({ status: 'queued' })).jobs[0])
      await settleJob(ingress, copy.jobId, 0)
      expect((await again).segments).to.deep.equal(segments)
      expect(await client.job(copy.jobId)).to.include({ reused: jobId })
      expect(await client.transcriptChunks(jobId, 200)).to.deep.equal([{ start: 0, end: 2, text: 'Welcome.' }])
      const ended = { jobId: 'j', status: 'completed', resultJson: { text: 'Hi.' }, error: null }
      await using service = await scripted({ status: 200, body: ended })
      expect(await clientOf(service.baseUrl).transcripts.run({ url })).to.deep.equal({ text: 'Hi.' })
      expect(service.asked.map(({ method, headers }) => [method, headers.prefer])).to.deep.equal([['POST', 'wait=2']])
    })

    it('follows a job to its end, and continues after a stream broke off', async () => {
      const jobId = await client.transcripts.request({ url, mode: 'native' })
      const types: string[] = []
      const following = (async () => {
        for await (const { type } of client.follow(jobId)) types.push(type)
      })()
      await until('it is accepted', async () => types.includes('accepted'))
      await endJob(ingress, jobId, { segments })
      await settleJob(ingress, jobId, 1)
      await following
      expect(types[0]).to.equal('accepted')
      expect(types).to.include('completed')

      const event = (id: number) => `id: ${id}\nevent: step_started\ndata: ${JSON.stringify({ id })}\n\n`
      const stream = { 'content-type': 'text/event-stream' }
      await using service = await scripted(
        { status: 200, headers: stream, body: `: beat\n\n${event(5)}${event(7).slice(0, -2)}` },
        { status: 200, headers: stream, body: `${event(7)}event: end\ndata: {}\n\n` },
      )
      const ids: number[] = []
      for await (const { id } of clientOf(service.baseUrl).follow('j', { after: 4 })) ids.push(id)
      expect(ids).to.deep.equal([5, 7])
      expect(service.asked.map(({ url }) => url)).to.deep.equal([
        '/v1/jobs/j/events?after=4',
        '/v1/jobs/j/events?after=5',
      ])
    })

    it('throws the code of a failed job, and of one that timed out', async () => {
      for (const code of ['no_speech', 'timeout']) {
        const jobId = await client.transcripts.request({ url, mode: 'native' })
        expect((await errorOf(client.transcriptText(jobId, 'srt'))).code).to.equal('not_completed')
        await endJob(ingress, jobId, { code, message: 'Why.' })
        const error = await errorOf(client.transcripts.wait(jobId))
        expect(error).to.deep.include({ code, message: 'Why.', jobId })
      }
    })

    it('returns the organization and its keys', async () => {
      expect((await client.me()).orgId).to.equal(acme.orgId)
      const limits: KeyLimits = { scopes: ['keys'], monthlyCredits: 5, expiresAt: '2099-12-31T23:00:00.000Z' }
      const limited = await client.createKey('limited', limits)
      expect(limited).to.deep.include(limits)
      const refused = await errorOf(new VideoIntelligence({ baseUrl: ingress.base, apiKey: limited.key }).me())
      expect(refused).to.deep.include({ code: 'forbidden', details: { reason: 'scope', required: 'read' } })
      const made = await client.createKey('laptop')
      expect((await client.keys()).map(({ id }) => id)).to.include(made.id)
      expect((await client.revokeKey(made.id)).id).to.equal(made.id)
      const error = await errorOf(new VideoIntelligence({ baseUrl: ingress.base, apiKey: made.key }).me())
      expect(error).to.include({ code: 'unauthorized', status: 401 })
      expect(error.requestId).to.match(/^[0-9a-f-]{36}$/)
    })

    it('shows a job and what has happened to it, and cancels it', async () => {
      const jobId = await client.transcripts.request({ url, mode: 'native' })
      expect(await client.job(jobId)).to.include({ jobId, state: 'waiting', step: 'fetch' })
      const { events } = await client.jobEvents(jobId)
      expect(events.map(({ type }) => type)).to.deep.equal(['accepted'])
      expect(await client.jobEvents(jobId, { after: events[0]?.id ?? 0 })).to.deep.equal({ events: [], ended: false })
      await endJob(ingress, jobId, { segments })
      expect(await client.cancel(jobId)).to.include({ jobId, state: 'completed' })
    })

    it('throws the error with its details', async () => {
      const error = await errorOf(client.transcripts.request({ url: 'x' }))
      expect(error).to.include({ code: 'invalid_request', status: 400 })
      expect((error.details as { path: string }[])[0]?.path).to.equal('url')
    })
  })

  it('requests fields for metadata to include, and an estimate, both safe to repeat', async () => {
    await using service = await scripted({ status: 200, body: { title: 'film' } }, 'hang up', { status: 200, body: {} })
    const client = clientOf(service.baseUrl)
    expect(await client.metadata(url, { include: ['captions', 'chapters'] })).to.deep.equal({ title: 'film' })
    expect(new URLSearchParams(service.asked[0]?.url.split('?')[1]).get('include')).to.equal('captions,chapters')
    await client.estimate({ url, mode: 'native' })
    expect(service.asked.slice(1).map(({ method, url }) => `${method} ${url}`)).to.deep.equal(
      Array(2).fill('POST /v1/estimate'),
    )
    expect(JSON.parse(service.asked[2]?.body ?? '')).to.deep.equal({ url, mode: 'native' })
  })

  it('names the fields of metadata that could not be read', async () => {
    const headers = { 'x-metadata-incomplete': 'duration, viewCount' }
    await using service = await scripted({ status: 200, body: { title: 'film', duration: null }, headers })
    expect(await clientOf(service.baseUrl).metadata(url)).to.deep.equal({
      title: 'film',
      duration: null,
      incomplete: ['duration', 'viewCount'],
    })
  })

  it('repeats a POST with the same idempotency key after a lost connection, which creates one job', async () => {
    await using service = await scripted('hang up', 'hang up', { status: 202, body: { jobId: 'j', status: 'queued' } })
    expect(await clientOf(service.baseUrl).transcripts.request({ url })).to.equal('j')
    const keys = service.asked.map(({ headers }) => headers['idempotency-key'])
    expect(keys).to.have.length(3)
    expect(new Set(keys).size).to.equal(1)
    expect(keys[0]).to.match(/^[0-9a-f-]{36}$/)
  })

  it('does not repeat a call that may have taken effect and is not repeatable', async () => {
    await using service = await scripted('hang up')
    expect((await errorOf(clientOf(service.baseUrl).createKey('x'))).code).to.equal('network_error')
    expect(service.asked).to.have.length(1)
  })

  it('waits until X-RateLimit-Reset after a 429, by the clock of the service', async () => {
    const now = Math.floor(Date.now() / 1000) * 1000 - 3_600_000
    const headers = { date: new Date(now).toUTCString(), 'x-ratelimit-reset': String(now / 1000 + 1) }
    await using service = await scripted(
      { status: 429, body: refusal('rate_limited'), headers: { ...headers, 'retry-after': '1' } },
      { status: 200, body: me },
    )
    const { askedAt, fetch } = notedFetch()
    expect(await clientOf(service.baseUrl, { fetch }).me()).to.deep.equal(me)
    const [first = 0, second = 0] = askedAt
    expect(second - first).to.be.at.least(990)
  })

  it('fails after its retries, with the error of the last answer', async () => {
    await using service = await scripted(limited('0'))
    const error = await errorOf(clientOf(service.baseUrl, { maxRetries: 2 }).me())
    expect(error).to.include({ code: 'rate_limited', status: 429, retryAfterSeconds: 0 })
    expect(service.asked).to.have.length(3)
  })

  it('does not wait longer than maxPauseSeconds', async () => {
    await using service = await scripted(limited('9'))
    const error = await errorOf(clientOf(service.baseUrl, { maxPauseSeconds: 8 }).me())
    expect(error).to.include({ code: 'rate_limited', retryAfterSeconds: 9 })
    expect(service.asked).to.have.length(1)
  })

  it('retries after a 503 only if it says when', async () => {
    const busy = { status: 503, body: refusal('unavailable') }
    await using service = await scripted({ ...busy, headers: { 'retry-after': '0' } }, { status: 200, body: me })
    expect(await clientOf(service.baseUrl).me()).to.deep.equal(me)
    await using other = await scripted(busy)
    expect((await errorOf(clientOf(other.baseUrl).me())).code).to.equal('unavailable')
    expect(other.asked).to.have.length(1)
  })

  it("treats a 504 with a jobId as the end of the job, and a gateway's 504 as a lost answer", async () => {
    const end = { ...refusal('timeout'), jobId: 'j', status: 'failed', resultJson: null }
    await using service = await scripted({ status: 504, body: '<html>gateway</html>' }, { status: 504, body: end })
    const error = await errorOf(clientOf(service.baseUrl).transcripts.wait('j'))
    expect(error).to.include({ code: 'timeout', status: 504, jobId: 'j', message: 'It is timeout.' })
    expect(service.asked).to.have.length(2)
  })

  it('does not repeat a call that the service has refused', async () => {
    for (const status of [400, 401, 403, 404, 409, 500, 502]) {
      await using service = await scripted({ status, body: refusal('x') })
      expect((await errorOf(clientOf(service.baseUrl).metadata(url))).status).to.equal(status)
      expect(service.asked, String(status)).to.have.length(1)
    }
  })

  it('polls at most 120 times', async () => {
    await using service = await scripted(queued)
    const client = clientOf(service.baseUrl, { polling: { ...advisedPolling, minSeconds: 0 } })
    expect(await errorOf(client.transcripts.wait('j'))).to.include({ code: 'timeout', jobId: 'j' })
    expect(service.asked).to.have.length(120)
  })

  it('polls with Prefer: wait, and no faster than once a second', async () => {
    await using service = await scripted(queued)
    const end = new AbortController()
    const { askedAt, fetch } = notedFetch()
    const waiting = clientOf(service.baseUrl, { fetch }).transcripts.wait('j', {
      signal: end.signal,
      onPoll: (polls) => polls === 2 && end.abort(new Error('enough')),
    })
    expect(await waiting.catch((error: Error) => error.message)).to.equal('enough')
    expect(service.asked[0]?.headers.prefer).to.equal('wait=2')
    const [first = 0, second = 0] = askedAt
    expect(second - first).to.be.at.least(990)
  })

  it('ends at once when its signal is aborted, whatever it waits for', async () => {
    await using silent = await scripted('stay silent')
    await using busy = await scripted(limited('60'))
    for (const { baseUrl } of [silent, busy]) {
      const error = await clientOf(baseUrl)
        .me({ signal: AbortSignal.timeout(100) })
        .catch((thrown: unknown) => thrown)
      expect((error as Error).name).to.equal('TimeoutError')
    }
  })

  it('limits the time of each request', async () => {
    await using service = await scripted('stay silent', { status: 200, body: me })
    expect(await clientOf(service.baseUrl, { timeoutSeconds: 1 }).me()).to.deep.equal(me)
  })

  it('fails with invalid_response if another server answers, and sends the key nowhere else', async () => {
    await using page = await scripted({ status: 200, body: '<html>', headers: { 'content-type': 'text/html' } })
    expect((await errorOf(clientOf(page.baseUrl).me())).code).to.equal('invalid_response')
    await using elsewhere = await scripted({ status: 200, body: me })
    await using moved = await scripted({ status: 302, headers: { location: elsewhere.baseUrl } })
    expect((await errorOf(clientOf(moved.baseUrl, { maxRetries: 0 }).me())).code).to.equal('network_error')
    expect(elsewhere.asked).to.deep.equal([])
  })
})

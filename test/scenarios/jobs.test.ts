/** One job seen from outside: by its owner, by others, repeatedly, and past its window. */
import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { expect } from 'chai'
import { openedForAll } from '#test/doubles/opened.ts'
import { assertAddsUp } from '#test/doubles/service/audit.ts'
import type { Client } from '#test/doubles/service/client.ts'
import { at, Setting } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'

const captioned = { url: at('/captioned.mp4'), mode: 'native' }

describe('jobs', function () {
  this.timeout(120_000)
  const held = (_: unknown, response: ServerResponse) =>
    void seen.promise.then(() => response.writeHead(302, { location: '/speech.mp4' }).end())
  const setting = openedForAll(() =>
    Setting.start({ media: ['captioned.mp4', 'speech.mp4'], files: { '/held.mp4': held } }),
  )
  /** `/held.mp4` is answered once a test has seen that its job is queued. */
  let seen: PromiseWithResolvers<void>
  beforeEach(() => {
    seen = Promise.withResolvers()
  })

  describe('seen by somebody else', () => {
    it("another organization's job is the same 404, byte for byte, as one that never was", async () => {
      const [mine, theirs] = await Promise.all([setting.client(), setting.client()])
      const jobId = await mine.enqueue(captioned)
      const see = (id: string) => theirs.get(`/v1/transcript/${id}`, { 'x-request-id': 'the-same' })
      const [open, never] = await Promise.all([see(jobId), see(randomUUID())])
      await mine.ended(jobId)
      const others = await Promise.all([see(jobId), see('not-a-uuid'), see(jobId.toUpperCase())])
      for (const answer of [open, never, ...others]) {
        expect(answer.status).to.equal(404)
        expect(answer.text).to.equal(never.text)
        expect([...answer.headers.keys()]).to.deep.equal([...never.headers.keys()])
        expect(answer.headers.get('etag')).to.equal(null)
      }
      expect(never.body).to.include({ error: 'not_found', details: null })
    })

    it('a request with its id changed is 404 for the owner too', async () => {
      const me = await setting.client()
      const jobId = await me.enqueue(captioned)
      expect((await me.get(`/v1/extract/${jobId}`)).status).to.equal(404)
    })
  })

  describe('polled', () => {
    it('is accepted with 202, a Location and queued', async () => {
      const me = await setting.client()
      const { status, body, headers } = await me.transcript(captioned)
      expect(status).to.equal(202)
      expect(body).to.deep.equal({ jobId: body.jobId, status: 'queued' })
      expect(headers.get('location')).to.equal(`/v1/transcript/${body.jobId}`)
      expect(headers.get('retry-after')).to.equal('1')
    })

    it('is queued without a result, and Prefer: wait is answered when it ends', async () => {
      const me = await setting.client()
      const jobId = await me.enqueue({ url: at('/held.mp4?waits'), mode: 'generate' })
      const queued = await me.get(`/v1/transcript/${jobId}`)
      seen.resolve()
      expect(queued.body).to.deep.equal({ jobId, status: 'queued', resultJson: null, error: null })
      const ended = await me.get(`/v1/transcript/${jobId}`, { prefer: 'respond-async, wait=60' })
      expect(ended.body.status).to.equal('completed')
      const malformed = await me.get(`/v1/transcript/${jobId}`, { prefer: 'wait=lots' })
      expect(malformed.text).to.equal(ended.text)
    })

    it('ends in one call with Prefer: wait, in the requested format; its result is reused for free, only by its owner', async () => {
      const [me, other] = [await setting.client(), await setting.client()]
      const wait = { prefer: 'wait=60' }
      const first = await me.transcript(captioned, wait)
      expect(first.status).to.equal(200)
      const { jobId = '' } = first.body
      expect(first.headers.get('location')).to.equal(`/v1/transcript/${jobId}`)
      expect(first.text).to.equal((await me.get(`/v1/transcript/${jobId}`)).text)
      const listed = async () => (await me.get('/v1/jobs?status=completed')).text.includes(jobId)
      await until('the list has its end', listed)
      const again = { ...captioned, reuse: true }
      const copy = await me.post('/v1/transcript?chunkSize=200', again, wait)
      expect([copy.status, copy.headers.get('x-reused-job')]).to.deep.equal([200, jobId])
      const { chunks, ...result } = copy.body.resultJson ?? {}
      expect(result).to.deep.equal(first.body.resultJson)
      expect(chunks?.map(({ text }) => text).join(' ')).to.equal(first.body.resultJson?.text)
      const details = await me.get(`/v1/jobs/${copy.body.jobId}`)
      expect(JSON.parse(details.text)).to.deep.include({ reused: jobId, credits: { held: 0, charged: 0 } })
      expect(await me.credits()).to.equal(49)
      const theirs = await other.post('/v1/transcript?format=srt', again, wait)
      expect([theirs.status, theirs.headers.get('x-reused-job')]).to.deep.equal([200, null])
      expect(theirs.text).to.match(/^1\n00:00:00,000 --> /)
      expect(await other.credits()).to.equal(49)
      expect((await me.delete(`/v1/jobs/${jobId}/content`)).status).to.equal(200)
      expect((await me.post('/v1/transcript', again, wait)).headers.get('x-reused-job')).to.equal(null)
      expect(await me.credits()).to.equal(48)
    })

    it('answers 304 to its own ETag, and a new one once it has ended', async () => {
      const me = await setting.client()
      const jobId = await me.enqueue({ url: at('/held.mp4?etag'), mode: 'generate' })
      const queued = await me.get(`/v1/transcript/${jobId}`)
      seen.resolve()
      const ended = await me.ended(jobId)
      const [tag, oldTag] = [ended.headers.get('etag') ?? '', queued.headers.get('etag') ?? '']
      expect(tag).to.not.equal(oldTag)
      // If a request has a condition, fetch adds Cache-Control: no-cache, unless the request sets its own.
      const ask = (condition: string) =>
        me.get(`/v1/transcript/${jobId}`, { 'if-none-match': condition, 'cache-control': 'max-age=0' })
      const unchanged = await Promise.all([tag, `W/${tag}`, `"x", ${tag}`, '*'].map(ask))
      expect(unchanged.map(({ status, text }) => [status, text])).to.deep.equal(Array(4).fill([304, '']))
      expect((await ask(oldTag)).text).to.equal(ended.text)
      const answers = [queued, ended, ...unchanged]
      expect(new Set(answers.map(({ headers }) => headers.get('cache-control')))).to.deep.equal(
        new Set(['private, no-cache']),
      )
    })
  })

  describe('posted again under an Idempotency-Key', () => {
    const under = (key: string) => ({ 'idempotency-key': key })

    it('is one job and one debit, also when many posts come at once and after its end', async () => {
      const me = await setting.client()
      const answers = await Promise.all(Array.from({ length: 12 }, () => me.transcript(captioned, under('order 1'))))
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).to.equal(1)
      const { body, text } = answers[0] ?? (await me.transcript(captioned, under('order 1')))
      await me.ended(body.jobId ?? '')
      const late = await me.transcript({ ...captioned, lang: undefined } as never, under('order 1'))
      expect([late.status, late.text]).to.deep.equal([202, text])
      expect(await me.credits()).to.equal(49)
    })

    it('is 409 with another body, before its end and after', async () => {
      const me = await setting.client()
      const jobId = await me.enqueue(captioned, under('order 2'))
      const other = () => me.transcript({ ...captioned, lang: 'en' }, under('order 2'))
      const early = await other()
      await me.ended(jobId)
      // The jobs of earlier tests may still be at work.
      await setting.rest()
      const before = await (await setting.backDoor()).end()
      const late = await other()
      for (const { status, body } of [early, late]) {
        expect(status).to.equal(409)
        expect(body).to.include({ error: 'idempotency_conflict' })
      }
      expect(await (await setting.backDoor()).end()).to.equal(before)
      expect(await me.credits()).to.equal(49)
    })

    it('with two different bodies at once, one is accepted', async () => {
      const me = await setting.client()
      const langs = ['en', 'de', 'en', 'de', 'en', 'de']
      const answers = await Promise.all(langs.map((lang) => me.transcript({ ...captioned, lang }, under('order 3'))))
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([202, 202, 202, 409, 409, 409])
      expect(new Set(answers.flatMap(({ body }) => body.jobId ?? [])).size).to.equal(1)
      await me.ended(answers.find(({ status }) => status === 202)?.body.jobId ?? '')
      expect(await me.credits()).to.equal(49)
    })

    it('is another job for another organization, and without the key', async () => {
      const [me, other] = await Promise.all([setting.client(), setting.client()])
      const nothing = { url: at('/nothing.mp4'), mode: 'native' }
      const ids = [
        await me.enqueue(nothing, under('order 4')),
        await other.enqueue(nothing, under('order 4')),
        await me.enqueue(nothing, under('order 5')),
        await me.enqueue(nothing),
      ]
      expect(new Set(ids).size).to.equal(4)
    })

    it('is 400 if the key is too long, empty or not printable', async () => {
      const me = await setting.client()
      for (const key of ['x'.repeat(256), '', 'schlüssel'])
        expect((await me.transcript(captioned, under(key))).body).to.include({ error: 'invalid_request' })
      expect(await me.credits()).to.equal(50)
    })
  })

  it('add up', () => assertAddsUp(setting))
})

describe('jobs past their window', function () {
  this.timeout(120_000)
  const hang = (_: unknown, response: ServerResponse) =>
    void response.writeHead(200, { 'content-length': 1e6 }).write('x')
  const setting = openedForAll(() =>
    Setting.start({
      media: ['speech.mp4', 'captioned.mp4'],
      files: { '/hang.mp4': hang },
      speech: { hang: true },
      env: { JOB_WINDOW_SECONDS: '12', FETCH_SLOTS: '4' },
    }),
  )

  it('end with 504 and a full refund, whichever step hangs', async () => {
    const me = await setting.client()
    const jobIds = [
      await me.enqueue({ url: at('/hang.mp4'), mode: 'native' }),
      await me.enqueue({ url: at('/speech.mp4'), mode: 'generate' }),
    ]
    expect(await me.credits()).to.equal(44)
    const ends = await Promise.all(jobIds.map((jobId) => me.ended(jobId)))
    for (const [i, { status, body, text }] of ends.entries()) {
      const jobId = jobIds[i]
      expect(status).to.equal(504)
      expect(body).to.include({ error: 'timeout', details: null, resultJson: null })
      expect(body).to.include({ jobId, status: 'failed' })
      expect(body.message).to.be.a('string').and.not.equal('')
      const again = await me.get(`/v1/transcript/${jobId}`, { 'if-none-match': '"failed"' })
      expect([again.status, again.text]).to.deep.equal([504, text])
    }
    expect(await me.credits()).to.equal(50)
    const { body } = await me.run({ url: at('/captioned.mp4'), mode: 'native' })
    expect(body.status, 'the slots are free again').to.equal('completed')
  })

  /** Posts a job until its answer has another status than this. */
  const answered = (what: string, me: Client, request: typeof captioned, refusal: number) => {
    const post = async () => {
      const answer = await me.transcript(request)
      return answer.status !== refusal && answer
    }
    return until(what, post, { everyMs: 500 })
  }

  it('in a flood are refused with 503 before they time out, and do not affect other customers', async () => {
    const [flood, other] = await Promise.all([setting.client({ credits: 4 }), setting.client()])
    const hang = { url: at('/hang.mp4'), mode: 'native' }
    const jobIds = await Promise.all([1, 2, 3, 4].map(() => flood.enqueue(hang)))
    // Admission control comes before credits, and there are none left: these posts add nothing to the flood.
    const refused = await answered('the flood is refused', flood, hang, 403)
    expect([refused.status, refused.body.error]).to.deep.equal([503, 'unavailable'])
    expect(Number(refused.headers.get('retry-after'))).to.be.at.least(1)
    expect((await other.run({ url: at('/captioned.mp4'), mode: 'native' })).body.status).to.equal('completed')
    for (const { status } of await Promise.all(jobIds.map((jobId) => flood.ended(jobId)))) expect(status).to.equal(504)
    expect(await flood.credits()).to.equal(4)
    const again = await answered('it is accepted again', flood, captioned, 503)
    expect((await flood.ended(again.body.jobId ?? '')).body.status).to.equal('completed')
  })

  it('add up', () => assertAddsUp(setting))
})

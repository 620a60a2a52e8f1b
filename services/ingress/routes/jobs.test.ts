import { expect } from 'chai'
import type { ListedJob } from '#contracts/generated/http.ts'
import { TOOL_SERVER } from '#packages/jobs/acceptance/surface.ts'
import { assertRefused, eachIngressInTime } from '#test/doubles/ingress/each-ingress.ts'
import { endJob } from '#test/doubles/ingress/ended-job.ts'
import { settle } from '#test/doubles/manual-clock.ts'

const url = 'https://cdn.example.com/film.mp4'
const segments = [{ start: 0, end: 2, text: 'Welcome <home>.' }]

describe('the list of jobs', () => {
  const { ingress, acme, clock } = eachIngressInTime('pro')

  /** Posts a job, a second after the one before it. */
  async function post(headers: Record<string, string> = {}, body: object = { url, mode: 'native' }): Promise<string> {
    await clock.advance(1000)
    const { body: accepted } = await acme.post('/v1/transcript', body, { headers })
    await settle()
    return accepted.jobId
  }
  const end = async (jobId: string, how: Parameters<typeof endJob>[2]): Promise<void> => {
    await endJob(ingress, jobId, how)
    await settle()
  }
  const list = async (query = ''): Promise<{ jobs: ListedJob[]; nextCursor: string | null }> =>
    (await acme.get(`/v1/jobs${query}`)).body
  const ids = async (query = ''): Promise<string[]> => (await list(query)).jobs.map(({ jobId }) => jobId)

  it('has the newest first, with what is known of each', async () => {
    const startedAt = clock.now()
    const thumbnail = 'https://cdn.example.com/film.jpg'
    const [one, two, three] = [await post(), await post(), await post()]
    await end(one, { segments, seconds: 2.5, title: 'A film', author: 'Somebody', thumbnail })
    await end(two, { code: 'no_speech' })
    const { jobs, nextCursor } = await list()
    const at = (seconds: number): string => new Date(startedAt + seconds * 1000).toISOString()
    const unknownVideo = { title: null, author: null, thumbnail: null, durationSeconds: null, language: null }
    const unknown = { ...unknownVideo, errorCode: null, errorMessage: null, creditsCharged: null }
    const asked = { keyId: acme.keyId, surface: 'api' } as const
    const row = {
      kind: 'transcript',
      url,
      mode: 'native',
      platform: 'direct',
      domain: 'example.com',
      ...asked,
      ...unknown,
    } as const
    const ended = { endedAt: at(3), creditsCharged: 0 }
    const about = { title: 'A film', author: 'Somebody', thumbnail, durationSeconds: 2.5 }
    const good = { ...ended, ...about, creditsCharged: 1, language: 'en' }
    expect(jobs).to.deep.equal([
      { ...row, jobId: three, status: 'queued', createdAt: at(3), endedAt: null },
      {
        ...row,
        jobId: two,
        status: 'failed',
        createdAt: at(2),
        ...ended,
        errorCode: 'no_speech',
        errorMessage: 'It failed.',
      },
      { ...row, jobId: one, status: 'completed', createdAt: at(1), ...good },
    ])
    expect(nextCursor).to.equal(null)
  })

  it('lists a job as ended only once it is settled', async () => {
    const jobId = await post()
    const { ledgers } = ingress
    const execute = ledgers.execute.bind(ledgers)
    ledgers.execute = () => Promise.reject(new Error('not now'))
    await end(jobId, { segments }).catch(() => undefined)
    await settle()
    const unseen = { endedAt: null, language: null, errorCode: null, creditsCharged: null }
    expect((await list()).jobs[0]).to.include({ status: 'queued', ...unseen })
    expect(await ids('?status=completed')).to.deep.equal([])
    ledgers.execute = execute
    const [first] = await ingress.memory.read(`job-${jobId}`)
    if (first === undefined) throw new Error('there is no job')
    const command = { type: 'settle', jobId, charged: 1, reason: 'test' } as const
    await ledgers.execute(acme.orgId, { command, metadata: first.metadata })
    await settle()
    expect(await ids('?status=completed')).to.deep.equal([jobId])
  })

  it('is filtered by kind, status and idempotency key, also by all of them', async () => {
    const one = await post({ 'idempotency-key': 'first call' })
    const two = await post({ 'idempotency-key': 'second call' })
    const three = await post()
    await end(one, { segments })
    expect(await ids('?status=queued')).to.deep.equal([three, two])
    expect(await ids('?kind=transcript')).to.deep.equal([three, two, one])
    expect(await ids('?kind=extraction')).to.deep.equal([])
    expect(await ids('?idempotencyKey=first%20call')).to.deep.equal([one])
    expect(await ids('?idempotencyKey=first+call&status=completed&kind=transcript')).to.deep.equal([one])
    expect(await ids('?idempotencyKey=first%20call&status=failed')).to.deep.equal([])
    expect(await ids('?idempotencyKey=unknown')).to.deep.equal([])
  })

  it('is filtered by platform, domain and API key, also by several, with an idempotency key too', async () => {
    const spare = (await acme.post('/v1/keys', { name: 'spare' })).body
    const by = async (key: string, body: object, headers: Record<string, string> = {}): Promise<string> => {
      await clock.advance(1000)
      const { body: accepted } = await acme.post('/v1/transcript', { mode: 'native', ...body }, { key, headers })
      return accepted.jobId
    }
    const youtube = { url: 'https://www.youtube.com/watch?v=dQw4w9WgXcQ' }
    const [one, two, three] = [await by(acme.key, youtube), await by(spare.key, youtube), await by(spare.key, { url })]
    const four = await by(spare.key, youtube, { 'idempotency-key': 'k' })
    await settle()
    expect(await ids('?platform=youtube')).to.deep.equal([four, two, one])
    expect(await ids('?platform=direct')).to.deep.equal([three])
    expect(await ids('?domain=YouTube.com')).to.deep.equal([four, two, one])
    expect(await ids(`?domain=youtube.com&keyId=${acme.keyId}`)).to.deep.equal([one])
    expect(await ids('?domain=cdn.example.com'), 'a host is no registrable domain').to.deep.equal([])
    expect(await ids(`?keyId=${acme.keyId}`)).to.deep.equal([one])
    expect(await ids(`?keyId=${spare.id}&platform=youtube&status=queued`)).to.deep.equal([four, two])
    expect(await ids(`?keyId=${spare.id}&idempotencyKey=k`)).to.deep.equal([four])
    expect(await ids(`?keyId=${acme.keyId}&idempotencyKey=k`)).to.deep.equal([])
    expect(await ids('?keyId=unknown')).to.deep.equal([])
  })

  it('is filtered by surface, also with a key; a repeat by another surface is the job of the first', async () => {
    const byTools = { 'user-agent': TOOL_SERVER }
    const called = await post({ ...byTools, 'idempotency-key': 'k' })
    const programmed = await post({ 'user-agent': `${TOOL_SERVER}/1.0` })
    expect(await post({ 'idempotency-key': 'k' })).to.equal(called)
    expect(await ids('?surface=mcp')).to.deep.equal([called])
    expect(await ids('?surface=api')).to.deep.equal([programmed])
    expect(await ids(`?surface=mcp&keyId=${acme.keyId}&status=queued`)).to.deep.equal([called])
    expect(await ids('?surface=api&idempotencyKey=k')).to.deep.equal([])
    expect(await ids('?surface=dashboard')).to.deep.equal([])
  })

  it('is filtered by time, also in pages', async () => {
    const startedAt = clock.now()
    const posted = [await post(), await post(), await post(), await post(), await post()]
    const at = (seconds: number): string => new Date(startedAt + seconds * 1000).toISOString()
    expect(await ids(`?createdAfter=${at(3)}`)).to.deep.equal([posted[4], posted[3]])
    expect(await ids(`?createdBefore=${at(3)}`)).to.deep.equal([posted[1], posted[0]])
    const between = `createdAfter=${at(1)}&createdBefore=${at(5)}`
    const first = await list(`?${between}&limit=2`)
    expect(first.jobs.map(({ jobId }) => jobId)).to.deep.equal([posted[3], posted[2]])
    const second = await list(`?${between}&limit=2&cursor=${first.nextCursor}`)
    expect(second.jobs.map(({ jobId }) => jobId)).to.deep.equal([posted[1]])
    expect(second.nextCursor).to.equal(null)
    expect(await ids('?createdBefore=2027-01-01T00:00:00%2B14:00')).to.have.length(5)
  })

  it('continues where a page ended, even if new jobs arrive in the meantime', async () => {
    const posted = [await post(), await post(), await post(), await post(), await post()].reverse()
    const first = await list('?limit=2')
    await post()
    const second = await list(`?limit=2&cursor=${first.nextCursor}`)
    const third = await list(`?limit=2&cursor=${second.nextCursor}`)
    expect([first, second, third].flatMap(({ jobs }) => jobs.map(({ jobId }) => jobId))).to.deep.equal(posted)
    expect(third.nextCursor).to.equal(null)
  })

  it('never has a job of another organization, not even under the same idempotency key', async () => {
    const other = await ingress.org()
    await post({ 'idempotency-key': 'k' })
    expect((await other.get('/v1/jobs')).body).to.deep.equal({ jobs: [], nextCursor: null })
    expect((await other.get('/v1/jobs?idempotencyKey=k')).body.jobs).to.deep.equal([])
  })

  it('refuses invalid parameters by name', async () => {
    await assertRefused(acme, '/v1/jobs', {
      kind: ['?kind=film', '?kind=transcript&kind=transcript'],
      status: ['?status=running'],
      surface: ['?surface=phone'],
      limit: ['?limit=0', '?limit=101'],
      idempotencyKey: ['?idempotencyKey=', '?idempotencyKey=%C3%BC'],
      cursor: ['?cursor=x', '?cursor=MSAx'],
      platform: ['?platform=myspace'],
      keyId: ['?keyId='],
      createdAfter: ['?createdAfter=yesterday', '?createdAfter=2026-11-21'],
      createdBefore: ['?createdBefore=2026-02-30T00:00:00Z'],
    })
    expect((await acme.get('/v1/jobs?unknown=1&limit=100')).status).to.equal(200)
  })

  it('counts in the light tier', async () => {
    expect((await acme.get('/v1/jobs')).headers.get('x-ratelimit-limit')).to.equal('120')
  })

  describe('a poll that asks for captions', () => {
    const poll = (jobId: string, accept: string, more: Record<string, string> = {}) =>
      acme.get(`/v1/transcript/${jobId}`, { headers: { accept, ...more } })

    it('gets a completed transcript in that form, with a tag of its own', async () => {
      const jobId = await post()
      await end(jobId, { segments })
      const json = await poll(jobId, 'application/json')
      for (const [accept, text] of [
        ['text/vtt', 'WEBVTT\n\n00:00:00.000 --> 00:00:02.000\nWelcome &lt;home&gt;.\n'],
        ['application/x-subrip', '1\n00:00:00,000 --> 00:00:02,000\nWelcome <\u200bhome>.\n'],
        ['text/plain', 'Welcome <home>.\n'],
      ] as const) {
        const answer = await poll(jobId, accept)
        expect([answer.status, answer.text]).to.deep.equal([200, text])
        expect(answer.headers.get('content-type')).to.equal(`${accept}; charset=utf-8`)
        expect(answer.headers.get('vary')).to.equal('Accept')
        const etag = answer.headers.get('etag') ?? ''
        expect(etag)
          .to.match(/^"[!#-~]+"$/)
          .and.not.equal(json.headers.get('etag'))
        expect((await poll(jobId, accept, { 'if-none-match': etag })).status).to.equal(304)
        expect((await poll(jobId, 'application/json', { 'if-none-match': etag })).status).to.equal(200)
      }
      expect(json.headers.get('vary')).to.equal('Accept')
    })

    it('gets JSON while the job runs, if it failed, and if there is no such job', async () => {
      const jobId = await post()
      expect((await poll(jobId, 'text/vtt')).body.status).to.equal('queued')
      await end(jobId, { code: 'no_speech' })
      expect((await poll(jobId, 'text/vtt')).body.error.code).to.equal('no_speech')
      expect((await poll(crypto.randomUUID(), 'text/vtt')).body.error).to.equal('not_found')
    })
  })
})

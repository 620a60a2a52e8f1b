import { expect } from 'chai'
import { jobFailed, results, stepStarted } from '#packages/domain/job/job.fixture.ts'
import { streams } from '#packages/ports/ids.ts'
import { appendToJob, endJob } from '#test/doubles/ingress/ended-job.ts'
import { type Setting, type StartedIngress, startIngress } from '#test/doubles/ingress/started-ingress.ts'
import { ManualClock, settle } from '#test/doubles/manual-clock.ts'
import { EventSourceReader } from '#test/doubles/service/event-source-reader.ts'
import { until } from '#test/doubles/service/until.ts'

const url = 'https://cdn.example.com/film.mp4'
const segments = [{ start: 0, end: 2, text: 'Welcome.' }]

describe('the events of a job', () => {
  let clock: ManualClock
  let ingress: StartedIngress
  let acme: Awaited<ReturnType<StartedIngress['org']>>
  let jobId: string
  let path: string
  const readers: EventSourceReader[] = []

  const start = async (setting: Omit<Setting, 'clock'> = {}): Promise<void> => {
    await ingress?.[Symbol.asyncDispose]()
    clock = new ManualClock()
    ingress = await startIngress({ clock, ...setting })
    acme = await ingress.org('pro')
    jobId = (await acme.post('/v1/transcript', { url, mode: 'auto' })).body.jobId
    path = `/v1/jobs/${jobId}/events`
    await settle()
  }
  beforeEach(() => start())
  afterEach(async () => {
    for (const reader of readers.splice(0)) reader.close()
    await ingress[Symbol.asyncDispose]()
  })

  const accept = 'text/event-stream'
  const open = async (more: Record<string, string> = {}, at = path, key = acme.key): Promise<EventSourceReader> => {
    const reader = await EventSourceReader.open(ingress.base + at, { accept, 'x-api-key': key, ...more })
    readers.push(reader)
    return reader
  }

  /** Advances time until the reader has received the expected events. */
  const passUntil = (what: string, isThere: () => boolean): Promise<true> =>
    until(what, async () => {
      if (isThere()) return true
      await clock.advance(500)
      return false
    })
  const got = async (reader: EventSourceReader, last = 'accepted') => {
    await passUntil(`${last} comes`, () => reader.events.at(-1)?.event === last)
    return reader
  }

  it('are listed as JSON, from the beginning or after one of them', async () => {
    await appendToJob(ingress, jobId, stepStarted())
    const { status, body, headers } = await acme.get(path)
    expect(status).to.equal(200)
    expect(body.events.map(({ type }: { type: string }) => type)).to.deep.equal(['accepted', 'step_started'])
    expect(body.ended).to.equal(false)
    expect(headers.get('vary')).to.equal('Accept')
    expect(headers.get('x-trace-id')).to.match(/^[0-9a-f]{32}$/)
    const [first, second] = body.events
    const following = async (query: string, more: Record<string, string> = {}) =>
      (await acme.get(`${path}${query}`, { headers: more })).body.events
    expect(await following(`?after=${first.id}`)).to.deep.equal([second])
    expect(await following('?after=0', { 'last-event-id': `${first.id}` })).to.deep.equal([second])
    expect(await following(`?after=${first.id}`, { 'last-event-id': 'x' })).to.deep.equal([second])
    expect((await acme.get(`${path}?after=-1`)).body.details[0].path).to.equal('after')
  })

  it('come live, each with its id, and then `end`, when the result can be polled', async () => {
    const reader = await open()
    expect(reader.status).to.equal(200)
    expect(reader.headers.get('content-type')).to.equal('text/event-stream; charset=utf-8')
    expect(reader.headers.get('cache-control')).to.equal('no-store, no-transform')
    expect(reader.headers.get('x-accel-buffering')).to.equal('no')
    expect(reader.headers.get('x-trace-id')).to.match(/^[0-9a-f]{32}$/)
    await got(reader, 'accepted')
    await appendToJob(ingress, jobId, stepStarted())
    await got(reader, 'step_started')
    await appendToJob(ingress, jobId, results.fetched)
    await got(reader, 'step_completed')
    await endJob(ingress, jobId, { segments })
    await got(reader, 'end')
    expect((await acme.get(`/v1/transcript/${jobId}`)).body.status).to.equal('completed')
    expect(reader.events.map(({ event }) => event)).to.deep.equal([
      'accepted',
      'step_started',
      'video_found',
      'step_completed',
      'captions_found',
      'completed',
      'credits_settled',
      'end',
    ])
    await until('the stream is over', () => reader.isOver)
    const listed = (await acme.get(path)).body
    expect(listed.ended).to.equal(true)
    expect(reader.events.slice(0, -1).map(({ data }) => data)).to.deep.equal(listed.events)
    const ids = listed.events.map(({ id }: { id: number }) => `${id}`)
    expect(reader.events.slice(0, -1).map(({ id }) => id)).to.deep.equal(ids)
  })

  it('end with the removal of their job', async () => {
    await appendToJob(ingress, jobId, stepStarted())
    const reader = await got(await open(), 'step_started')
    const [first] = await ingress.memory.read(streams.job(jobId))
    if (first === undefined) throw new Error('there is no job')
    const data = { reason: 'forgotten', streams: [first.stream] as [string] } as const
    const removed = { type: 'StreamsRemoved', data, id: crypto.randomUUID(), metadata: first.metadata } as const
    await ingress.memory.append(streams.removal(jobId), 'no-stream', [removed])
    await ingress.memory.remove(first.stream)
    await got(reader, 'end')
    await until('the stream is over', () => reader.isOver)
    expect(reader.events.map(({ event }) => event)).to.deep.equal(['accepted', 'step_started', 'end'])
  })

  it('resume after Last-Event-ID, which takes precedence over `after`', async () => {
    await appendToJob(ingress, jobId, stepStarted())
    const { events } = (await acme.get(path)).body
    const again = await open({ 'last-event-id': `${events[0].id}` }, `${path}?after=${events[1].id}`)
    await got(again, 'step_started')
    expect(again.events).to.have.length(1)
    await endJob(ingress, jobId, { code: 'no_speech' })
    await settle()
    const { events: all } = (await acme.get(path)).body
    const ended = await open({ 'last-event-id': `${all.at(-1).id}` })
    await until('the stream is over', () => ended.isOver)
    expect(ended.events.map(({ event, id }) => [event, id])).to.deep.equal([['end', undefined]])
  })

  it('are held back at their end until the job is settled', async () => {
    const reader = await open()
    const { data } = await appendToJob(ingress, jobId)
    await appendToJob(ingress, jobId, jobFailed({ orgId: data.orgId, kind: data.kind, code: 'no_speech' }))
    await got(reader, 'accepted')
    await clock.advance(5000)
    expect(reader.events.map(({ event }) => event)).to.deep.equal(['accepted'])
    expect((await acme.get(path)).body.ended).to.equal(false)
    // After half a minute the end is shown anyway, as polls show it.
    await clock.advance(30_000)
    await got(reader, 'end')
    expect(reader.events.map(({ event }) => event)).to.deep.equal(['accepted', 'failed', 'end'])
  })

  it('send a heartbeat every 15 seconds while nothing happens', async () => {
    const reader = await got(await open())
    await clock.advance(14_000)
    expect(reader.comments).to.deep.equal([])
    await passUntil('a beat comes', () => reader.comments.length > 0)
    expect(reader.comments[0]).to.equal('beat')
  })

  it('come as JSON to a caller that prefers it, accepts anything, or wants only the headers', async () => {
    for (const accept of ['*/*', 'application/json', 'application/json, text/event-stream;q=0.5', 'text/html'])
      expect((await acme.get(path, { headers: { accept } })).headers.get('content-type')).to.match(/^application\/json/)
    const head = await open({}, `${path}?`, acme.key)
    head.close()
    const headers = { 'x-api-key': acme.key, accept }
    const answer = await fetch(ingress.base + path, { method: 'HEAD', headers })
    expect([answer.status, await answer.text()]).to.deep.equal([200, ''])
  })

  it('end for a revoked key', async () => {
    const { id, key } = (await acme.post('/v1/keys', { name: 'a stream' })).body
    const reader = await got(await open({}, path, key))
    await acme.remove(`/v1/keys/${id}`)
    await passUntil('the stream is over', () => reader.isOver)
    expect(reader.events.map(({ event }) => event)).to.deep.equal(['accepted'])
    expect((await open({}, path, key)).status).to.equal(401)
  })

  it('end when the service stops, without `end`: the reader reconnects elsewhere', async () => {
    // If closing waited for the streams, the test would time out.
    await start({ server: { drainMs: 300_000 } })
    const opened = [await got(await open()), await got(await open())]
    await ingress.close()
    await until('the streams are over', () => opened.every(({ isOver }) => isOver))
    for (const { events } of opened) expect(events.map(({ event }) => event)).to.deep.equal(['accepted'])
  })

  it('are logged when their stream is over, and free its place', async () => {
    await start({ options: { maxLastingAnswers: { perKey: 1, perOrganization: 2, inAll: 3 } } })
    const reader = await open()
    expect((await open()).status).to.equal(429)
    expect((await acme.get(path)).status).to.equal(200)
    reader.close()
    const noted = () =>
      ingress.lines.filter(({ route, status }) => route === '/v1/jobs/{jobId}/events' && status === 200)
    await until('both requests are noted', () => noted().length === 2)
    expect((await open()).status).to.equal(200)
  })

  it('have a limit for all organizations together, and are 503 beyond it', async () => {
    await start({ options: { maxLastingAnswers: { perKey: 5, perOrganization: 5, inAll: 2 } } })
    for (let n = 0; n < 2; n++) expect((await open()).status).to.equal(200)
    const refused = await open()
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '1'])
  })

  it('break off without an answer of their own if the store fails, and can be reopened', async () => {
    const reader = await got(await open())
    ingress.store.beforeRead = () => Promise.reject(new Error('no answer'))
    await passUntil('the stream is over', () => reader.isOver)
    expect(reader.events.map(({ event }) => event)).to.deep.equal(['accepted'])
    ingress.store.beforeRead = async () => {}
    const again = await open({ 'last-event-id': reader.events[0]?.id ?? '' })
    expect(again.status).to.equal(200)
  })

  it('of a job with a removed history are over a minute after its deadline', async () => {
    const reader = await got(await open())
    await ingress.memory.remove(streams.job(jobId))
    await clock.jump(180_000)
    expect(reader.isOver).to.equal(false)
    await clock.jump(60_000)
    await passUntil('the stream is over', () => reader.isOver)
    expect((await acme.get(path)).status).to.equal(404)
  })
})

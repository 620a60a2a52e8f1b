import { expect } from 'chai'
import type { DomainEvent } from '#packages/event-sourcing/event.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { traceIdOf } from '#packages/telemetry/traceparent.ts'
import { appendToJob, endJob, eventsOf, type JobEnd, settleJob } from '#test/doubles/ingress/ended-job.ts'
import { type StartedIngress, startIngress } from '#test/doubles/ingress/started-ingress.ts'
import { ManualClock, settle } from '#test/doubles/manual-clock.ts'

const url = 'https://cdn.example.com/film.mp4'
const segments = [{ start: 0, end: 2, text: 'Welcome.' }]
const result = { text: 'Welcome.', segments, language: 'en', source: 'captions', availableLanguages: null }

describe('polling a job', () => {
  let clock: ManualClock
  let ingress: StartedIngress
  let acme: Awaited<ReturnType<StartedIngress['org']>>
  let jobId: string
  let path: string

  /** Ends the job. Its credits are not settled. */
  const end = (how: JobEnd) => appendToJob(ingress, jobId, ...eventsOf(how, acme.orgId, 'transcript'))
  const complete = () => end({ segments })
  const settleCredits = () => settleJob(ingress, jobId, 1)
  const finish = async (how: JobEnd = { segments }) => {
    await endJob(ingress, jobId, how)
    await settle()
  }
  const poll = (headers: Record<string, string> = {}) => acme.get(path, { headers })

  const start = async (projected: boolean, followsLedgers = false): Promise<void> => {
    clock = new ManualClock()
    ingress = await startIngress({ clock, projected, followsLedgers })
    acme = await ingress.org()
    jobId = (await acme.post('/v1/transcript', { url, mode: 'native' })).body.jobId
    path = `/v1/transcript/${jobId}`
    await settle()
  }
  afterEach(() => ingress[Symbol.asyncDispose]())

  describe('with views that keep up', () => {
    beforeEach(() => start(true))

    it('shows queued until the credits are settled, and then the transcript', async () => {
      const queued = { jobId, status: 'queued', resultJson: null, error: null }
      expect((await poll()).body).to.deep.equal(queued)
      await complete()
      await settle()
      expect((await poll()).body).to.deep.equal(queued)
      await settleCredits()
      await settle()
      expect((await poll()).body).to.deep.equal({ jobId, status: 'completed', resultJson: result, error: null })
    })

    it('shows an end 30 seconds after it, even though its settlement is missing', async () => {
      await complete()
      await clock.advance(29_999)
      expect((await poll()).body.status).to.equal('queued')
      await clock.advance(1)
      expect((await poll()).body.status).to.equal('completed')
    })

    it('says why a job failed, with status 200', async () => {
      await finish({ code: 'captions_unavailable' })
      const { status, body } = await poll()
      const error = { code: 'captions_unavailable', message: 'It failed.' }
      expect([status, body]).to.deep.equal([200, { jobId, status: 'failed', resultJson: null, error }])
    })

    it('answers a timeout with 504: the Error object, with the status that a polling loop looks for', async () => {
      await finish({ code: 'timeout' })
      const { status, body } = await poll()
      expect(status).to.equal(504)
      const more = { jobId, status: 'failed', resultJson: null }
      expect(body).to.deep.equal({
        error: 'timeout',
        message: 'It failed.',
        details: null,
        documentationUrl: `${ingress.base}/docs/errors#timeout`,
        ...more,
      })
      expect((await poll({ 'if-none-match': '*' })).status).to.equal(504)
    })

    it("answers 304 to the tag of the caller's copy, and 200 after a change", async () => {
      const etag = (await poll()).headers.get('etag') ?? ''
      const same = await poll({ 'if-none-match': `"other", W/${etag}` })
      expect([same.status, same.text, same.headers.get('etag')]).to.deep.equal([304, '', etag])
      await finish()
      expect((await poll({ 'if-none-match': etag })).body.status).to.equal('completed')
    })

    it('is the same 404, byte for byte, for an unknown job, a foreign job and an invalid id', async () => {
      const stranger = await ingress.org()
      const answers = [
        await stranger.get(path),
        await acme.get('/v1/transcript/0190a0a0-0000-7000-8000-000000000000'),
        await acme.get('/v1/transcript/..%2f..%2fetc'),
        await acme.get(`/v1/transcript/${jobId.toUpperCase()}`),
        await stranger.get(path, { headers: { prefer: 'wait=5' } }),
      ]
      expect(answers.map(({ status }) => status)).to.deep.equal([404, 404, 404, 404, 404])
      expect(new Set(answers.map(({ text }) => text)).size).to.equal(1)
      expect(answers.filter(({ headers }) => headers.has('x-trace-id'))).to.deep.equal([])
    })

    it('stays that 404 for another organization after the owner has seen the end', async () => {
      const stranger = await ingress.org()
      const before = await stranger.get(path)
      await finish()
      expect([(await poll()).status, (await poll()).body.status]).to.deep.equal([200, 'completed'])
      const after = await stranger.get(path)
      expect([after.status, after.text]).to.deep.equal([404, before.text])
    })

    it('is the same 404 for a job of another kind', async () => {
      const extraction = {
        ...((await ingress.memory.read(streams.job(jobId)))[0] as StoredEvent<DomainEvent<'JobRequested'>>),
      }
      const data = { ...extraction.data, kind: 'extraction', mode: null, prompt: 'x' } as const
      const other = '0190a0a0-0000-7000-8000-000000000001'
      const event = { type: 'JobRequested', data, id: crypto.randomUUID(), metadata: extraction.metadata } as const
      await ingress.memory.append(streams.job(other), 'no-stream', [event])
      const before = await acme.get(`/v1/transcript/${other}`)
      await clock.advance(11_000)
      expect([before.status, (await acme.get(`/v1/transcript/${other}`)).status]).to.deep.equal([404, 404])
    })

    it('reads only the request again of events that the view has, because others may be large', async () => {
      await complete()
      await clock.advance(11_000)
      const read = ingress.memory.read.bind(ingress.memory)
      const found: string[] = []
      ingress.memory.read = async (stream, options) => {
        const events = await read(stream, options)
        if (stream === streams.job(jobId)) found.push(...events.map(({ type }) => type))
        return events
      }
      expect((await poll()).body.status).to.equal('queued')
      expect(found).to.deep.equal(['JobRequested'])
      await settleCredits()
      expect((await poll()).body.status).to.equal('completed')
    })

    it('is 404 once the job’s history was removed', async () => {
      await ingress.memory.remove(streams.job(jobId))
      await clock.advance(10_000)
      expect((await poll()).status).to.equal(404)
    })

    describe('that is removed', () => {
      const decideRemoval = async (): Promise<void> => {
        const [{ metadata }] = (await ingress.memory.read(streams.job(jobId))) as [StoredEvent]
        const data = { reason: 'forgotten' as const, streams: [streams.job(jobId)] as [string] }
        const removed = { type: 'StreamsRemoved', data, id: crypto.randomUUID(), metadata } as const
        await ingress.memory.append(streams.removal(jobId), 'no-stream', [removed])
        await settle()
      }

      it('is the 404 of an unknown job from then on, and in no list', async () => {
        await finish()
        await decideRemoval()
        const unknown = await acme.get('/v1/transcript/0190a0a0-0000-7000-8000-000000000000')
        const asked = async () => [
          await poll(),
          await poll({ prefer: 'wait=20' }),
          await acme.get(`/v1/jobs/${jobId}`),
          await acme.get(`/v1/jobs/${jobId}/events`),
        ]
        const early = await asked()
        await ingress.memory.remove(streams.job(jobId))
        for (const { status, text } of [...early, ...(await asked())])
          expect([status, text]).to.deep.equal([404, unknown.text])
        expect((await acme.get('/v1/jobs')).body.jobs).to.deep.equal([])
      })

      it('ends a wait for it with that 404', async () => {
        await complete()
        await settle()
        const waiting = poll({ prefer: 'wait=20' })
        while (ingress.store.reads.length === 0) await settle()
        await settle()
        await decideRemoval()
        expect((await waiting).status).to.equal(404)
      })
    })

    it('waits with Prefer until the job ends, and no longer', async () => {
      const answer = poll({ prefer: 'respond-async, wait=20' })
      await clock.advance(5000)
      await finish()
      expect((await answer).body.status).to.equal('completed')
    })

    it('waits with Prefer as long as requested, and then answers that the job is queued', async () => {
      let answered = false
      const { views } = ingress
      const wait = views.waitForChange.bind(views)
      let waits = false
      views.waitForChange = (...question) => {
        waits = true
        return wait(...question)
      }
      const answer = poll({ prefer: 'wait=2' }).finally(() => {
        answered = true
      })
      while (!waits) await settle()
      await clock.advance(1999)
      await settle()
      expect(answered).to.equal(false)
      await clock.advance(1)
      expect((await answer).body.status).to.equal('queued')
    })
  })

  describe('with views that stand still', () => {
    beforeEach(() => start(false))

    it('finds a job that no view has yet', async () => {
      expect((await poll()).body.status).to.equal('queued')
    })

    it('leaves the end to the view for 10 seconds, and then answers from the events', async () => {
      await finish()
      await clock.advance(9999)
      expect((await poll()).body.status).to.equal('queued')
      await clock.advance(1)
      expect((await poll()).body).to.deep.equal({ jobId, status: 'completed', resultJson: result, error: null })
    })

    it('still names the trace of the job', async () => {
      const [requested] = await ingress.memory.read(streams.job(jobId))
      const own = traceIdOf(requested?.metadata.traceparent ?? '')
      expect((await poll()).headers.get('x-trace-id')).to.equal(own)
      await end({ code: 'not_accepted' })
      await clock.advance(40_000)
      expect((await poll()).headers.get('x-trace-id')).to.equal(own)
    })

    it('reads from the ledger whether an ended job is settled', async () => {
      await complete()
      await clock.advance(15_000)
      expect((await poll()).body.status).to.equal('queued')
      await settleCredits()
      expect((await poll()).body.status).to.equal('completed')
    })

    it('looks at the events once a second for a poll that waits', async () => {
      await clock.advance(10_000)
      const answer = poll({ prefer: 'wait=30' })
      while (ingress.store.reads.at(-1) !== streams.job(jobId)) await settle()
      await finish()
      await clock.advance(1000)
      expect((await answer).body.status).to.equal('completed')
    })

    it('ends a wait when the server closes, so that nothing keeps it from stopping', async () => {
      const answer = poll({ prefer: 'wait=60' })
      while (ingress.store.reads.at(-1) !== streams.job(jobId)) await settle()
      await settle()
      const closing = ingress.close()
      expect((await answer).body.status).to.equal('queued')
      await closing
    })
  })

  describe('with views that stand still, and the settlements of the feed', () => {
    const completed = () => ({ jobId, status: 'completed', resultJson: result, error: null })
    beforeEach(() => start(false, true))

    it('shows the end to a poll that waits, as soon as it is settled', async () => {
      const waiting = poll({ prefer: 'wait=20' })
      while (ingress.store.reads.at(-1) !== streams.job(jobId)) await settle()
      await settle()
      await finish()
      expect((await waiting).body).to.deep.equal(completed())
    })

    it('shows it to later polls, and never an older answer afterwards', async () => {
      await complete()
      await settle()
      expect((await poll()).body.status).to.equal('queued')
      await settleCredits()
      await settle()
      expect((await poll()).body).to.deep.equal(completed())
      for (let n = 0; n < 3; n++) {
        // The poll waits until the answer expires, and then reads the events.
        await clock.advance(70_000)
        expect((await poll()).body).to.deep.equal(completed())
      }
    })

    it('is the 404 of an unknown job once it was removed', async () => {
      await finish()
      await ingress.memory.remove(streams.job(jobId))
      expect((await poll()).status).to.equal(404)
    })
  })

  describe('with views that are lost', () => {
    const completed = { jobId: '', status: 'completed', resultJson: result, error: null }
    beforeEach(async () => {
      await start(true)
      completed.jobId = jobId
      const before = ingress.documents.copy()
      await finish()
      // Another process may have shown the end by now.
      expect(await ingress.views.get('jobs', jobId)).to.include({ status: 'completed', settled: true })
      ingress.documents.putBack(before)
    })

    it('answers from the events at once, however young the job is, and other organizations with 404', async () => {
      const stranger = await ingress.org()
      expect((await poll()).body).to.deep.equal(completed)
      expect((await stranger.get(path)).status).to.equal(404)
    })

    it('answers lists with 503 until the views are whole again, which does not take long', async () => {
      ingress.documents.empty()
      for (const list of ['/v1/keys', '/v1/jobs']) {
        const { status, body, headers } = await acme.get(list)
        expect([status, body.error, headers.get('retry-after')]).to.deep.equal([503, 'unavailable', '1'])
        expect(body.message).to.contain('rebuilt')
      }
      await clock.advance(2000)
      expect((await acme.get('/v1/keys')).body).to.have.length(1)
      expect((await acme.get('/v1/jobs')).body.jobs).to.have.length(1)
      expect((await poll()).body).to.deep.equal(completed)
    })
  })

  const readable = (isReadable: boolean) => Object.assign(ingress.documents.state ?? {}, { isReadable })
  it('answers from the events for a while after the views are readable again: they may be behind', async () => {
    await start(false)
    readable(false)
    expect((await poll()).body.status).to.equal('queued')
    readable(true)
    await finish()
    expect((await poll()).body.status).to.equal('completed')
  })

  it('ends a wait while the views cannot be read', async () => {
    await start(false)
    readable(false)
    const answer = poll({ prefer: 'wait=5' })
    while (ingress.store.reads.at(-1) !== streams.job(jobId)) await settle()
    await finish()
    await clock.advance(1000)
    expect((await answer).body.status).to.equal('completed')
  })
})

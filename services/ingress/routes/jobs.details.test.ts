import { expect } from 'chai'
import { results, stepStarted } from '#packages/domain/job/job.fixture.ts'
import { streams } from '#packages/ports/ids.ts'
import { answerOf, eachIngressInTime } from '#test/doubles/ingress/each-ingress.ts'
import { appendToJob, endJob, settleJob } from '#test/doubles/ingress/ended-job.ts'
import type { Answer } from '#test/doubles/ingress/started-ingress.ts'
import { settle } from '#test/doubles/manual-clock.ts'

const url = 'https://cdn.example.com/film.mp4'
const segments = [{ start: 0, end: 2, text: 'Welcome.' }]

describe('a job by its id', () => {
  let jobId: string
  let path: string
  const { ingress, acme, clock } = eachIngressInTime('pro')
  beforeEach(async () => {
    jobId = (await acme.post('/v1/transcript', { url, mode: 'auto' })).body.jobId
    path = `/v1/jobs/${jobId}`
    await settle()
  })

  const typesOf = async () => (await ingress.memory.read(streams.job(jobId))).map(({ type }) => type)

  /** Settles the job as soon as it has ended, as the orchestrator does. */
  const settledWhenEnded = async (): Promise<void> => {
    while (!(await typesOf()).includes('JobFailed')) await settle()
    await settleJob(ingress, jobId, 0)
    await settle()
  }
  const answered = async (asked: Promise<Answer>): Promise<Answer> => {
    const [answer] = await Promise.all([asked, settledWhenEnded()])
    return answer
  }

  it('is shown with its current step, its credits and its trace, in the light tier', async () => {
    await appendToJob(ingress, jobId, stepStarted())
    const { status, body, headers } = await acme.get(path)
    expect([status, body.jobId, body.state, body.step, body.attempt]).to.deep.equal([200, jobId, 'working', 'fetch', 1])
    expect(body.credits).to.deep.equal({ held: 5, charged: null })
    expect(body.traceId).to.equal(headers.get('x-trace-id'))
    expect(headers.get('x-ratelimit-limit')).to.equal('120')
    expect(ingress.lines.at(-1)).to.include({ route: '/v1/jobs/{jobId}', jobId })
  })

  it('is shown with the progress of a step in this process', async () => {
    using attempt = ingress.attempts.begin(jobId)
    const speaking = stepStarted({ step: 'speech-to-text' })
    await appendToJob(ingress, jobId, stepStarted(), results.fetched, results.noCaptions, speaking)
    attempt.used.audioSeconds = 10
    expect((await acme.get(path)).body).to.include({ step: 'speech-to-text', progress: 0.8 })
  })

  it('shows its end exactly when a poll does: once it is settled', async () => {
    const { data } = await appendToJob(ingress, jobId)
    await appendToJob(ingress, jobId, results.captions, {
      type: 'JobCompleted',
      data: { orgId: data.orgId, kind: data.kind, credits: 1 },
    })
    await settle()
    expect((await acme.get(`/v1/transcript/${jobId}`)).body.status).to.equal('queued')
    expect((await acme.get(path)).body).to.include({ status: 'queued', state: 'settling' })
    await settleJob(ingress, jobId, 1)
    await settle()
    expect((await acme.get(`/v1/transcript/${jobId}`)).body.status).to.equal('completed')
    const { body } = await acme.get(path)
    expect(body).to.include({ status: 'completed', state: 'completed', language: 'en' })
    expect(body.credits).to.deep.equal({ held: 0, charged: 1 })
  })

  it('is cancelled by DELETE: failed, refunded, and its work here stopped', async () => {
    using attempt = ingress.attempts.begin(jobId)
    await appendToJob(ingress, jobId, stepStarted())
    const { status, body, headers } = await answered(acme.remove(path))
    expect([status, body.status, body.state]).to.deep.equal([200, 'failed', 'cancelled'])
    expect(body.error).to.include({ code: 'cancelled' })
    expect(body.credits).to.deep.equal({ held: 0, charged: 0 })
    expect(headers.get('x-ratelimit-limit')).to.equal('120')
    expect(attempt.signal.aborted).to.equal(true)
    expect(await acme.credits()).to.equal(2050)
    const polled = (await acme.get(`/v1/transcript/${jobId}`)).body
    expect([polled.status, polled.error.code]).to.deep.equal(['failed', 'cancelled'])
  })

  it('is cancelled once, by however many requests from wherever', async () => {
    const answers = await Promise.all([acme.remove(path), acme.remove(path), answered(acme.remove(path))])
    for (const { status, body } of answers) expect([status, body.state]).to.deep.equal([200, 'cancelled'])
    expect((await acme.remove(path)).body.state).to.equal('cancelled')
    expect(await typesOf()).to.deep.equal(['JobRequested', 'JobFailed'])
  })

  it('stays as it is if it has ended: DELETE shows how, and changes nothing', async () => {
    await endJob(ingress, jobId, { segments })
    await settle()
    const before = [await typesOf(), await acme.ledger()]
    expect(await answerOf(acme.remove(path), 'state')).to.deep.equal([200, 'completed'])
    expect([await typesOf(), await acme.ledger()]).to.deep.equal(before)
  })

  it('reports that it is settling if the orchestrator does not answer in time', async () => {
    const asked = acme.remove(path)
    while (!(await typesOf()).includes('JobFailed')) await settle()
    await clock.advance(3000)
    expect(await answerOf(asked, 'status', 'state')).to.deep.equal([200, 'queued', 'settling'])
  })

  it('is the same 404, byte for byte, for another organization and for an id that never existed', async () => {
    const other = await ingress.org()
    for (const method of ['GET', 'DELETE'])
      for (const end of ['', '/events']) {
        if (method === 'DELETE' && end !== '') continue
        const ask = (id: string) => ingress.call(method, `/v1/jobs/${id}${end}`, { key: other.key })
        const [theirs, never, odd] = [await ask(jobId), await ask(crypto.randomUUID()), await ask('x')]
        expect([theirs.status, never.status, odd.status]).to.deep.equal([404, 404, 404])
        expect([theirs.text, odd.text]).to.deep.equal([never.text, never.text])
        expect([...theirs.headers.keys()]).to.deep.equal([...never.headers.keys()])
      }
    expect(await typesOf()).to.deep.equal(['JobRequested'])
  })
})

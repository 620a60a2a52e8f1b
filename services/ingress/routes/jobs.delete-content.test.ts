import { expect } from 'chai'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { answerOf, eachIngress } from '#test/doubles/ingress/each-ingress.ts'
import { endJob } from '#test/doubles/ingress/ended-job.ts'
import { sourcesOf } from '#test/doubles/ingress/sources.ts'

const url = 'https://cdn.example.com/film.mp4'

describe('DELETE /v1/jobs/{jobId}/content', () => {
  let dropped: string[]
  let jobId: string
  let path: string
  const { ingress, acme } = eachIngress(() => {
    dropped = []
    return { clock, platforms: sourcesOf({ forget: async (each) => void dropped.push(JSON.stringify(each)) }) }
  })
  beforeEach(async () => {
    jobId = (await acme.post('/v1/transcript', { url, mode: 'native' })).body.jobId
    path = `/v1/jobs/${jobId}/content`
  })

  const end = () => endJob(ingress, jobId, { segments: [{ start: 0, end: 1, text: 'Welcome.' }] })
  const pollUntilEnded = async () => acme.get(`/v1/transcript/${jobId}`, { headers: { prefer: 'wait=5' } })

  it('makes the job a 404 like one that never existed, in every form and path, and drops the cache', async () => {
    await end()
    expect((await pollUntilEnded()).body.status).to.equal('completed')
    const form = { headers: { accept: 'text/vtt' } }
    expect((await acme.get(`/v1/transcript/${jobId}`, form)).status).to.equal(200)
    const { status, body } = await acme.remove(path)
    expect([status, body.jobId]).to.deep.equal([200, jobId])
    expect(Date.parse(body.deletedAt)).to.be.closeTo(Date.now(), 5000)
    expect(dropped).to.deep.equal([JSON.stringify({ url })])
    const unknown = (await acme.get(`/v1/transcript/${crypto.randomUUID()}`)).text
    for (const answer of [
      await acme.get(`/v1/transcript/${jobId}`),
      await acme.get(`/v1/transcript/${jobId}`, form),
      await acme.get(`/v1/jobs/${jobId}`),
      await acme.get(`/v1/jobs/${jobId}/events`),
      await acme.remove(`/v1/jobs/${jobId}`),
      await acme.remove(path),
    ])
      expect([answer.status, answer.text]).to.deep.equal([404, unknown])
    expect((await acme.get('/v1/jobs')).body.jobs).to.deep.equal([])
    const { transactions } = (await acme.get('/v1/credits/transactions')).body
    expect(transactions.filter((line: { jobId: string | null }) => line.jobId === jobId)).to.have.length(2)
  })

  it('refuses a job that has not ended, and deletes nothing of it', async () => {
    expect(await answerOf(acme.remove(path), 'error')).to.deep.equal([409, 'job_not_ended'])
    expect((await acme.get(`/v1/transcript/${jobId}`)).body.status).to.equal('queued')
  })

  it('is the same 404 for a job of another organization, which stays', async () => {
    await end()
    const other = await ingress.org()
    const foreign = await other.remove(path)
    const never = await other.remove(`/v1/jobs/${crypto.randomUUID()}/content`)
    expect([foreign.status, foreign.text]).to.deep.equal([404, never.text])
    expect((await pollUntilEnded()).body.status).to.equal('completed')
  })

  it('needs the same scope as cancelling', async () => {
    await end()
    const refused = acme.remove(path, { key: await acme.keyWith('read') })
    expect(await answerOf(refused, 'details')).to.deep.equal([403, { reason: 'scope', required: 'jobs' }])
  })
})

import { expect } from 'chai'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { startIngress } from '#test/doubles/ingress/started-ingress.ts'

const url = 'https://cdn.example.com/film.mp4'
const schema = { type: 'object', properties: { summary: { type: 'string' } }, required: ['summary'] }

describe('POST /v1/extract', () => {
  it('accepts a job for 10 credits, and answers polls at its Location', async () => {
    await using ingress = await startIngress({ clock, options: { extracts: true } })
    const me = await ingress.org()
    const accepted = await me.post('/v1/extract', { url, prompt: 'What?', schema })
    expect(accepted.status).to.equal(202)
    expect(Object.keys(accepted.body)).to.have.members(['jobId', 'status'])
    const { jobId } = accepted.body
    expect(accepted.headers.get('location')).to.equal(`/v1/extract/${jobId}`)
    const [requested] = await ingress.memory.read(`job-${jobId}`)
    const prices = { captions: 10, speech: 10 }
    const wanted = { kind: 'extraction', mode: null, prompt: 'What?', schema, budget: 10, prices }
    expect(requested?.data).to.deep.include(wanted)
    expect((await me.get(`/v1/extract/${jobId}`)).body).to.include({ status: 'queued', resultJson: null })
    expect((await me.get(`/v1/transcript/${jobId}`)).status).to.equal(404)
    expect(await me.credits()).to.equal(40)
  })

  it('names the variable to set if no model is configured, and debits nothing', async () => {
    await using ingress = await startIngress({ clock })
    const me = await ingress.org()
    const refused = await me.post('/v1/extract', { url, prompt: 'What?' })
    expect([refused.status, refused.body.error]).to.deep.equal([503, 'unavailable'])
    expect(refused.body.message).to.contain('LLM_BASE_URL')
    expect((await me.post('/v1/extract', { url })).status).to.equal(400)
    expect(await me.credits()).to.equal(50)
  })
})

// biome-ignore-all lint/suspicious/noThenProperty: the name that the API gives it
import { expect } from 'chai'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { eachIngress } from '#test/doubles/ingress/each-ingress.ts'

const asked = {
  source: { type: 'channel', handle: '@SandboxRich' },
  every: '1h',
  then: { operation: 'transcript', options: { mode: 'native' } },
  maxCreditsPerMonth: 100,
}
const unknown = '0197c0de-0000-7000-8000-000000000001'

describe('watches', () => {
  const { ingress, acme } = eachIngress(() => ({ clock }), 'starter')

  const patch = (id: string, json: unknown, key = acme.key) => ingress.call('PATCH', `/v1/watches/${id}`, { key, json })

  it('are made, listed, changed, paused, resumed and deleted', async () => {
    const made = await acme.post('/v1/watches', asked)
    expect(made.status).to.equal(201)
    const { watchId } = made.body
    expect(made.body).to.deep.include({
      ...asked,
      source: { type: 'channel', url: 'https://www.youtube.com/@sandboxrich', list: 'videos' },
      ...{ status: 'on', reason: null, failure: null, found: 0, lastLookAt: null },
      ...{ createdBy: acme.keyId, creditsThisMonth: 0 },
    })
    const { creditsThisMonth, ...listed } = (await acme.get(`/v1/watches/${watchId}`)).body
    expect((await acme.get('/v1/watches')).body).to.deep.equal([listed])
    expect((await acme.get(`/v1/watches/${watchId}/found`)).body).to.deep.equal({ found: [], next: 0, hasMore: false })
    expect((await patch(watchId, { every: '1d', maxCreditsPerMonth: 5 })).body).to.include({
      every: '1d',
      maxCreditsPerMonth: 5,
    })
    expect((await patch(watchId, { status: 'paused' })).body).to.include({ status: 'paused', reason: 'asked' })
    expect((await patch(watchId, { status: 'on' })).body).to.include({ status: 'on', reason: null })
    expect((await acme.remove(`/v1/watches/${watchId}`)).body).to.include({ watchId })
    expect((await acme.get('/v1/watches')).body).to.deep.equal([])
    expect((await acme.get(`/v1/watches/${watchId}`)).status).to.equal(404)
  })

  it('are refused with the field that is wrong', async () => {
    const { then, maxCreditsPerMonth, ...alone } = asked
    const wrong: [string, unknown][] = [
      ['source.url', { ...alone, source: { type: 'channel' } }],
      ['source.q', { ...alone, source: { type: 'search' } }],
      ['every', { ...alone, every: '5m' }],
      ['maxCreditsPerMonth', { ...alone, then }],
      ['maxCreditsPerMonth', { ...alone, maxCreditsPerMonth }],
      ['maxCreditsPerMonth', { ...asked, then: { operation: 'transcript' }, maxCreditsPerMonth: 4 }],
      ['then.options.mode', { ...asked, then: { operation: 'transcript', options: { mode: 'any' } } }],
      ['then.options.url', { ...asked, then: { operation: 'transcript', options: { url: 'x' } } }],
      ['backfill', { ...asked, backfill: 51 }],
    ]
    for (const [path, body] of wrong) {
      const { status, body: error } = await acme.post('/v1/watches', body)
      expect([status, error.details?.[0]?.path], path).to.deep.equal([400, path])
    }
    expect((await acme.get('/v1/watches')).body).to.deep.equal([])
  })

  it('are limited by the plan in number and frequency', async () => {
    const org = await ingress.org('free')
    const tooOften = await org.post('/v1/watches', asked)
    expect([tooOften.status, tooOften.body.details.reason]).to.deep.equal([403, 'plan'])
    const daily = { ...asked, every: '1d' }
    for (let n = 0; n < 3; n++) expect((await org.post('/v1/watches', daily)).status).to.equal(201)
    const { status, body } = await org.post('/v1/watches', daily)
    expect([status, body.details]).to.deep.equal([403, { reason: 'plan', required: 1, remaining: 0 }])
    const [{ watchId }] = (await org.get('/v1/watches')).body
    expect((await patch(watchId, { every: '15m' }, org.key)).status).to.equal(403)
  })

  it('need the scopes of their actions, and belong to their organization alone', async () => {
    const [reader, worker] = await Promise.all([acme.keyWith('read'), acme.keyWith('jobs')])
    expect((await acme.post('/v1/watches', asked, { key: reader })).status).to.equal(403)
    const webhookUrl = 'https://hooks.example.com/found'
    expect((await acme.post('/v1/watches', { ...asked, webhookUrl }, { key: worker })).status).to.equal(403)
    const { watchId } = (await acme.post('/v1/watches', asked, { key: worker })).body
    expect((await patch(watchId, { status: 'paused' }, reader)).status).to.equal(403)
    const other = await ingress.org('starter')
    const ask = async (id: string) => [
      await other.get(`/v1/watches/${id}`),
      await other.get(`/v1/watches/${id}/found`),
      await patch(id, { status: 'paused' }, other.key),
      await other.remove(`/v1/watches/${id}`),
    ]
    const [strange, none] = [await ask(watchId), await ask(unknown)]
    expect(strange.map(({ status }) => status)).to.deep.equal(Array(4).fill(404))
    expect(strange.map(({ text }) => text)).to.deep.equal(none.map(({ text }) => text))
  })
})

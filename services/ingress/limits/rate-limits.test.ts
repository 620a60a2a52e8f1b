import { expect } from 'chai'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { debit } from '#packages/domain/credits/credits.fixture.ts'
import { metadataOf } from '#packages/events/store/key-commands.fixture.ts'
import { metrics } from '#packages/telemetry/metrics.ts'
import { names } from '#packages/telemetry/names.ts'
import { eachIngress } from '#test/doubles/ingress/each-ingress.ts'
import { until } from '#test/doubles/service/until.ts'
import { RecordingTelemetry } from '#test/doubles/telemetry.ts'
import { ingressDefaults } from '../options.ts'

describe('rate limits', () => {
  let telemetry: RecordingTelemetry
  const { ingress, acme } = eachIngress(() => {
    telemetry = new RecordingTelemetry()
    const rates = { light: 5, polls: 8, heavy: { free: 3, starter: 4, pro: 6 } }
    return { clock, telemetry, options: { rates, staleAfterMs: 50 } }
  })

  const limitOf = ({ headers }: { headers: Headers }): number => Number(headers.get('x-ratelimit-limit'))

  it('match ops/adr/0001', () => {
    expect(ingressDefaults.rates).to.deep.equal({
      light: 120,
      polls: 600,
      heavy: { free: 30, starter: 60, pro: 120 },
    })
  })

  it('count down to a 429, with a reset one minute after the first request', async () => {
    const before = clock.now()
    const first = await acme.get('/v1/me')
    const reset = Number(first.headers.get('x-ratelimit-reset'))
    expect(reset).to.be.within(Math.ceil((before + 59_000) / 1000), Math.ceil((clock.now() + 60_000) / 1000))
    const left = []
    for (let n = 0; n < 4; n++) left.push((await acme.get('/v1/me')).headers.get('x-ratelimit-remaining'))
    expect(left).to.deep.equal(['3', '2', '1', '0'])
    const refused = await acme.get('/v1/me')
    expect([refused.status, refused.body.error]).to.deep.equal([429, 'rate_limited'])
    expect(Number(refused.headers.get('x-ratelimit-reset'))).to.be.within(reset - 1, reset + 1)
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60)
  })

  it('are also given in the header of the IETF draft, by the name of the tier', async () => {
    const told = ({ headers }: { headers: Headers }) => [headers.get('ratelimit-policy'), headers.get('ratelimit')]
    const [policy, standing] = told(await acme.get('/v1/me'))
    expect(policy).to.equal('"light";q=5;w=60')
    expect(standing).to.match(/^"light";r=4;t=(?:60|59)$/)
    const posted = await acme.post('/v1/transcript', { url: 'bad' })
    expect(told(posted)[0]).to.equal('"heavy";q=3;w=60')
    for (let n = 0; n < 4; n++) await acme.get('/v1/me')
    const refused = await acme.get('/v1/me')
    expect(refused.status).to.equal(429)
    expect(told(refused)[1]).to.match(/^"light";r=0;t=\d+$/)
  })

  it('are counted for an organization, over all of its keys', async () => {
    const other = await ingress.org()
    const { key } = (await acme.post('/v1/keys', { name: 'spare' })).body
    for (let n = 0; n < 4; n++) await acme.get('/v1/me')
    expect((await acme.get('/v1/me', { key })).status).to.equal(429)
    expect((await other.get('/v1/me')).status).to.equal(200)
  })

  it('have separate buckets for polls and for requests that make jobs', async () => {
    const posted = await acme.post('/v1/transcript', { url: 'https://cdn.example.com/a.mp4', mode: 'native' })
    expect(limitOf(posted)).to.equal(3)
    for (let n = 0; n < 8; n++) expect((await acme.get(`/v1/transcript/${posted.body.jobId}`)).status).to.equal(200)
    const poll = await acme.get(`/v1/transcript/${posted.body.jobId}`)
    expect([poll.status, limitOf(poll)]).to.deep.equal([429, 8])
    expect(limitOf(await acme.get('/v1/me'))).to.equal(5)
  })

  it('count the requests that they refuse, by limit', async () => {
    for (let n = 0; n < 7; n++) await acme.get('/v1/me')
    for (let n = 0; n < 4; n++) await acme.post('/v1/transcript', { url: 'bad' })
    const limited = telemetry.valuesOf(metrics.requestsLimited)
    expect(limited.map(({ value, attributes }) => [value, attributes[names.limit]])).to.deep.equal([
      [1, 'light'],
      [1, 'light'],
      [1, 'heavy'],
    ])
  })

  it('count refused requests in the heavy tier, and requests to unknown paths in the light tier', async () => {
    const statuses = []
    for (let n = 0; n < 4; n++) statuses.push((await acme.post('/v1/transcript', { url: 'bad' })).status)
    expect(statuses).to.deep.equal([400, 400, 400, 429])
    const odd = [await acme.get('/v1/nowhere'), await acme.remove('/v1/me'), await acme.get('/v1/transcript/%E0%A4%A')]
    expect(odd.map(({ status }) => status)).to.deep.equal([404, 405, 400])
    expect(odd.map(({ headers }) => headers.get('x-ratelimit-remaining'))).to.deep.equal(['4', '3', '2'])
  })

  describe('of a refused request', () => {
    const url = 'https://cdn.example.com/a.mp4'
    const remainingOf = ({ headers }: { headers: Headers }): string | null => headers.get('x-ratelimit-remaining')

    /** One job holds all credits of the organization. */
    beforeEach(async () => {
      const command = debit(crypto.randomUUID(), 50)
      await ingress.ledgers.execute(acme.orgId, { command, metadata: metadataOf(acme.orgId) })
    })

    it('for lack of credits are given back: a light one is counted instead', async () => {
      const refused = await acme.post('/v1/transcript', { url })
      expect([refused.status, remainingOf(refused)]).to.deep.equal([403, '3'])
      expect(refused.headers.get('ratelimit')).to.match(/^"heavy";r=3;t=\d+$/)
      for (let n = 0; n < 3; n++) expect((await acme.post('/v1/transcript', { url })).status).to.equal(403)
      expect(remainingOf(await acme.get('/v1/me'))).to.equal('0')
    })

    it('for lack of credits stay used up if no light one is left, so that refusals are limited', async () => {
      const statuses = []
      for (let n = 0; n < 9; n++) statuses.push((await acme.post('/v1/transcript', { url })).status)
      expect(statuses).to.deep.equal([...Array(8).fill(403), 429])
    })
  })

  it('follow the plan, and soon also a change of it', async () => {
    const pro = await ingress.org('pro')
    expect(limitOf(await pro.post('/v1/transcript', { url: 'bad' }))).to.equal(6)
    await ingress.organizations.changePlan(pro.orgId, 'starter')
    const isFollowed = async () => limitOf(await pro.post('/v1/transcript', { url: 'bad' })) === 4
    await until('the change is followed', isFollowed, { seconds: 15 })
  })
})

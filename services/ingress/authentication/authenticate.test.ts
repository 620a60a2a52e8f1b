import { expect } from 'chai'
import { createSecret } from '#packages/accounts/keys/secret.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { answerOf, eachIngress } from '#test/doubles/ingress/each-ingress.ts'
import { startIngress } from '#test/doubles/ingress/started-ingress.ts'
import { until } from '#test/doubles/service/until.ts'
import { presentedKey } from './presented-key.ts'

describe('authentication', () => {
  const { ingress, acme } = eachIngress(() => ({ clock, options: { anonymousPerMinute: 20 } }))

  it('is required at every path under /v1, before the body is validated, and nowhere else', async () => {
    const paths = [
      '/v1/me',
      '/v1/keys',
      '/v1/metadata?url=x',
      '/v1/transcript/x',
      '/v1/search?q=x',
      '/v1/nowhere',
      '/v1',
    ]
    for (const path of paths)
      expect(await answerOf(ingress.call('GET', path), 'error'), path).to.deep.equal([401, 'unauthorized'])
    const post = { raw: '{bad', headers: { 'content-type': 'application/json' } }
    expect((await ingress.call('POST', '/v1/transcript', post)).status).to.equal(401)
    expect((await ingress.call('GET', '/health', { key: 'ma_wrong' })).status).to.equal(200)
  })

  it('takes the key from either header, but not from two that differ, nor from Authorization', async () => {
    const { key } = acme
    const me = async (headers: Record<string, string>): Promise<number> =>
      (await ingress.call('GET', '/v1/me', { headers })).status
    expect(await me({ 'x-api-key': key })).to.equal(200)
    expect(await me({ X_API_KEY: key })).to.equal(200)
    expect(await me({ 'x-api-key': key, x_api_key: key })).to.equal(200)
    expect(await me({ 'x-api-key': key, x_api_key: createSecret() })).to.equal(401)
    expect(await me({ 'x-api-key': '', x_api_key: key })).to.equal(401)
    expect(await me({ 'x-api-key': `${key}, ${key}` })).to.equal(401)
    expect(await me({ authorization: `Bearer ${key}` })).to.equal(401)
    expect(presentedKey({})).to.equal(undefined)
  })

  it('says which key was wrong, and why', async () => {
    const { key } = acme
    const why = async (headers: Record<string, string>): Promise<string> =>
      (await ingress.call('GET', '/v1/me', { headers })).body.message
    for (const headers of [{}, { authorization: `Bearer ${key}` }])
      expect(await why(headers as Record<string, string>)).to.equal(
        'No API key: send it in the header x-api-key (not Authorization).',
      )
    expect(await why({ 'x-api-key': createSecret() })).to.match(/revoked or expired/)
    expect(await why({ 'x-api-key': key.slice(0, -1) })).to.match(/Was it copied whole/)
    expect(await why({ 'x-api-key': key, x_api_key: createSecret() })).to.match(/two that differ/)
  })

  it('refuses a key with a wrong checksum without reading anything', async () => {
    const { key } = acme
    ingress.store.reads.length = 0
    const wrong = ['ma_wrong', `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`, `ma_${'x'.repeat(5000)}`, ' ']
    for (const bad of wrong) expect((await ingress.call('GET', '/v1/me', { key: bad })).status).to.equal(401)
    expect(ingress.store.reads).to.deep.equal([])
    expect((await ingress.call('GET', '/v1/me', { key: createSecret() })).status).to.equal(401)
    expect(ingress.store.reads).to.have.length(1)
  })

  it('ends with the answer to a revocation on the same node, and soon on another', async () => {
    const { get, post, remove } = acme
    await using other = await startIngress({ clock, store: ingress.memory })
    const { id, key } = (await post('/v1/keys', { name: 'laptop' })).body
    const here = () => get('/v1/me', { key })
    const there = () => other.call('GET', '/v1/me', { key })
    expect([(await here()).status, (await there()).status]).to.deep.equal([200, 200])
    expect((await remove(`/v1/keys/${id}`)).status).to.equal(200)
    expect((await here()).status).to.equal(401)
    await until('the other knows', async () => (await there()).status === 401, { seconds: 15, everyMs: 5 })
    expect((await get('/v1/me')).status, 'other keys').to.equal(200)
  })

  it('counts wrong keys as anonymous requests, and never refuses a good key because of them', async () => {
    const guesses = await Promise.all(
      Array.from({ length: 60 }, () => ingress.call('GET', '/v1/me', { key: createSecret() })),
    )
    const count = (status: number): number => guesses.filter((answer) => answer.status === status).length
    expect([count(401), count(429)]).to.deep.equal([20, 40])
    expect(Number(guesses.find(({ status }) => status === 429)?.headers.get('retry-after'))).to.be.within(1, 60)
    expect((await acme.get('/v1/me')).status).to.equal(200)
  })

  it('logs one line for each request, and no key', async () => {
    const { get, post, key, orgId } = acme
    const url = 'https://cdn.example.com/secret-name.mp4'
    const posted = await post('/v1/transcript', { url, mode: 'native' })
    const failed = await get(`/v1/metadata?url=${encodeURIComponent(url)}`)
    expect(failed.status).to.equal(500)
    const text = JSON.stringify(ingress.lines)
    expect(text).to.not.contain(key)
    expect(text).to.not.contain('secret-name')
    const lines = ingress.lines.filter(({ msg }) => msg === 'request')
    expect(lines).to.have.length(2)
    const { jobId } = posted.body
    expect(lines[0]).to.include({ method: 'POST', route: '/v1/transcript', status: 202, orgId, jobId })
    expect(lines[0]?.requestId).to.equal(posted.headers.get('x-request-id'))
    expect(lines[0]?.traceId).to.match(/^[0-9a-f]{32}$/)
  })
})

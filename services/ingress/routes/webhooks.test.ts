import { expect } from 'chai'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { streams } from '#packages/ports/ids.ts'
import { eachIngress } from '#test/doubles/ingress/each-ingress.ts'
import { startIngress } from '#test/doubles/ingress/started-ingress.ts'

const asked = { url: 'https://hooks.example.com/video?token=hush', events: ['job.completed', 'credits.low'] }
const unknown = '0197c0de-0000-7000-8000-000000000001'

describe('webhooks', () => {
  const { ingress, acme } = eachIngress(() => ({ clock }), 'starter')

  const patch = (id: string, json: unknown, key = acme.key) =>
    ingress.call('PATCH', `/v1/webhooks/${id}`, { key, json })
  const listed = async (): Promise<{ id: string }[]> => (await acme.get('/v1/webhooks')).body

  it('are made with a secret that is shown once; their URL is in no list, event or log', async () => {
    const made = await acme.post('/v1/webhooks', asked)
    expect([made.status, made.headers.get('cache-control')]).to.deep.equal([201, 'no-store'])
    const { id, secret, url, ...rest } = made.body
    expect(secret).to.match(/^whsec_[\w+/]{43}=$/)
    expect(url).to.equal(asked.url)
    expect(await listed()).to.deep.equal([{ id, ...rest }])
    const one = await acme.get(`/v1/webhooks/${id}`)
    expect(one.body).to.deep.equal({ id, url, ...rest })
    expect(rest).to.deep.include({ host: 'hooks.example.com', status: 'on', reason: null, createdBy: acme.keyId })
    expect(one.text).to.not.include(secret)
    const written = JSON.stringify([await ingress.memory.read(streams.webhook(id)), ingress.lines])
    expect(written)
      .to.include('hooks.example.com')
      .and.not.match(/hush|whsec_/)
  })

  it('are changed and switched off and on field by field, and deleted for good', async () => {
    const { id } = (await acme.post('/v1/webhooks', asked)).body
    const moved = (await patch(id, { url: 'https://new.example.com/' })).body
    expect(moved).to.include({ host: 'new.example.com', url: 'https://new.example.com/', status: 'on' })
    expect(moved.events).to.deep.equal(asked.events)
    expect((await patch(id, { events: ['job.failed'], results: true })).body).to.deep.include({
      events: ['job.failed'],
      results: true,
      url: 'https://new.example.com/',
    })
    expect((await patch(id, { status: 'off' })).body).to.include({ status: 'off', reason: 'asked' })
    const ping = await acme.post(`/v1/webhooks/${id}/ping`, {})
    expect([ping.status, ping.body.details]).to.deep.equal([403, { reason: 'webhook_off' }])
    expect((await patch(id, { status: 'on' })).body).to.include({ status: 'on', reason: null })
    expect((await acme.remove(`/v1/webhooks/${id}`)).body).to.include({ id })
    expect(await listed()).to.deep.equal([])
    expect((await acme.get(`/v1/webhooks/${id}`)).status).to.equal(404)
  })

  it('are refused with the field that is wrong, and nothing changes', async () => {
    const { id } = (await acme.post('/v1/webhooks', asked)).body
    const before = await acme.get(`/v1/webhooks/${id}`)
    const urls = ['http://hooks.example.com/', 'https://10.0.0.1/', 'https://[::1]/', 'https://localhost/', 'no url']
    const hosts = ['https://a.internal/', 'https://u:p@hooks.example.com/', 'https://hooks.example.com:8443/']
    const wrong: [object, string][] = [
      ...[...urls, ...hosts, 'ftp://hooks.example.com/', ''].map((url): [object, string] => [{ url }, 'url']),
      [{ events: [] }, 'events'],
      [{ events: ['job.begun'] }, 'events.0'],
      [{ results: 'yes' }, 'results'],
      [{ secret: 'whsec_mine' }, 'secret'],
    ]
    for (const [fields, path] of wrong)
      for (const { status, body } of [
        await acme.post('/v1/webhooks', { ...asked, ...fields }),
        await patch(id, fields),
      ]) {
        expect([status, body.error], JSON.stringify(fields)).to.deep.equal([400, 'invalid_request'])
        expect(body.details[0].path, JSON.stringify(fields)).to.equal(path)
      }
    expect((await patch(id, {})).status).to.equal(400)
    const replays = [{}, { from: 'yesterday' }, { from: '2999-01-01T00:00:00Z' }, { from: '2026-02-31T00:00:00Z' }]
    for (const json of replays)
      expect((await acme.post(`/v1/webhooks/${id}/replay`, json)).body.details[0].path).to.equal('from')
    expect(await listed()).to.have.length(1)
    expect((await acme.get(`/v1/webhooks/${id}`)).body).to.deep.equal(before.body)
  })

  it('may have http URLs only if the operator allows them', async () => {
    await using lax = await startIngress({ clock, options: { webhooksAllowHttp: true } })
    const org = await lax.org()
    const made = await org.post('/v1/webhooks', { ...asked, url: 'http://hooks.example.com/' })
    expect([made.status, made.body.url]).to.deep.equal([201, 'http://hooks.example.com/'])
  })

  it('are limited in number by the plan', async () => {
    for (const [plan, most] of [
      ['free', 2],
      ['starter', 10],
      ['pro', 50],
    ] as const) {
      const org = await ingress.org(plan)
      for (let n = 0; n < most; n++) expect((await org.post('/v1/webhooks', asked)).status, plan).to.equal(201)
      const { status, body } = await org.post('/v1/webhooks', asked)
      expect([status, body.details]).to.deep.equal([403, { reason: 'plan', required: 1, remaining: 0 }])
      const [{ id }] = (await org.get('/v1/webhooks')).body
      await org.remove(`/v1/webhooks/${id}`)
      expect((await org.post('/v1/webhooks', asked)).status, plan).to.equal(201)
    }
  })

  it('of jobs count by host, however many URLs a host has; a list shows a hundred of them', async () => {
    const rich = await ingress.org('pro')
    expect((await rich.post('/v1/webhooks/secret', {})).status).to.equal(201)
    const name = (webhookUrl: string) =>
      rich.post('/v1/transcript', { url: 'https://cdn.example.com/a.mp4', mode: 'native', webhookUrl })
    for (let n = 0; n < 105; n++) expect((await name(`https://one.example.com/${n}`)).status).to.equal(202)
    expect((await rich.get('/v1/webhooks')).body).to.have.length(100)
    for (let n = 0; n < 48; n++) expect((await rich.post('/v1/webhooks', asked)).status).to.equal(201)
    expect((await rich.get('/v1/webhooks')).body).to.have.length(148)
    expect((await name('https://two.example.com/')).status).to.equal(202)
    const { status, body } = await name('https://three.example.com/')
    expect([status, body.details]).to.deep.equal([403, { reason: 'plan', required: 1, remaining: 0 }])
    expect((await name('https://one.example.com/another')).status).to.equal(202)
  })

  it('bring results only if a key that may read asks for them', async () => {
    const [alone, reader] = await Promise.all([acme.keyWith('webhooks'), acme.keyWith('webhooks', 'read')])
    const withResults = { ...asked, results: true }
    const { status, body } = await acme.post('/v1/webhooks', withResults, { key: alone })
    expect([status, body.details]).to.deep.equal([403, { reason: 'scope', required: 'read' }])
    const { id } = (await acme.post('/v1/webhooks', asked, { key: alone })).body
    expect((await patch(id, { results: true }, alone)).status).to.equal(403)
    expect((await patch(id, { results: true }, reader)).body).to.include({ results: true })
    // Results of another key's jobs must not be sent to a URL that this key chose.
    expect((await patch(id, { url: 'https://elsewhere.example.com/' }, alone)).status).to.equal(403)
  })

  it('of another organization are like ones that never existed', async () => {
    const other = await ingress.org()
    const { id } = (await other.post('/v1/webhooks', asked)).body
    const calls = ['ping', 'rotate', 'replay', `deliveries/${unknown}/redeliver`]
    const ask = async (own: string) => [
      await acme.get(`/v1/webhooks/${own}`),
      await patch(own, { status: 'off' }),
      await acme.remove(`/v1/webhooks/${own}`),
      await acme.get(`/v1/webhooks/${own}/deliveries`),
      ...(await Promise.all(
        calls.map((call) => acme.post(`/v1/webhooks/${own}/${call}`, { from: '2026-01-01T00:00:00Z' })),
      )),
    ]
    const [strange, none] = [await ask(id), await ask(unknown)]
    expect(strange.map(({ status }) => status)).to.deep.equal(Array(8).fill(404))
    expect(strange.map(({ text }) => text)).to.deep.equal(none.map(({ text }) => text))
    expect((await other.get(`/v1/webhooks/${id}`)).body).to.include({ status: 'on' })
  })

  it('count as heavy requests if they cause messages, and as light ones otherwise', async () => {
    const { id } = (await acme.post('/v1/webhooks', asked)).body
    const limitOf = async (path: string, json: unknown) =>
      (await acme.post(path, json)).headers.get('x-ratelimit-limit')
    const from = new Date(clock.now()).toISOString()
    expect(await limitOf(`/v1/webhooks/${id}/ping`, {})).to.equal('60')
    expect(await limitOf(`/v1/webhooks/${id}/replay`, { from })).to.equal('60')
    expect(await limitOf(`/v1/webhooks/${id}/deliveries/${unknown}/redeliver`, {})).to.equal('60')
    expect(await limitOf(`/v1/webhooks/${id}/rotate`, {})).to.equal('120')
    expect(await limitOf('/v1/webhooks/secret', {})).to.equal('120')
  })
})

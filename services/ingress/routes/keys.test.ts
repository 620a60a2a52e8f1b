import { expect } from 'chai'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { streams } from '#packages/ports/ids.ts'
import { eachIngress } from '#test/doubles/ingress/each-ingress.ts'
import { startIngress } from '#test/doubles/ingress/started-ingress.ts'

describe('keys', () => {
  const { ingress, acme } = eachIngress(() => ({ clock, options: { maxKeys: 4 } }))

  it('are created with a secret that is shown once and works at once', async () => {
    const made = await acme.post('/v1/keys', { name: '  Ключ 🔑  ' })
    expect([made.status, made.headers.get('cache-control')]).to.deep.equal([201, 'no-store'])
    expect(Object.keys(made.body)).to.deep.equal(['id', 'name', 'prefix', 'createdAt', 'lastUsedAt', 'key'])
    expect(made.body).to.include({ name: 'Ключ 🔑', prefix: made.body.key.slice(0, 7), lastUsedAt: null })
    expect((await acme.get('/v1/me', { key: made.body.key })).status).to.equal(200)
    const list = await acme.get('/v1/keys')
    expect(list.text).to.not.contain(made.body.key)
    const { key, ...row } = made.body
    expect({ ...list.body[1], lastUsedAt: null }).to.deep.equal(row)
    expect(JSON.stringify(await ingress.memory.read(streams.key(made.body.id)))).to.not.contain(key)
  })

  it('are listed oldest first, without revoked ones, with the minute of their last use', async () => {
    const { id } = (await acme.post('/v1/keys', { name: 'second' })).body
    expect((await acme.get('/v1/keys')).body.map((key: { id: string }) => key.id)).to.deep.equal([acme.keyId, id])
    await acme.remove(`/v1/keys/${id}`)
    const [first, ...more] = (await acme.get('/v1/keys')).body
    expect(more).to.deep.equal([])
    expect(first.lastUsedAt).to.match(/:00\.000Z$/)
    expect(clock.now() - Date.parse(first.lastUsedAt)).to.be.within(0, 120_000)
  })

  it('that were revoked are not read for a list', async () => {
    for (let n = 0; n < 20; n++) {
      const { id } = (await acme.post('/v1/keys', { name: `key ${n}` })).body
      await acme.remove(`/v1/keys/${id}`)
    }
    const find = ingress.views.find.bind(ingress.views)
    let found = 0
    ingress.views.find = async (...asked) => {
      const documents = await find(...asked)
      found += documents.length
      return documents as never
    }
    expect((await acme.get('/v1/keys')).body).to.have.length(1)
    expect((await acme.post('/v1/keys', { name: 'one more' })).status).to.equal(201)
    expect(found, 'one for the list, one for the count').to.equal(2)
  })

  it('cannot be changed while nothing can be written, which is a 503 with the Error object', async () => {
    const id = (await acme.post('/v1/keys', { name: 'laptop' })).body.id
    ingress.store.fault = () => Promise.reject(new Error('database or disk is full'))
    await using impatient = await startIngress({ clock, options: { giveUpAfterMs: 1 }, store: ingress.memory })
    impatient.store.fault = ingress.store.fault
    const { key } = acme
    const answers = [
      await impatient.call('POST', '/v1/keys', { key, json: { name: 'phone' } }),
      await impatient.call('DELETE', `/v1/keys/${id}`, { key }),
    ]
    for (const { status, body, headers } of answers) {
      expect([status, body.error, body.details]).to.deep.equal([503, 'unavailable', null])
      expect([body.message, headers.get('retry-after')]).to.not.include(null)
    }
    ingress.store.fault = undefined
    expect((await acme.remove(`/v1/keys/${id}`)).status).to.equal(200)
  })

  it('have names of 1 to 100 characters, counted after trimming', async () => {
    const bad = [
      {},
      { name: '' },
      { name: '   ' },
      { name: 7 },
      { name: null },
      { name: 'x'.repeat(101) },
      [],
      null,
      'x',
    ]
    for (const body of [...bad, { name: 'x', role: 'admin' }]) {
      const { status, body: told } = await acme.post('/v1/keys', body)
      expect([status, told.error], JSON.stringify(body)).to.deep.equal([400, 'invalid_request'])
    }
    const { details } = (await acme.post('/v1/keys', { name: 'x', role: 'admin' })).body
    expect(details).to.deep.equal([{ path: 'role', message: 'is not a known field' }])
    expect((await acme.post('/v1/keys', { name: `${' '.repeat(200)}${'é'.repeat(100)}` })).status).to.equal(201)
  })

  it('are revoked once and for good: simultaneous requests, and a repeat, get the same answer', async () => {
    const { id, name } = (await acme.post('/v1/keys', { name: 'laptop' })).body
    const answers = await Promise.all([1, 2, 3].map(() => acme.remove(`/v1/keys/${id}`)))
    const gone = await acme.remove(`/v1/keys/${id}`)
    expect(gone.status).to.equal(200)
    expect(gone.body).to.deep.equal({ id, name, revokedAt: gone.body.revokedAt })
    expect(answers.map(({ text }) => text)).to.deep.equal(Array(3).fill(gone.text))
    expect(await ingress.memory.read(streams.key(id))).to.have.length(2)
  })

  it('belong to their organization: for another one they do not exist', async () => {
    const other = await ingress.org()
    const foreign = await other.remove(`/v1/keys/${acme.keyId}`)
    const unknown = await other.remove('/v1/keys/nope')
    expect([foreign.status, foreign.text]).to.deep.equal([404, unknown.text])
    expect((await acme.get('/v1/me')).status).to.equal(200)
  })

  it('are limited in number', async () => {
    for (let n = 0; n < 3; n++) expect((await acme.post('/v1/keys', { name: 'x' })).status).to.equal(201)
    const { status, body } = await acme.post('/v1/keys', { name: 'x' })
    expect([status, body.details.reason]).to.deep.equal([403, 'plan'])
  })

  it('cost nothing', async () => {
    const { id } = (await acme.post('/v1/keys', { name: 'x' })).body
    await acme.remove(`/v1/keys/${id}`)
    expect((await acme.get('/v1/me')).body).to.deep.equal({ orgId: acme.orgId, name: 'Acme', creditsRemaining: 50 })
  })
})

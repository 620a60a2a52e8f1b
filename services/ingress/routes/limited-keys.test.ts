import { expect } from 'chai'
import { metadataOf } from '#packages/events/store/key-commands.fixture.ts'
import { streams } from '#packages/ports/ids.ts'
import { eachIngressInTime } from '#test/doubles/ingress/each-ingress.ts'

const HOUR_MS = 3_600_000
const native = { url: 'https://cdn.example.com/film.mp4', mode: 'native' }

describe('a key with limits', () => {
  const { ingress, acme, clock } = eachIngressInTime('pro')

  const inMs = (ms: number): string => new Date(clock.now() + ms).toISOString()
  const make = async (limits: object, key = acme.key) =>
    (await acme.post('/v1/keys', { name: 'x', ...limits }, { key })).body
  const codeOf = async (key: string): Promise<[number, unknown]> => {
    const { status, body } = await acme.post('/v1/transcript', native, { key })
    return [status, body.details]
  }

  it('shows its limits when it is made and in the list, and no others', async () => {
    const all = { scopes: ['read', 'jobs'], monthlyCredits: 7, expiresAt: inMs(HOUR_MS) }
    const made = [await make(all), await make({ monthlyCredits: 0 }), await make({})]
    const shown = made.map(({ id, name, prefix, createdAt, lastUsedAt, key, ...limits }) => limits)
    expect(shown).to.deep.equal([all, { monthlyCredits: 0 }, {}])
    const listed: { id: string }[] = (await acme.get('/v1/keys')).body
    for (const { key, ...row } of made) expect(listed.find(({ id }) => id === row.id)).to.deep.equal(row)
    const [created] = await ingress.memory.read(streams.key(made[0].id))
    expect(created?.data).to.deep.include({ ...all, expiresAt: clock.now() + HOUR_MS, createdBy: acme.keyId })
  })

  it('is 401 from its expiry on, and stays in the list until it is revoked', async () => {
    const { id, key } = await make({ expiresAt: inMs(HOUR_MS) })
    await clock.jump(HOUR_MS - 1)
    expect((await acme.get('/v1/me', { key })).status).to.equal(200)
    await clock.jump(1)
    const { status, body } = await acme.get('/v1/me', { key })
    expect([status, body.error]).to.deep.equal([401, 'unauthorized'])
    const idsListed = async () => (await acme.get('/v1/keys')).body.map((one: { id: string }) => one.id)
    expect(await idsListed()).to.include(id)
    expect((await acme.remove(`/v1/keys/${id}`)).status).to.equal(200)
    expect(await idsListed()).to.not.include(id)
  })

  it('makes only keys within its own limits, and learns which of them a new key exceeds', async () => {
    const own = { scopes: ['keys', 'jobs'], monthlyCredits: 5, expiresAt: inMs(HOUR_MS) }
    const { key } = await make(own)
    const wider: [object, string[]][] = [
      [{}, ['scopes', 'monthlyCredits', 'expiresAt']],
      [{ ...own, scopes: ['read'] }, ['scopes']],
      [{ ...own, monthlyCredits: 6 }, ['monthlyCredits']],
      [{ ...own, expiresAt: inMs(HOUR_MS + 1) }, ['expiresAt']],
    ]
    const before = (await acme.get('/v1/keys')).body.length
    for (const [limits, exceeded] of wider) {
      const { status, body } = await acme.post('/v1/keys', { name: 'wider', ...limits }, { key })
      expect([status, body.details]).to.deep.equal([403, { reason: 'key_limits', exceeded }])
    }
    expect((await acme.get('/v1/keys')).body).to.have.length(before)
    expect(await make({ ...own, scopes: ['jobs'] }, key)).to.include({ monthlyCredits: 5 })
  })

  it('without all scopes revokes itself and the keys that it made, but lists those of the organization', async () => {
    const own = await make({ scopes: ['keys'] })
    const child = await make({ scopes: ['keys'] }, own.key)
    const grandchild = await make({ scopes: ['keys'] }, child.key)
    const remove = (id: string, key: string) => acme.remove(`/v1/keys/${id}`, { key })
    for (const id of [acme.keyId, grandchild.id]) {
      const { status, body } = await remove(id, own.key)
      expect([status, body.details]).to.deep.equal([403, { reason: 'other_key' }])
    }
    expect((await remove(own.id, child.key)).status, 'the key that made it').to.equal(403)
    expect((await acme.get('/v1/keys', { key: own.key })).body).to.have.length(4)
    expect((await remove(child.id, own.key)).status).to.equal(200)
    expect((await acme.get('/v1/keys', { key: grandchild.key })).status, 'keys of a revoked key').to.equal(200)
    expect((await remove(own.id, own.key)).status).to.equal(200)
    expect((await acme.get('/v1/keys', { key: own.key })).status).to.equal(401)
  })

  it('takes no more in a month than its credits, and may take refunded credits again', async () => {
    const { key } = await make({ monthlyCredits: 2 })
    const job = (await acme.post('/v1/transcript', native, { key })).body.jobId
    expect((await codeOf(key))[0]).to.equal(202)
    const over = { reason: 'monthly_credits', required: 1, remaining: 0, held: 2 }
    expect(await codeOf(key)).to.deep.equal([403, over])
    expect((await codeOf(acme.key))[0], 'another key').to.equal(202)
    await ingress.ledgers.execute(acme.orgId, {
      command: { type: 'settle', jobId: job, charged: 0, reason: 'no_speech' },
      metadata: metadataOf(acme.orgId),
    })
    expect((await codeOf(key))[0]).to.equal(202)
    expect(await codeOf(key)).to.deep.equal([403, over])
  })
})

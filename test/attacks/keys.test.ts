import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { createKey } from '#packages/accounts/keys/create-key.ts'
import { revokeKey } from '#packages/accounts/keys/revoke-key.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { times } from '#packages/content/extraction/schema/accepted-schemas.fixture.ts'
import { allScopes, type Scope } from '#packages/domain/key/grant.ts'
import { streams } from '#packages/ports/ids.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'
import { madeForAll, openedForAll } from '#test/doubles/opened.ts'
import { Client } from '#test/doubles/service/client.ts'
import { assertNeverHeld } from '#test/doubles/service/loop-watch.ts'
import { at, Setting } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'

const REVOKED = 3000

describe('keys', function () {
  this.timeout(180_000)
  const env = { RATE_LIGHT_PER_MINUTE: '100000', LLM_BASE_URL: 'http://127.0.0.1:9/v1' }
  const setting = openedForAll(() => Setting.start({ speech: null, env }))
  const me = madeForAll(() => setting.client())

  const storeOfKeys = async () => ({ store: (await setting.backDoor()).store, clock, ids })
  const metadataOf = ({ orgId }: Client) => ({
    ...{ orgId, correlationId: orgId, causationId: orgId, traceparent: newTraceparent(true) },
  })
  const makeKey = async (name: string) => (await createKey(await storeOfKeys(), name, metadataOf(me))).keyId
  const revoke = async (keyId: string) =>
    revokeKey(await storeOfKeys(), { keyId, metadata: metadataOf(me), giveUpAfterMs: 5000 })
  const listed = async (): Promise<string[]> => (await me.read<{ id: string }[]>('/v1/keys')).map(({ id }) => id)

  it('when thousands are revoked, do not slow the list, and new ones can be made', async () => {
    await assertNeverHeld(setting, me, async () => {
      const made = await Promise.all(times(REVOKED, (n) => makeKey(`key ${n}`)))
      await Promise.all(made.map(revoke))
      const last = await makeKey('the last')
      await until('the last is listed', async () => (await listed()).includes(last))
      expect(await listed()).to.have.members([me.keyId, last])
      await Promise.all(times(100, listed))
      expect((await me.post('/v1/keys', { name: 'one more' })).status).to.equal(201)
    })
  })

  it('cannot be made or revoked while the disk is full, and jobs cannot be posted: 503 with the Error object', async () => {
    const before = await listed()
    const schema = { properties: { a: { type: 'string' } } }
    await setFileLimit(setting, '1:')
    const writes = await Promise.all([
      me.post('/v1/keys', { name: 'phone' }),
      me.delete(`/v1/keys/${before.at(-1)}`),
      me.transcript({ url: at('/a.mp4') }),
      me.post('/v1/extract', { url: at('/a.mp4'), prompt: 'x', schema }, { 'idempotency-key': 'one' }),
    ])
    const reads = await Promise.all([me.get('/v1/me'), me.get('/v1/jobs'), me.get('/v1/keys'), me.get('/health')])
    await setFileLimit(setting, 'unlimited:')
    for (const { status, body, text } of writes) {
      expect([status, body.error], text).to.deep.equal([503, 'unavailable'])
      expect(Object.keys(body)).to.deep.equal(['error', 'message', 'details', 'documentationUrl'])
      expect(body.message).to.equal('Nothing can be stored now: the disk of the service is full, or fails.')
    }
    expect(reads.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200])
    expect((await me.post('/v1/keys', { name: 'phone' })).status).to.equal(201)
    expect((await me.delete(`/v1/keys/${before.at(-1)}`)).status).to.equal(200)
  })

  /** A client with a new key. @returns undefined if the key was refused */
  async function made(by: Client, limits: object): Promise<Client | undefined> {
    const { status, body, text } = await by.post('/v1/keys', { name: 'limited', ...limits })
    expect([201, 403], text).to.include(status)
    const { id = '', key = '' } = body
    return status === 201 ? new Client(() => setting.service.base, { orgId: me.orgId, keyId: id, key }) : undefined
  }

  it('never get more scopes, credits or time than the key that made them, whatever the request omits', async () => {
    const sets: (Scope[] | undefined)[] = [undefined, ['keys'], ['read', 'keys'], ['jobs', 'keys'], [...allScopes]]
    const isWithin = (asked: readonly Scope[] = allScopes, own: readonly Scope[] = allScopes): boolean =>
      asked.every((scope) => own.includes(scope))
    const limits = (scopes: Scope[] | undefined) => (scopes === undefined ? {} : { scopes })
    for (const own of sets) {
      const maker = (await made(me, limits(own))) as Client
      for (const asked of [...sets, ...allScopes.map((scope) => [scope])])
        expect((await made(maker, limits(asked))) !== undefined, `${asked} by ${own}`).to.equal(isWithin(asked, own))
    }
    const [soon, later] = ['2099-01-01T00:00:00Z', '2099-01-01T00:00:00.001Z']
    const maker = (await made(me, { monthlyCredits: 5, expiresAt: soon })) as Client
    const wider = [{}, { monthlyCredits: 5 }, { expiresAt: soon }, { monthlyCredits: 6, expiresAt: soon }]
    for (const asked of [
      ...wider,
      { monthlyCredits: 5, expiresAt: later },
      { monthlyCredits: 5, expiresAt: '2098-12-31T23:59:59-00:01' },
    ])
      expect(await made(maker, asked), JSON.stringify(asked)).to.equal(undefined)
    expect(await made(maker, { monthlyCredits: 5, expiresAt: '2099-01-01T01:00:00+01:00' })).to.not.equal(undefined)
  })

  it('without all scopes cannot revoke a key that they did not make, not even through a key that they made', async () => {
    const scopes = ['keys', 'read']
    const thief = (await made(me, { scopes })) as Client
    const child = (await made(thief, { scopes })) as Client
    const foreign = (await made(me, { scopes })) as Client
    for (const by of [thief, child])
      for (const { keyId } of [me, foreign]) {
        const { status, body } = await by.delete(`/v1/keys/${keyId}`)
        expect([status, body.details]).to.deep.equal([403, { reason: 'other_key' }])
      }
    expect((await child.delete(`/v1/keys/${thief.keyId}`)).status).to.equal(403)
    for (const one of [me, foreign, thief]) expect((await one.get('/v1/keys')).status).to.equal(200)
  })

  it('with monthly credits never take more, even when many posts race and their jobs fail and are refunded', async () => {
    const customer = await setting.client({ plan: 'pro' })
    const cap = 7
    const { body } = await customer.post('/v1/keys', { name: 'capped', monthlyCredits: cap })
    const capped = customer.withKey(body.key ?? '')
    const modes = ['native', 'generate', 'auto']
    let refused = 0
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(
        times(30, (n) => capped.transcript({ url: at(`/${n}.mp4`), mode: modes[n % 3] ?? '' })),
      )
      refused += answers.filter((answer) => answer.status === 403).length
      await setting.rest()
    }
    expect(refused).to.be.greaterThan(0)
    const { store } = await setting.backDoor()
    let taken = 0
    let highest = 0
    for (const { type, data } of await store.read(streams.credits(customer.orgId))) {
      if (type === 'CreditsDebited' && data.keyId === body.id) taken += data.credits
      if (type === 'CreditsSettled' && data.keyId === body.id) taken -= data.refunded
      highest = Math.max(highest, taken)
    }
    expect(highest).to.be.within(1, cap)
    expect(taken, 'everything was refunded').to.equal(0)
  })
})

/** Limits the size of the files that the service writes, in bytes. Writes beyond it fail, as on a full disk. */
async function setFileLimit(setting: Setting, limit: string): Promise<void> {
  await promisify(execFile)('prlimit', ['--pid', String(setting.service.pid), `--fsize=${limit}`])
}

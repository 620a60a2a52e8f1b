import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { times } from '#packages/extraction/schema/accepted-schemas.fixture.ts'
import { createKey } from '#packages/keys/create-key.ts'
import { revokeKey } from '#packages/keys/revoke-key.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'
import type { Client } from '#test/doubles/service/client.ts'
import { heldWhile } from '#test/doubles/service/loop-watch.ts'
import { at, Setting } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'

const REVOKED = 3000

describe('keys', function () {
  this.timeout(180_000)
  let setting: Setting
  let me: Client

  before(async () => {
    const env = { RATE_LIGHT_PER_MINUTE: '100000', LLM_BASE_URL: 'http://127.0.0.1:9/v1' }
    setting = await Setting.start({ speech: null, env })
    me = await setting.client()
  })
  after(() => setting?.[Symbol.asyncDispose]())

  async function makeKey(name: string): Promise<string> {
    const { store } = await setting.backDoor()
    const { orgId } = me
    const metadata = { orgId, correlationId: orgId, causationId: orgId, traceparent: newTraceparent() }
    return (await createKey({ store, clock, ids }, name, metadata)).keyId
  }
  async function revoke(keyId: string): Promise<void> {
    const { store } = await setting.backDoor()
    const { orgId } = me
    const metadata = { orgId, correlationId: orgId, causationId: orgId, traceparent: newTraceparent() }
    await revokeKey({ store, clock, ids }, { keyId, metadata, giveUpAfterMs: 5000 })
  }
  const listed = async (): Promise<string[]> =>
    (JSON.parse((await me.get('/v1/keys')).text) as { id: string }[]).map(({ id }) => id)

  it('that were revoked, thousands of them, slow no list and leave room for new ones', async () => {
    const held = await heldWhile(setting, me, async () => {
      const made = await Promise.all(times(REVOKED, (n) => makeKey(`key ${n}`)))
      await Promise.all(made.map(revoke))
      const last = await makeKey('the last')
      await until('the last is listed', async () => (await listed()).includes(last))
      expect(await listed()).to.have.members([me.keyId, last])
      await Promise.all(times(100, listed))
      expect((await me.post('/v1/keys', { name: 'one more' })).status).to.equal(201)
    })
    expect(held).to.deep.equal([])
  })

  it('cannot be made or revoked while nothing can be written, and neither can jobs: 503 with the Error object', async () => {
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
    }
    expect(reads.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200])
    expect((await me.post('/v1/keys', { name: 'phone' })).status).to.equal(201)
    expect((await me.delete(`/v1/keys/${before.at(-1)}`)).status).to.equal(200)
  })
})

/** Limits the size of the files that the service writes, bytes: writes beyond it fail, as on a full disk. */
async function setFileLimit(setting: Setting, limit: string): Promise<void> {
  await promisify(execFile)('prlimit', ['--pid', String(setting.service.pid), `--fsize=${limit}`])
}

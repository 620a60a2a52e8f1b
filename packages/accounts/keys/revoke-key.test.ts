import { expect } from 'chai'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { metadataOf } from '#packages/events/store/key-commands.fixture.ts'
import type { ServiceError } from '#packages/foundation/errors/service-error.ts'
import { streams } from '#packages/ports/ids.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { MemoryEventStore } from '#test/doubles/memory-event-store.ts'
import { createKey } from './create-key.ts'
import { revokeKey } from './revoke-key.ts'

describe('revoking a key', () => {
  let clock: ManualClock
  let store: MemoryEventStore
  let keyId: string
  const revoke = (orgId: string, id = keyId) =>
    revokeKey({ store, clock, ids }, { keyId: id, metadata: metadataOf(orgId), giveUpAfterMs: 1000 })
  const stored = async () => (await store.read(streams.key(keyId))).map(({ type }) => type)

  beforeEach(async () => {
    clock = new ManualClock()
    store = new MemoryEventStore({ clock })
    keyId = (await createKey({ store, clock, ids }, 'laptop', metadataOf('acme'))).keyId
  })

  it('returns the key, and when its revocation was recorded', async () => {
    await clock.advance(5000)
    const revoked = await revoke('acme')
    expect(revoked.key).to.include({ name: 'laptop', createdAt: clock.now() - 5000, revokedAt: clock.now() })
    expect(revoked.position).to.equal((await store.read(streams.key(keyId))).at(-1)?.position)
  })

  it('answers a second time like the first, and writes nothing', async () => {
    const first = await revoke('acme')
    await clock.advance(5000)
    expect(await revoke('acme')).to.deep.equal(first)
    expect(await stored()).to.deep.equal(['KeyCreated', 'KeyRevoked'])
  })

  it('does not find keys of other organizations', async () => {
    const refusal = async (...asked: Parameters<typeof revoke>) =>
      (await failureOf<ServiceError>(revoke(...asked))).code
    expect(await refusal('other')).to.equal('not_found')
    expect(await refusal('acme', 'unknown')).to.equal('not_found')
    await revoke('acme')
    expect(await refusal('other'), 'once it is revoked, too').to.equal('not_found')
    expect(await stored()).to.deep.equal(['KeyCreated', 'KeyRevoked'])
  })
})

import { expect } from 'chai'
import { MemoryEventStore } from '#packages/adapters/memory/event-store.ts'
import { systemIds } from '#packages/adapters/system/ids.ts'
import { fullGrant, type KeyGrant } from '#packages/domain/key/grant.ts'
import { Ledgers } from '#packages/ledger/ledgers.ts'
import { streams } from '#packages/ports/ids.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { Organizations, UnknownOrganizationError } from './organizations.ts'

describe('organizations', () => {
  let store: MemoryEventStore
  let ledgers: Ledgers
  let organizations: Organizations

  beforeEach(() => {
    const clock = new ManualClock()
    store = new MemoryEventStore({ clock })
    ledgers = new Ledgers({ store, clock, ids: systemIds })
    organizations = new Organizations({ store, clock, ids: systemIds, ledgers })
  })

  it('are registered with 50 credits and the credits of their plan', async () => {
    const free = await organizations.create('Free', 'free')
    const pro = await organizations.create('Pro', 'pro')
    expect((await ledgers.current(free.orgId)).balance).to.equal(50)
    expect(await ledgers.current(pro.orgId)).to.include({ balance: 2050, plan: 'pro' })
    expect(free.key).to.match(/^ma_[0-9A-Za-z]{38}$/)
  })

  it('never have their secret in an event', async () => {
    const { keyId, key } = await organizations.create('Acme', 'free')
    const events = await store.read(streams.key(keyId))
    expect(events.map(({ type }) => type)).to.deep.equal(['KeyCreated'])
    expect(JSON.stringify(events)).to.not.include(key.slice(8, 30))
  })

  it('get further keys, with limits', async () => {
    const { orgId } = await organizations.create('Acme', 'free')
    const grant: KeyGrant = { scopes: ['read'], monthlyCredits: 5, expiresAt: 9_000_000_000_000 }
    const { keyId } = await organizations.createKey(orgId, { name: 'import', grant })
    const [created] = await store.read(streams.key(keyId))
    expect(created?.data).to.deep.include({ orgId, name: 'import', ...grant, createdBy: null })
  })

  it('get a grant once per call, and a plan once', async () => {
    const { orgId } = await organizations.create('Acme', 'free')
    await organizations.grant(orgId, 25)
    expect((await organizations.grant(orgId, 25)).balance).to.equal(100)
    await organizations.changePlan(orgId, 'starter')
    expect(await organizations.changePlan(orgId, 'starter')).to.include({ balance: 600, plan: 'starter' })
  })

  it('are established once, with 50 credits, however often and by how many processes at once', async () => {
    const another = new Organizations({
      ...{ store, ids: systemIds, clock: new ManualClock() },
      ledgers: new Ledgers({ store, clock: new ManualClock(), ids: systemIds }),
    })
    await Promise.all([
      organizations.establish('o1', 'Acme'),
      organizations.establish('o1', 'Acme'),
      another.establish('o1', 'Acme'),
    ])
    await another.establish('o1', 'Acme')
    expect(await store.read(streams.organization('o1'))).to.have.length(1)
    expect(await store.read(streams.credits('o1'))).to.have.length(1)
    expect(await ledgers.current('o1')).to.include({ balance: 50, plan: 'free' })
  })

  it('name the cause of a grant and of a change of plan, where there is one', async () => {
    const { orgId } = await organizations.create('Acme', 'free')
    await organizations.grant(orgId, 5, 'entry 1')
    await organizations.changePlan(orgId, 'starter', 'entry 2')
    const [, granted, changed] = await store.read(streams.credits(orgId))
    expect([granted, changed].map((event) => event?.metadata.causationId)).to.deep.equal(['entry 1', 'entry 2'])
  })

  it('must exist', async () => {
    const attempts = [
      organizations.grant('nobody', 5),
      organizations.changePlan('nobody', 'pro'),
      organizations.createKey('nobody', { name: 'x', grant: fullGrant }),
    ]
    for (const attempt of attempts) {
      const error = await attempt.then(
        () => undefined,
        (reason: unknown) => reason,
      )
      expect(error).to.be.instanceOf(UnknownOrganizationError)
    }
    expect(await store.read(streams.credits('nobody'))).to.deep.equal([])
  })

  it('are listed oldest first', async () => {
    await organizations.create('One', 'free')
    await organizations.create('Two', 'pro')
    const listed = await Array.fromAsync(organizations.list())
    expect(listed.map(({ name, ledger }) => [name, ledger.balance])).to.deep.equal([
      ['One', 50],
      ['Two', 2050],
    ])
  })
})

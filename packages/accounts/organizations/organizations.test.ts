import { expect } from 'chai'
import { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import { systemIds } from '#packages/adapters/system/ids.ts'
import { fullGrant, type KeyGrant } from '#packages/domain/key/grant.ts'
import { InvalidEventError } from '#packages/ports/event-store.ts'
import { streams } from '#packages/ports/ids.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { MemoryEventStore } from '#test/doubles/memory-event-store.ts'
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

  it('are established once, with 50 credits, however often and by however many processes at once', async () => {
    const another = new Organizations({
      ...{ store, ids: systemIds, clock: new ManualClock() },
      ledgers: new Ledgers({ store, clock: new ManualClock(), ids: systemIds }),
    })
    await Promise.all([
      organizations.establish('o1', 'Acme', 'account-1'),
      organizations.establish('o1', 'Acme', 'account-1'),
      another.establish('o1', 'Acme', 'account-1'),
    ])
    await another.establish('o1', 'Acme', 'account-1')
    expect(await store.read(streams.organization('o1'))).to.have.length(1)
    expect(await store.read(streams.credits('o1'))).to.have.length(1)
    expect(await ledgers.current('o1')).to.include({ balance: 50, plan: 'free' })
  })

  it('record who granted credits and changed the plan: account, audit trail entry or shell', async () => {
    await organizations.establish('o1', 'Acme', 'account-1')
    await organizations.grant('o1', 5, 'entry-2')
    await organizations.changePlan('o1', 'starter', 'entry-3')
    await organizations.grant('o1', 5)
    const events = await store.read(streams.credits('o1'))
    const by = events.flatMap(({ data }) => ('by' in data ? [data.by] : []))
    expect(by).to.deep.equal(['account-1', 'entry-2', 'entry-3', 'command'])
    const named = organizations.grant('o1', 5, 'op@example.com')
    expect(await failureOf(named), 'an address').to.be.instanceOf(InvalidEventError)
  })

  it('are renamed, and are listed by their new name', async () => {
    const { orgId } = await organizations.create('Acme', 'free')
    await organizations.rename(orgId, 'Acme & Co')
    await organizations.rename(orgId, 'Acme & Co')
    expect(await store.read(streams.organization(orgId))).to.have.length(2)
    const [listed] = await Array.fromAsync(organizations.list())
    expect(listed).to.include({ orgId, name: 'Acme & Co' })
    expect(await failureOf(organizations.rename('nobody', 'Acme'))).to.be.instanceOf(UnknownOrganizationError)
  })

  it('must exist', async () => {
    const attempts = [
      organizations.grant('nobody', 5),
      organizations.changePlan('nobody', 'pro'),
      organizations.createKey('nobody', { name: 'x', grant: fullGrant }),
    ]
    for (const attempt of attempts) expect(await failureOf(attempt)).to.be.instanceOf(UnknownOrganizationError)
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

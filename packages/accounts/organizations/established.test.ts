import { expect } from 'chai'
import { Ledgers, ledgerDefaults } from '#packages/accounts/ledger/ledgers.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { createLog } from '#packages/telemetry/log.ts'
import { ManualClock } from '#test/doubles/manual-clock.ts'
import { MemoryEventStore } from '#test/doubles/memory-event-store.ts'
import { establishedIn } from './established.ts'
import { Organizations } from './organizations.ts'

const DAY_MS = 24 * 60 * 60_000

describe('an established organization', () => {
  it('was registered more than a day ago', async () => {
    const clock = new ManualClock()
    const store = new MemoryEventStore({ clock })
    const ledgers = new Ledgers({ store, clock, ids, log: createLog('test', 'silent') }, ledgerDefaults)
    const { orgId } = await new Organizations({ store, clock, ids, ledgers }).create('Acme', 'pro')
    const isEstablished = establishedIn(store, clock)
    expect(await isEstablished(orgId)).to.equal(false)
    await clock.advance(DAY_MS)
    expect(await isEstablished(orgId)).to.equal(false)
    await clock.advance(1)
    expect([await isEstablished(orgId), await isEstablished('nobody')]).to.deep.equal([true, false])
  })
})

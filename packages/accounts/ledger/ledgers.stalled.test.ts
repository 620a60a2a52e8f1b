import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { openEventStoreDb } from '#packages/adapters/eventstoredb/event-store.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { DoubleProcess } from '#test/doubles/eventstoredb/double-process.ts'
import { debit, grant, ORG } from './ledger.harness.ts'
import { besideOthers, Ledgers } from './ledgers.ts'

const STALL_MS = 4000

describe('the ledgers of three processes on an EventStoreDB that stands still for 4 s', function () {
  this.timeout(60_000)

  it('refuse none of 64 adds at once', async () => {
    await using double = await DoubleProcess.start()
    await using end = new AsyncDisposableStack()
    const processes = Array.from({ length: 3 }, () => {
      const store = end.use(openEventStoreDb(double.url))
      return new Ledgers({ store, clock, ids }, besideOthers)
    })
    await processes[0]?.execute(ORG, grant(64))
    const adds = Array.from({ length: 64 }, async (_, n) => {
      const outcome = await processes[n % 3]?.execute(ORG, debit(`job-${n}`, 1))
      return outcome?.type
    })
    double.freeze()
    await sleep(STALL_MS)
    double.thaw()
    expect(new Set(await Promise.all(adds))).to.deep.equal(new Set(['debited']))
    expect((await processes[0]?.current(ORG))?.balance).to.equal(0)
  })
})

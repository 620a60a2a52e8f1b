import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { LedgerBusyError } from '#packages/foundation/errors/ledger-busy-error.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { changePlan, debit, grant, ORG, onOneStore, register, settle, storeAfter } from './ledger.harness.ts'
import type { LedgerOutcome } from './ledger-entry.ts'

describe('the ledgers', () => {
  it('give the last credits to one of several simultaneous callers', async () => {
    const { run, fold } = await storeAfter([grant(7)])
    const outcomes = await Promise.all(['a', 'b', 'c', 'd'].map((jobId) => run(debit(jobId, 5))))
    expect(outcomes.map(({ type }) => type)).to.deep.equal(['debited', 'insufficient', 'insufficient', 'insufficient'])
    expect(outcomes[3]).to.deep.equal({ type: 'insufficient', required: 5, remaining: 2, held: 5 })
    expect((await fold()).balance).to.equal(2)
  })

  it('write what arrives together in one append', async () => {
    const { run, store, stored } = await storeAfter([grant(500)])
    await setImmediate()
    store.appends.length = 0
    await Promise.all(Array.from({ length: 50 }, (_, index) => run(debit(`job-${index}`, 1))))
    expect(store.appends.map(({ ids }) => ids.length)).to.deep.equal([1, 49])
    const debits = (await stored()).filter(({ type }) => type === 'CreditsDebited')
    expect(debits.map(({ metadata }) => metadata.correlationId)).to.deep.equal(
      Array.from({ length: 50 }, (_, index) => `job-${index}`),
    )
  })

  it('append without a read, once they know a ledger', async () => {
    const { run, store } = await storeAfter([grant(50), settle('none', 0)])
    store.beforeRead = () => expect.fail('it was read')
    expect(await run(debit('a', 5))).to.deep.equal({ type: 'debited', credits: 5 })
  })

  it('know a plan without a read for the wanted time after their own append or read', async () => {
    const { one, other, clock } = await storeAfter([])
    expect(one.ledgers.knownPlan(ORG, 1000), 'nothing is known yet').to.equal(undefined)
    await one.run(changePlan('pro'))
    await one.ledgers.current(ORG)
    await one.run(grant(1))
    clock.time += 999
    expect(one.ledgers.knownPlan(ORG, 1000)).to.equal('pro')
    clock.time += 1
    expect(one.ledgers.knownPlan(ORG, 1000), 'others may have changed it').to.equal(undefined)
    await other.run(changePlan('starter'))
    // The feed may bring events that are not the newest.
    await one.feed()
    expect(one.ledgers.knownPlan(ORG, 1000)).to.equal(undefined)
    await one.ledgers.current(ORG)
    expect(one.ledgers.knownPlan(ORG, 1000)).to.equal('starter')
  })

  it('keep organizations apart, including those that do not fit into memory', async () => {
    const { run, ledgers } = await storeAfter([], { cachedLedgers: 1 })
    const orgs = ['org-1', 'org-2', 'org-3']
    await Promise.all(orgs.map((orgId, index) => run(grant(10 + index), orgId)))
    await Promise.all(orgs.flatMap((orgId) => [run(debit('a', 1), orgId), run(debit('b', 1), orgId)]))
    const balances = await Promise.all(orgs.map(async (orgId) => (await ledgers.current(orgId)).balance))
    expect(balances).to.deep.equal([8, 9, 10])
  })

  describe('never refuse from memory alone', () => {
    it('a debit, when another process has granted credits', async () => {
      const { one, other } = await storeAfter([grant(4)])
      expect((await one.run(debit('a', 5))).type).to.equal('insufficient')
      await other.run(grant(1))
      expect(await one.run(debit('a', 5))).to.deep.equal({ type: 'debited', credits: 5 })
    })

    it('a settlement, when another process has written the debit', async () => {
      const { one, other } = await storeAfter([grant(50)])
      await other.run(debit('a', 5))
      expect(await one.run(settle('a', 1))).to.deep.equal({ type: 'done' })
    })

    it('one of a batch, while the others succeed', async () => {
      const { one, other, fold } = await storeAfter([grant(6)])
      await other.run(grant(5))
      const first = one.run(debit('first', 1))
      const outcomes = await Promise.all([first, one.run(debit('a', 5)), one.run(debit('b', 5))])
      expect(outcomes.map(({ type }) => type)).to.deep.equal(['debited', 'debited', 'debited'])
      expect((await fold()).balance).to.equal(0)
    })
  })

  describe('with two processes', () => {
    it('count two equal grants twice, and a repeated debit once', async () => {
      const { one, other, fold } = await storeAfter([])
      await Promise.all([one.run(grant(20)), other.run(grant(20))])
      expect((await fold()).balance).to.equal(40)
      await one.ledgers.current(ORG)
      await other.ledgers.current(ORG)
      const both = await Promise.all([one.run(debit('a', 5)), other.run(debit('a', 5))])
      expect(both.every(({ type }) => type === 'debited' || type === 'already-open')).to.equal(true)
      expect(both[0]).to.deep.equal({ type: 'debited', credits: 5 })
      expect((await fold()).balance).to.equal(35)
    })
  })

  describe('when the store', () => {
    it('loses an answer, repeat the identical call with nothing added', async () => {
      const { run, store, stored } = await storeAfter([grant(50)])
      store.appends.length = 0
      let lost = 0
      let late: Promise<LedgerOutcome> | undefined
      store.fault = async (_stream, _events, proceed) => {
        const answer = await proceed()
        if (lost++ >= 3) return answer
        late ??= run(debit('late', 1))
        throw new Error('connection lost')
      }
      expect(await run(debit('a', 5))).to.deep.equal({ type: 'debited', credits: 5 })
      expect(await late).to.deep.equal({ type: 'debited', credits: 1 })
      const [first, ...repeats] = store.appends.slice(0, 4)
      for (const repeat of repeats) expect(repeat).to.deep.equal(first)
      expect(first?.ids).to.have.length(1)
      expect((await stored()).map(({ type }) => type)).to.deep.equal([
        'CreditsGranted',
        'CreditsDebited',
        'CreditsDebited',
      ])
    })

    it('fails for ever, reject every caller in bounded time, and work again when it does', async () => {
      const { clock, run, store, fold } = await storeAfter([grant(50)], { giveUpAfterMs: 5000 })
      await setImmediate()
      store.fault = () => Promise.reject(new Error('down'))
      const began = clock.now()
      const errors = await Promise.all(['a', 'b', 'c'].map((jobId) => failureOf(run(debit(jobId, 5)))))
      for (const error of errors) expect(error).to.be.instanceOf(LedgerBusyError)
      expect(errors[0]).to.deep.include({ mayBeStored: true }).and.nested.include({ 'cause.message': 'down' })
      expect(clock.now() - began).to.be.within(5000, 6000)
      store.fault = undefined
      expect((await run(debit('d', 5))).type).to.equal('debited')
      expect((await fold()).balance).to.equal(45)
    })

    it('always has an append of another process first, become slow but never unavailable', async () => {
      const { clock, one, other, fold } = await storeAfter([grant(50)], { giveUpAfterMs: 1000 })
      let wins = 200
      const decidedAt = new Set<unknown>()
      one.store.fault = async (_stream, _events, proceed) => {
        decidedAt.add((await fold()).balance)
        clock.time += 100
        if (wins-- > 0) await other.run(grant(1))
        return proceed()
      }
      const began = clock.now()
      const late = Array.from({ length: 64 }, (_, index) => one.run(debit(`job-${index}`, 1)))
      const outcomes = await Promise.all(late)
      expect(outcomes.every(({ type }) => type === 'debited')).to.equal(true)
      expect(clock.now() - began, 'milliseconds, many times the limit for a silent store').to.be.above(20_000)
      expect(one.store.appends.at(-1)?.ids, 'all of them in one append').to.have.length(64)
      expect((await fold()).balance).to.equal(50 + 200 - 64)
    })

    it('is silent between conflicts, give up a fixed time after its last answer', async () => {
      const { clock, one, other } = await storeAfter([grant(50)], { giveUpAfterMs: 1000 })
      let attempts = 0
      let answeredAt = 0
      one.store.fault = async (_stream, _events, proceed) => {
        attempts++
        if (attempts > 30) throw new Error('down')
        clock.time += 100
        answeredAt = clock.now()
        await other.run(grant(1))
        return proceed()
      }
      expect(await failureOf(one.run(debit('a', 5)))).to.be.instanceOf(LedgerBusyError)
      expect(clock.now() - answeredAt).to.be.within(1000, 2000)
    })

    it('was put back to an older copy, read the ledger again', async () => {
      const { one: before } = await storeAfter([grant(50)])
      const { run, store, ledgers } = await storeAfter(Array.from({ length: 5 }, () => grant(10)))
      expect((await ledgers.current(ORG)).balance).to.equal(50)
      store.becomes(before.store)
      expect(await run(debit('a', 5))).to.deep.equal({ type: 'debited', credits: 5 })
      expect(await before.run(debit('b', 45))).to.deep.equal({ type: 'debited', credits: 45 })
    })

    it('gets more commands than one append holds, use several appends, first come first served', async () => {
      const { run, store, stored } = await storeAfter([grant(5000)])
      await setImmediate()
      store.appends.length = 0
      const order: number[] = []
      const all = Array.from({ length: 400 }, (_, index) => run(debit(`job-${index}`, 5)).then(() => order.push(index)))
      await Promise.all(all)
      const settled = Array.from({ length: 400 }, (_, index) => run(settle(`job-${index}`, 0)))
      await Promise.all(settled)
      for (const { ids } of store.appends) expect(ids.length).to.be.below(100)
      expect(store.appends.length).to.be.within(10, 20)
      expect(order).to.deep.equal(Array.from({ length: 400 }, (_, index) => index))
      const debits = (await stored()).flatMap((event) => (event.type === 'CreditsDebited' ? [event.data.jobId] : []))
      expect(debits).to.deep.equal(Array.from({ length: 400 }, (_, index) => `job-${index}`))
    })

    it('has stored an append without answering, find its events afterwards', async () => {
      const { run, store, ledgers, fold } = await storeAfter([grant(50)], { giveUpAfterMs: 100 })
      store.fault = async (_stream, _events, proceed) => {
        await proceed()
        throw new Error('connection lost')
      }
      expect(await failureOf(run(debit('a', 5)))).to.be.instanceOf(LedgerBusyError)
      store.fault = undefined
      expect([...(await ledgers.current(ORG)).openDebits.keys()]).to.deep.equal(['a'])
      expect(await run(settle('a', 5))).to.deep.equal({ type: 'done' })
      expect((await fold()).balance).to.equal(45)
    })

    it('cannot be read, reject the waiting callers and no later ones', async () => {
      const { run, store } = await storeAfter([])
      store.beforeRead = () => Promise.reject(new Error('unreadable'))
      expect(await failureOf(run(grant(5))))
        .to.be.instanceOf(LedgerBusyError)
        .and.include({ mayBeStored: false })
      store.beforeRead = async () => {}
      expect(await run(grant(5))).to.deep.equal({ type: 'done' })
    })
  })

  describe('loaded from the store', () => {
    it('cost no more when they are old', async () => {
      const { process, fold, stored } = onOneStore()
      const writer = process()
      for (let batch = 0; batch < 40; batch++) await Promise.all(Array.from({ length: 50 }, () => writer.run(grant(1))))
      await writer.run(debit('open', 5))
      expect((await stored()).length).to.be.greaterThan(2000)
      const reader = process()
      const ledger = await reader.ledgers.current(ORG)
      expect(reader.store.eventsRead).to.be.at.most(250)
      expect(ledger).to.deep.equal(await fold())
      expect((await reader.run(settle('open', 1))).type).to.equal('done')
    })

    it('show the balance after a due renewal, and write nothing for it', async () => {
      const { clock, run, ledgers, stored } = await storeAfter([register(), changePlan('starter'), debit('a', 10)])
      expect((await ledgers.current(ORG)).balance).to.equal(540)
      const { length } = await stored()
      clock.time = Date.UTC(2026, 1, 1)
      expect(await ledgers.current(ORG)).to.include({ balance: 500, period: '2026-02' })
      expect(await stored()).to.have.length(length)
      await run(settle('a', 0))
      expect((await ledgers.current(ORG)).balance, 'the refund is of the month that has ended').to.equal(500)
    })

    it('are never older than an answer that was given during the read', async () => {
      const { run, ledgers, store } = await storeAfter([grant(50), settle('none', 0)])
      const debited = Promise.withResolvers<void>()
      store.afterRead = () => debited.promise
      const reading = ledgers.current(ORG)
      await run(debit('a', 5))
      debited.resolve()
      expect((await reading).balance).to.equal(45)
      store.appends.length = 0
      store.beforeRead = () => expect.fail('it was read')
      await run(debit('b', 5))
      expect(store.appends).to.have.length(1)
    })
  })
})

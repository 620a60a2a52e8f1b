import { expect } from 'chai'
import type { CreditsTransaction } from '#contracts/generated/http.ts'
import { EVENTS_PER_STATEMENT } from '#packages/domain/credits/credits.ts'
import type { EventStore, StoredEvent } from '#packages/ports/event-store.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { changePlan, debit, grant, ORG, register, settle, storeAfter } from './ledger.harness.ts'
import { listJobTransactions } from './list-job-transactions.ts'
import { listTransactions } from './list-transactions.ts'

/** All lines, read in pages of this many. */
async function linesOf(store: EventStore, limit: number): Promise<CreditsTransaction[]> {
  const lines: CreditsTransaction[] = []
  for (let cursor: string | undefined; ; ) {
    const { transactions, nextCursor } = await listTransactions(store, ORG, { cursor, limit })
    lines.push(...transactions)
    if (nextCursor === null) return lines
    expect(transactions).to.have.length(limit)
    cursor = nextCursor
  }
}

describe('the list of transactions', () => {
  it('has every line of the ledger with its job, newest first, and the balance after it', async () => {
    const begun = [register(), changePlan('starter'), debit('a', 5), settle('a', 1)]
    const { run, store, ledgers, clock } = await storeAfter(begun)
    const createdAt = new Date(clock.now()).toISOString()
    clock.time = Date.UTC(2026, 1, 15)
    await run(debit('b', 10))
    const ofJob = { operation: 'transcript', keyId: null, batchId: null, createdAt }
    const ofNone = { jobId: null, operation: null, keyId: null, batchId: null, createdAt }
    const later = { createdAt: '2026-02-15T00:00:00.000Z' }
    const { transactions, nextCursor } = await listTransactions(store, ORG, { cursor: undefined, limit: 10 })
    expect(transactions).to.deep.equal([
      { type: 'debit', reason: null, amount: -10, balance: 490, ...ofJob, jobId: 'b', ...later },
      { type: 'renewal', reason: '2026-02', amount: -49, balance: 500, ...ofNone, ...later },
      { type: 'settlement', reason: 'completed', amount: 4, balance: 549, ...ofJob, jobId: 'a' },
      { type: 'debit', reason: null, amount: -5, balance: 545, ...ofJob, jobId: 'a' },
      { type: 'renewal', reason: '2026-01', amount: 500, balance: 550, ...ofNone },
      { type: 'plan_change', reason: 'starter', amount: 0, balance: 50, ...ofNone },
      { type: 'grant', reason: 'sign_up', amount: 50, balance: 50, ...ofNone },
    ])
    expect(nextCursor).to.equal(null)
    expect((await ledgers.current(ORG)).balance).to.equal(490)
  })

  it('is the same in pages of any size, across statements, which are not lines', async () => {
    const { run, store, stored, fold } = await storeAfter([grant(1000), changePlan('starter')])
    for (let n = 0; n < EVENTS_PER_STATEMENT; n++) {
      await run(debit(`job-${n}`, (n % 10) + 1))
      if (n % 7 > 0) await run(settle(`job-${n}`, n % 3))
    }
    const events = await stored()
    const repeated = events.filter(({ type }) => type === 'CreditsStated')
    expect(repeated).to.have.length(1)
    const all = await linesOf(store, 10_000)
    expect(all).to.have.length(events.length - repeated.length)
    for (const limit of [1, 7, 100, all.length - 1, all.length]) expect(await linesOf(store, limit)).to.deep.equal(all)
    expect(all[0]?.balance).to.equal((await fold()).balance)
    let balance = 0
    for (const line of all.toReversed()) {
      balance += line.amount
      expect(line.balance).to.equal(balance)
    }
  })

  it('reads no more of an old ledger than of a young one', async () => {
    const { run, store } = await storeAfter([grant(5000)])
    for (let n = 0; n < 600; n++) await Promise.all([run(debit(`job-${n}`, 1)), run(settle(`job-${n - 1}`, 1))])
    let read = 0
    const readOnly: Pick<EventStore, 'read' | 'readBackwards'> = {
      async read(stream, options) {
        const events = await store.read(stream, options)
        read += events.length
        return events
      },
      async *readBackwards(stream) {
        for await (const event of store.readBackwards(stream)) {
          read++
          yield event
        }
      },
    }
    for (const cursor of [undefined, '1150', '700']) {
      read = 0
      const page = await listTransactions(readOnly, ORG, { cursor, limit: 10 })
      expect(page.transactions).to.have.length(10)
      expect(read).to.be.at.most(600)
    }
  })

  describe('of a ledger that retention has truncated', () => {
    /** A ledger of some jobs, truncated before its last statement. */
    async function truncated(after: number) {
      const { run, store, ledgers, stored } = await storeAfter([grant(1000), changePlan('starter')])
      for (let n = 0; n < EVENTS_PER_STATEMENT + after; n++) {
        await run(debit(`job-${n}`, 2))
        if (n % 2 > 0) await run(settle(`job-${n}`, 1))
      }
      const events = await stored()
      const before = await linesOf(store, 10_000)
      const statement = events.findLastIndex(({ type }) => type === 'CreditsStated')
      await store.truncate(
        `credits-${ORG}`,
        events.findLastIndex((event, at) => at < statement && !isOfNothing(event)) + 1,
      )
      return { store, before, statement: events[statement], balance: (await ledgers.current(ORG)).balance }
    }
    const isOfNothing = ({ type, data }: StoredEvent): boolean =>
      type === 'CreditsRenewed' && data.credits + data.expired === 0

    it('ends with one line that states the balance, in pages of any size, and still adds up', async () => {
      const { store, before, statement, balance } = await truncated(40)
      const all = await linesOf(store, 10_000)
      expect(before.slice(0, all.length - 1)).to.deep.equal(all.slice(0, -1))
      expect(all.length).to.be.within(20, before.length - EVENTS_PER_STATEMENT / 2)
      const opening = all.at(-1)
      expect(opening).to.deep.equal({
        type: 'opening',
        createdAt: new Date(statement?.recordedAt ?? 0).toISOString(),
        amount: opening?.balance,
        balance: before[all.length - 1]?.balance,
        reason: null,
        jobId: null,
        operation: null,
        keyId: null,
        batchId: null,
      })
      expect(all.reduce((sum, { amount }) => sum + amount, 0)).to.equal(balance)
      for (const limit of [1, 7, all.length - 1, all.length]) expect(await linesOf(store, limit)).to.deep.equal(all)
    })

    it('has lines of jobs after the opening, and none of those before it', async () => {
      const { store } = await truncated(40)
      const events = await store.read(`credits-${ORG}`)
      const last = events.findLast(({ type }) => type === 'CreditsDebited')
      if (last?.type !== 'CreditsDebited') throw new Error('there is no debit')
      const linesAt = (jobId: string, began: number) =>
        listJobTransactions(store, ORG, { jobId, began, ended: undefined })
      expect((await linesAt(last.data.jobId, last.position)).map(({ amount }) => amount)).to.deep.equal([-2])
      expect(await linesAt('job-0', 3)).to.deep.equal([])
    })

    it('ends a list if its next page was truncated meanwhile', async () => {
      const { store } = await truncated(40)
      expect(await listTransactions(store, ORG, { cursor: '50', limit: 10 })).to.deep.equal({
        transactions: [],
        nextCursor: null,
      })
    })
  })

  it('refuses a cursor that it never gave', async () => {
    const { store } = await storeAfter([grant(1)])
    for (const cursor of ['0', '-1', 'x', '1.5', '99', '999999999999999']) {
      expect(await failureOf(listTransactions(store, ORG, { cursor, limit: 10 })), cursor).to.include({
        code: 'invalid_request',
      })
    }
  })
})

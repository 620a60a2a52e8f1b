import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { LedgerBusyError } from '#packages/foundation/errors/ledger-busy-error.ts'
import { UnreachableError } from '#packages/ports/unreachable.ts'
import { failureOf } from '#test/doubles/failure-of.ts'
import { debit, grant, ORG, onOneStore, settle, storeAfter, twoOnOneStore } from './ledger.harness.ts'
import { besideOthers } from './ledgers.ts'

describe('ledgers that the feed brings up to date', () => {
  it('append without a read or a conflict after others have appended', async () => {
    const { one, other, fold } = await twoOnOneStore()
    await other.run(debit('theirs', 5))
    await other.run(settle('theirs', 2))
    await one.feed()
    one.store.appends.length = 0
    one.store.beforeRead = () => expect.fail('it was read')
    expect(one.ledgers.knownBalance(ORG)).to.equal(48)
    expect(await one.run(debit('ours', 7))).to.deep.equal({ type: 'debited', credits: 7 })
    expect(one.store.appends).to.have.length(1)
    expect((await fold()).balance).to.equal(41)
  })

  it('take no event after a gap, and read what is missing', async () => {
    const { one, other, stored, fold } = await twoOnOneStore()
    for (const jobId of ['a', 'b', 'c']) await other.run(debit(jobId, 5))
    one.ledgers.take({ events: (await stored()).slice(2) })
    expect(one.ledgers.knownBalance(ORG)).to.equal(50)
    expect(await one.run(debit('d', 5))).to.deep.equal({ type: 'debited', credits: 5 })
    expect((await fold()).balance).to.equal(30)
    expect(one.ledgers.knownBalance(ORG)).to.equal(30)
  })

  it('ignore ledgers that are not in memory, and events that they have seen', async () => {
    const { one, process, fold } = await twoOnOneStore()
    const third = process()
    await third.feed()
    expect(third.ledgers.knownBalance(ORG)).to.equal(undefined)
    for (let n = 0; n < 3; n++) await one.run(debit(`job-${n}`, 5))
    await one.feed()
    await one.feed()
    expect(await one.ledgers.current(ORG)).to.deep.equal(await fold())
  })

  it('fold their own events once, even if the feed is faster than the answer to the append', async () => {
    const { one, fold } = await twoOnOneStore()
    one.store.fault = async (_stream, _events, proceed) => {
      const answer = await proceed()
      await one.feed()
      one.ledgers.knownBalance(ORG)
      return answer
    }
    for (let n = 0; n < 3; n++) await one.run(debit(`job-${n}`, 5))
    expect(await one.ledgers.current(ORG)).to.deep.equal(await fold())
    expect(one.store.appends).to.have.length(4)
  })

  it('hold many events, and fold them on access', async () => {
    const { one, other, fold } = await twoOnOneStore()
    for (let n = 0; n < 5; n++) {
      await Promise.all(Array.from({ length: 80 }, () => other.run(grant(1))))
      await one.feed()
    }
    expect(one.ledgers.knownBalance(ORG)).to.equal((await fold()).balance)
  })
})

describe('after a conflict, ledgers', () => {
  for (const isFed of [true, false])
    it(`go on at once, ${isFed ? 'without a read if the feed has brought the events' : 'with one read'}`, async () => {
      const { one, other, clock } = await twoOnOneStore()
      one.store.reads.length = 0
      one.store.appends.length = 0
      one.store.fault = async (_stream, _events, proceed) => {
        one.store.fault = undefined
        await other.run(debit('theirs', 5))
        if (isFed) await one.feed()
        return proceed()
      }
      const began = clock.now()
      expect(await one.run(debit('ours', 5))).to.deep.equal({ type: 'debited', credits: 5 })
      expect(one.store.appends).to.have.length(2)
      expect(one.store.reads).to.have.length(isFed ? 0 : 1)
      expect(clock.now() - began, 'milliseconds slept').to.equal(0)
    })

  it('of three processes all get their turns, in appends that grow with the wait', async () => {
    const { process, stored, fold } = onOneStore()
    const processes = [process(), process(), process()]
    await processes[0]?.run(grant(1000))
    let conflicts = 0
    for (const { store, feed } of processes)
      store.fault = async (_stream, _events, proceed) => {
        // The turns for the way to the store and back. The feed arrives somewhat later.
        await setImmediate()
        try {
          return await proceed()
        } catch (error) {
          conflicts++
          throw error
        } finally {
          await setImmediate()
          for (const each of processes) if (each.feed !== feed) void each.feed()
        }
      }
    const jobs = Array.from({ length: 30 }, (_, n) => n)
    const callers = Array.from({ length: 8 }, (_, n) => n)
    const outcomes = await Promise.all(
      processes.flatMap(({ run }, at) =>
        callers.map(async (caller) => {
          const types: string[] = []
          for (const n of jobs) types.push((await run(debit(`${at}/${caller}/${n}`, 1))).type)
          return types
        }),
      ),
    )
    expect(new Set(outcomes.flat())).to.deep.equal(new Set(['debited']))
    expect((await fold()).balance).to.equal(1000 - 720)
    const events = (await stored()).filter(({ type }) => type === 'CreditsDebited')
    expect(events).to.have.length(720)
    const appends = processes.reduce((sum, { store }) => sum + store.appends.length, 0)
    // Each append of one process conflicts with at most one of each other process.
    expect(conflicts).to.be.at.most((appends - conflicts) * 2)
    expect(appends, '720 debits by 8 callers in each of 3 processes').to.be.below(400)
  })
})

describe('if the store is slow, ledgers', () => {
  it('repeat an unanswered append for as long as others are answered', async () => {
    const { clock, one, fold } = await twoOnOneStore()
    let silent = 6
    one.store.fault = async (stream, _events, proceed) => {
      if (stream !== `credits-${ORG}`) return proceed()
      clock.time += 2000
      if (silent-- === 0) return proceed()
      await one.run(grant(1), 'org-2')
      throw new UnreachableError('the event store', undefined)
    }
    expect(await one.run(debit('a', 5))).to.deep.equal({ type: 'debited', credits: 5 })
    expect((await fold()).balance).to.equal(45)
  })

  it('finally give up if only others are ever answered', async () => {
    const { clock, one } = await twoOnOneStore()
    one.store.fault = async (stream, _events, proceed) => {
      if (stream !== `credits-${ORG}`) return proceed()
      clock.time += 2000
      await one.run(grant(1), 'org-2')
      throw new UnreachableError('the event store', undefined)
    }
    const began = clock.now()
    expect(await failureOf(one.run(debit('a', 5)))).to.be.instanceOf(LedgerBusyError)
    expect(clock.now() - began).to.be.within(20_000, 35_000)
  })

  it('repeat a read that is not answered', async () => {
    const { clock, process, one } = await twoOnOneStore()
    const late = process()
    let silent = 2
    late.store.beforeRead = async () => {
      clock.time += 2000
      if (silent-- > 0) throw new UnreachableError('the event store', undefined)
    }
    expect(await late.run(debit('a', 5))).to.deep.equal({ type: 'debited', credits: 5 })
    late.store.beforeRead = () => Promise.reject(new UnreachableError('the event store', undefined))
    await one.run(grant(1))
    expect(await failureOf(late.run(debit('too much', 500)))).to.be.instanceOf(LedgerBusyError)
  })
})

describe('commands that can wait', () => {
  const slow = async () => {
    const { clock, store, ...own } = await storeAfter([], besideOthers)
    store.fault = (_stream, _events, proceed) => {
      clock.time += 40
      return proceed()
    }
    for (const one of [grant(50), ...['a', 'b', 'c'].map((jobId) => debit(jobId, 5))]) await own.run(one)
    store.appends.length = 0
    const late = (jobId: string) => own.ledgers.execute(ORG, settle(jobId, 1), { canWait: true })
    return { ...own, store, clock, late }
  }

  it('are gathered for as long as an append takes while more debits are open', async () => {
    const { late, store, clock } = await slow()
    const began = clock.now()
    const first = late('a')
    await Promise.all([first, late('b')])
    expect(store.appends.map(({ ids }) => ids.length)).to.deep.equal([2])
    expect(clock.now() - began, 'milliseconds: one wait, one append').to.equal(80)
  })

  it('wait for nothing if they settle everything that is open', async () => {
    const { late, clock } = await slow()
    await Promise.all([late('a'), late('b')])
    const began = clock.now()
    await late('c')
    expect(clock.now() - began, 'milliseconds: one append').to.equal(40)
  })

  it('go with the first one that cannot wait', async () => {
    const { late, run, store, clock } = await slow()
    const woken = Promise.withResolvers<void>()
    clock.sleep = async (_ms, signal) => {
      signal?.addEventListener('abort', () => woken.resolve())
      await woken.promise
    }
    const first = late('a')
    await setImmediate()
    expect(store.appends).to.have.length(0)
    await Promise.all([first, run(debit('d', 5))])
    expect(store.appends.map(({ ids }) => ids.length)).to.deep.equal([2])
  })
})

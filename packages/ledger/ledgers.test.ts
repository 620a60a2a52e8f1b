import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import type { EventMetadata } from '#contracts/generated/messages.ts'
import { MemoryEventStore, MemoryEvents } from '#packages/adapters/memory/event-store.ts'
import type { LedgerCommand, LedgerOutcome } from '#packages/domain/credits/decide.ts'
import { evolve, initialLedger, type Ledger, type LedgerEvent } from '#packages/domain/credits/ledger.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore, ExpectedRevision, NewEvent, StoredEvent } from '#packages/ports/event-store.ts'
import { type Ids, uuidFrom } from '#packages/ports/ids.ts'
import { LedgerBusyError, type LedgerEntry, type LedgerOptions, Ledgers, ledgerDefaults } from './ledgers.ts'

const ORG = 'org-1'
const STREAM = `credits-${ORG}`

/** Time passes when somebody sleeps. */
class SleepersClock implements Clock {
  time = Date.UTC(2026, 0, 15)
  now(): number {
    return this.time
  }
  async sleep(ms: number): Promise<void> {
    const at = this.time + ms
    await setImmediate()
    this.time = Math.max(this.time, at)
  }
}

/** Chance that a seed decides (mulberry32). */
class SeededIds implements Ids {
  #state: number
  constructor(seed: number) {
    this.#state = seed
  }
  random(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  uuid(): string {
    return uuidFrom('test', this.random(), this.random())
  }
}

/** A store that counts, and in which a test can make things go wrong. */
class TroubledStore implements EventStore {
  readonly #store: EventStore
  appends: { expected: ExpectedRevision; ids: string[] }[] = []
  eventsRead = 0
  beforeAppend: () => Promise<void> = async () => {}
  afterAppend: () => Promise<void> = async () => {}
  beforeRead: () => Promise<void> = async () => {}

  constructor(store: EventStore) {
    this.#store = store
  }
  async append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]) {
    await this.beforeAppend()
    this.appends.push({ expected, ids: events.map(({ id }) => id) })
    const answer = await this.#store.append(stream, expected, events)
    await this.afterAppend()
    return answer
  }
  async read(stream: string, options?: { from?: number }): Promise<StoredEvent[]> {
    await this.beforeRead()
    const events = await this.#store.read(stream, options)
    this.eventsRead += events.length
    return events
  }
  async *readBackwards(stream: string): AsyncIterable<StoredEvent> {
    for await (const event of this.#store.readBackwards(stream)) {
      this.eventsRead++
      yield event
    }
  }
  follow(): never {
    throw new Error('the ledger follows no feed')
  }
  remove(stream: string): Promise<void> {
    return this.#store.remove(stream)
  }
  async [Symbol.asyncDispose](): Promise<void> {}
}

const metadata = (correlationId: string): EventMetadata => ({
  orgId: ORG,
  correlationId,
  causationId: 'test',
  traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`,
})
const entry = (command: LedgerCommand): LedgerEntry => ({
  command,
  metadata: metadata('jobId' in command ? command.jobId : 'operator'),
})
const grant = (credits: number): LedgerEntry => entry({ type: 'grant', credits })
const debit = (jobId: string, full: number, least = full): LedgerEntry =>
  entry({ type: 'debit', jobId, operation: 'transcript', full, least, requestHash: 'e'.repeat(64) })
const settle = (jobId: string, charged: number): LedgerEntry =>
  entry({ type: 'settle', jobId, charged, reason: 'completed' })

/** One store, and as many processes on it as a test asks for. */
function onOneStore(seed = 1) {
  const clock = new SleepersClock()
  const ids = new SeededIds(seed)
  const events = new MemoryEvents()
  const truth = new MemoryEventStore({ clock, events })
  return {
    clock,
    ids,
    process(options: Partial<LedgerOptions> = {}) {
      const store = new TroubledStore(new MemoryEventStore({ clock, events }))
      const ledgers = new Ledgers({ store, clock, ids }, { ...ledgerDefaults, ...options })
      const run = (one: LedgerEntry, orgId = ORG): Promise<LedgerOutcome> => ledgers.execute(orgId, () => one)
      return { store, ledgers, run }
    },
    stored: () => truth.read(STREAM),
    async fold(): Promise<Ledger> {
      return (await truth.read(STREAM)).reduce((ledger, event) => evolve(ledger, event as LedgerEvent), initialLedger)
    },
  }
}

/** The error that a promise ends with. */
const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.fail('it succeeded'),
    (error: unknown) => error,
  )

describe('the ledgers', () => {
  it('give the last credits to one of those who ask at once', async () => {
    const { process, fold } = onOneStore()
    const { run } = process()
    await run(grant(7))
    const outcomes = await Promise.all(['a', 'b', 'c', 'd'].map((jobId) => run(debit(jobId, 5))))
    expect(outcomes.map(({ type }) => type)).to.deep.equal(['debited', 'insufficient', 'insufficient', 'insufficient'])
    expect(outcomes[3]).to.deep.equal({ type: 'insufficient', required: 5, remaining: 2 })
    expect((await fold()).balance).to.equal(2)
  })

  it('write what arrives together in one append', async () => {
    const { process, stored } = onOneStore()
    const { run, store } = process()
    await run(grant(500))
    await setImmediate()
    store.appends = []
    await Promise.all(Array.from({ length: 50 }, (_, index) => run(debit(`job-${index}`, 1))))
    expect(store.appends.map(({ ids }) => ids.length)).to.deep.equal([1, 49])
    const debits = (await stored()).filter(({ type }) => type === 'CreditsDebited')
    expect(debits.map(({ metadata }) => metadata.correlationId)).to.deep.equal(
      Array.from({ length: 50 }, (_, index) => `job-${index}`),
    )
  })

  it('append without a read, once they know a ledger', async () => {
    const { process } = onOneStore()
    const { run, store } = process()
    await run(grant(50))
    store.beforeRead = () => expect.fail('it was read')
    expect(await run(debit('a', 5))).to.deep.equal({ type: 'debited', credits: 5 })
  })

  it('keep organizations apart, also those they have no room for in memory', async () => {
    const { process } = onOneStore()
    const { run, ledgers } = process({ cachedLedgers: 1 })
    const orgs = ['org-1', 'org-2', 'org-3']
    await Promise.all(orgs.map((orgId, index) => run(grant(10 + index), orgId)))
    await Promise.all(orgs.flatMap((orgId) => [run(debit('a', 1), orgId), run(debit('b', 1), orgId)]))
    const balances = await Promise.all(orgs.map(async (orgId) => (await ledgers.current(orgId)).balance))
    expect(balances).to.deep.equal([8, 9, 10])
  })

  describe('ask `prepare`', () => {
    it('again with the newer ledger after a conflict', async () => {
      const { process } = onOneStore()
      const [one, other] = [process(), process()]
      await one.run(grant(50))
      await other.run(debit('theirs', 5))
      const seen: number[] = []
      const outcome = await one.ledgers.execute(ORG, (ledger) => {
        seen.push(ledger.balance)
        return debit('ours', 1)
      })
      expect(outcome).to.deep.equal({ type: 'debited', credits: 1 })
      expect(seen).to.deep.equal([50, 45])
    })

    it('and do nothing where it wants nothing', async () => {
      const { process, stored } = onOneStore()
      const { ledgers, store } = process()
      expect(await ledgers.execute(ORG, async () => undefined)).to.deep.equal({ type: 'nothing' })
      expect(store.appends).to.deep.equal([])
      expect(await stored()).to.deep.equal([])
    })

    it('and pass its error on to its caller alone', async () => {
      const { process, fold } = onOneStore()
      const { ledgers, run } = process()
      await run(grant(50))
      const refusal = new Error('refused')
      const [first, refused, last] = await Promise.allSettled([
        run(debit('a', 5)),
        ledgers.execute(ORG, () => {
          throw refusal
        }),
        run(debit('b', 5)),
      ])
      expect([first.status, last.status]).to.deep.equal(['fulfilled', 'fulfilled'])
      expect(refused).to.deep.equal({ status: 'rejected', reason: refusal })
      expect((await fold()).balance).to.equal(40)
    })
  })

  describe('never say no from memory', () => {
    it('to a debit, when another process has granted credits', async () => {
      const { process } = onOneStore()
      const [one, other] = [process(), process()]
      await one.run(grant(4))
      expect((await one.run(debit('a', 5))).type).to.equal('insufficient')
      await other.run(grant(1))
      expect(await one.run(debit('a', 5))).to.deep.equal({ type: 'debited', credits: 5 })
    })

    it('to a settlement, when another process has taken the debit', async () => {
      const { process } = onOneStore()
      const [one, other] = [process(), process()]
      await one.run(grant(50))
      await other.run(debit('a', 5))
      expect(await one.run(settle('a', 1))).to.deep.equal({ type: 'done' })
    })

    it('to one of a batch, the others of which can be done', async () => {
      const { process, fold } = onOneStore()
      const [one, other] = [process(), process()]
      await one.run(grant(6))
      await other.run(grant(5))
      const first = one.run(debit('first', 1))
      const outcomes = await Promise.all([first, one.run(debit('a', 5)), one.run(debit('b', 5))])
      expect(outcomes.map(({ type }) => type)).to.deep.equal(['debited', 'debited', 'debited'])
      expect((await fold()).balance).to.equal(0)
    })
  })

  describe('with two processes', () => {
    it('count two equal grants twice, and one debit asked for twice once', async () => {
      const { process, fold } = onOneStore()
      const [one, other] = [process(), process()]
      await Promise.all([one.run(grant(20)), other.run(grant(20))])
      expect((await fold()).balance).to.equal(40)
      await one.ledgers.current(ORG)
      await other.ledgers.current(ORG)
      const both = await Promise.all([one.run(debit('a', 5)), other.run(debit('a', 5))])
      expect(both.every(({ type }) => type === 'debited' || type === 'nothing')).to.equal(true)
      expect(both[0]).to.deep.equal({ type: 'debited', credits: 5 })
      expect((await fold()).balance).to.equal(35)
    })

    for (let seed = 1; seed <= 25; seed++) {
      it(`lose nothing and do nothing twice, whatever the interleaving and the lost answers (seed ${seed})`, () =>
        interleaved(seed))
    }
  })

  describe('when the store', () => {
    it('loses an answer, repeat the identical call with nothing added', async () => {
      const { process, stored } = onOneStore()
      const { run, store } = process()
      await run(grant(50))
      store.appends = []
      let lost = 0
      let late: Promise<LedgerOutcome> | undefined
      store.afterAppend = async () => {
        if (lost++ < 3) {
          late ??= run(debit('late', 1))
          throw new Error('connection lost')
        }
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

    it('fails for ever, give up in bounded time, everybody, and work again when it does', async () => {
      const { clock, process, fold } = onOneStore()
      const { run, store } = process({ giveUpAfterMs: 5000 })
      await run(grant(50))
      await setImmediate()
      store.beforeAppend = () => Promise.reject(new Error('down'))
      const began = clock.now()
      const errors = await Promise.all(['a', 'b', 'c'].map((jobId) => errorOf(run(debit(jobId, 5)))))
      for (const error of errors) expect(error).to.be.instanceOf(LedgerBusyError)
      expect((errors[0] as LedgerBusyError).cause).to.include({ message: 'down' })
      expect(clock.now() - began).to.be.within(5000, 6000)
      store.beforeAppend = async () => {}
      expect((await run(debit('d', 5))).type).to.equal('debited')
      expect((await fold()).balance).to.equal(45)
    })

    it('always has somebody else’s append first, give up in bounded time', async () => {
      const { clock, process } = onOneStore()
      const [one, other] = [process({ giveUpAfterMs: 1000 }), process()]
      await one.run(grant(50))
      one.store.beforeAppend = async () => {
        await other.run(grant(1))
      }
      const began = clock.now()
      expect(await errorOf(one.run(debit('a', 5)))).to.be.instanceOf(LedgerBusyError)
      expect(clock.now() - began).to.be.within(1000, 1100)
    })

    it('has taken what it did not answer, know it afterwards', async () => {
      const { process, fold } = onOneStore()
      const { run, store, ledgers } = process({ giveUpAfterMs: 100 })
      await run(grant(50))
      store.afterAppend = () => Promise.reject(new Error('connection lost'))
      expect(await errorOf(run(debit('a', 5)))).to.be.instanceOf(LedgerBusyError)
      store.afterAppend = async () => {}
      expect([...(await ledgers.current(ORG)).openDebits.keys()]).to.deep.equal(['a'])
      expect(await run(settle('a', 5))).to.deep.equal({ type: 'done' })
      expect((await fold()).balance).to.equal(45)
    })

    it('cannot be read, tell those who wait and nobody after them', async () => {
      const { process } = onOneStore()
      const { run, store } = process()
      store.beforeRead = () => Promise.reject(new Error('unreadable'))
      expect(await errorOf(run(grant(5)))).to.include({ message: 'unreadable' })
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

    it('show what a renewal that is due will leave, and write nothing for it', async () => {
      const { clock, process, stored } = onOneStore()
      const { run, ledgers } = process()
      await run(entry({ type: 'register' }))
      await run(entry({ type: 'change-plan', plan: 'starter' }))
      await run(debit('a', 10))
      expect((await ledgers.current(ORG)).balance).to.equal(540)
      const { length } = await stored()
      clock.time = Date.UTC(2026, 1, 1)
      expect(await ledgers.current(ORG)).to.include({ balance: 500, period: '2026-02' })
      expect(await stored()).to.have.length(length)
      await run(settle('a', 0))
      expect((await ledgers.current(ORG)).balance).to.equal(510)
    })

    it('are never older than what was answered while they were read', async () => {
      const { process } = onOneStore()
      const { run, ledgers, store } = process()
      await run(grant(50))
      const debited = Promise.withResolvers<void>()
      store.beforeRead = () => debited.promise
      const reading = ledgers.current(ORG)
      await run(debit('a', 5))
      debited.resolve()
      expect((await reading).balance).to.equal(45)
      store.appends = []
      store.beforeRead = () => expect.fail('it was read')
      await run(debit('b', 5))
      expect(store.appends).to.have.length(1)
    })

    it('see at once what another process has written', async () => {
      const { process } = onOneStore()
      const [one, other] = [process(), process()]
      expect((await one.ledgers.current(ORG)).exists).to.equal(false)
      await other.run(grant(9))
      expect(await one.ledgers.current(ORG)).to.include({ exists: true, balance: 9 })
    })
  })
})

/** Two processes do many things to one ledger at once, with delays and lost answers wherever they can be. */
async function interleaved(seed: number): Promise<void> {
  const { ids, process, stored, fold } = onOneStore(seed)
  const chance = (probability: number): boolean => ids.random() < probability
  const dawdle = async (): Promise<void> => {
    while (chance(0.4)) await setImmediate()
  }
  const processes = [process({ giveUpAfterMs: 600_000 }), process({ giveUpAfterMs: 600_000 })]
  for (const { store } of processes) {
    store.beforeRead = dawdle
    store.beforeAppend = async () => {
      await dawdle()
      if (chance(0.1)) throw new Error('not sent')
    }
    store.afterAppend = async () => {
      await dawdle()
      if (chance(0.2)) throw new Error('connection lost')
    }
  }
  await processes[0]?.run(grant(60))

  const tally = { granted: 60, debited: new Map<string, number>() }
  const jobs = Array.from({ length: 25 }, (_, index) => `job-${index}`)
  const actor = async (own: (typeof processes)[number]): Promise<void> => {
    for (const jobId of jobs.filter(() => chance(0.6))) {
      await dawdle()
      const outcome = await own.run(debit(jobId, 5, 1))
      if (outcome.type === 'debited') tally.debited.set(jobId, outcome.credits)
      if (chance(0.3)) {
        await own.run(grant(3))
        tally.granted += 3
      }
    }
  }
  const settling = async (own: (typeof processes)[number]): Promise<void> => {
    for (const jobId of jobs.filter(() => chance(0.7))) {
      await dawdle()
      await own.run(settle(jobId, 1))
    }
  }
  await Promise.all(processes.flatMap((own) => [actor(own), actor(own), settling(own), settling(own)]))

  const events = await stored()
  const granted = events.map((event) => (event.type === 'CreditsGranted' ? event.data.credits : 0))
  expect(granted.reduce((total, credits) => total + credits, 0)).to.equal(tally.granted)
  let ledger = initialLedger
  for (const event of events) {
    if (event.type === 'CreditsDebited') expect(ledger.openDebits.has(event.data.jobId)).to.equal(false)
    if (event.type === 'CreditsSettled') {
      const { jobId, charged, refunded } = event.data
      expect(ledger.openDebits.get(jobId)?.credits).to.equal(charged + refunded)
    }
    ledger = evolve(ledger, event as LedgerEvent)
    expect(ledger.balance).to.be.at.least(0)
  }
  const debitedJobs = new Set(events.flatMap((event) => (event.type === 'CreditsDebited' ? [event.data.jobId] : [])))
  expect([...tally.debited.keys()].sort()).to.deep.equal([...debitedJobs].sort())
  for (const { ledgers } of processes) expect(await ledgers.current(ORG)).to.deep.equal(await fold())
}

import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { EventStore, ExpectedRevision, NewEvent, StoredEvent } from '#packages/ports/event-store.ts'
import { following, grant, grants, idsOf } from '#packages/ports/event-store-samples.contract.ts'
import { DoubleProcess } from '#test/doubles/eventstoredb/double-process.ts'
import { until } from '#test/doubles/service/until.ts'
import { type EventStoreDb, type EventStoreDbOptions, openEventStoreDb } from './event-store.ts'

/** Repeats a call until it is answered: a busy machine may stall for longer than the deadline of these tests. */
async function anyway<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch {
      await sleep(20)
    }
  }
}

/** Repeats the identical append, as the services do. */
const appendAnyway = (store: EventStore, stream: string, expected: ExpectedRevision, events: NewEvent[]) =>
  anyway(() => store.append(stream, expected, events))

const soon = { everyMs: 5 }
/** For calls that have to succeed, however busy the machine is. */
const patient = { deadlineMs: 20_000, patienceMs: 30_000 }

describe('EventStoreDb and a server that fails', function () {
  this.timeout(180_000)
  let double: DoubleProcess
  let store: EventStoreDb
  const open = (url: string, options: EventStoreDbOptions = {}): void => {
    store = openEventStoreDb(url, { deadlineMs: 400, patienceMs: 600, ...options })
  }
  beforeEach(async () => {
    double = await DoubleProcess.start()
  })
  afterEach(async () => {
    await store[Symbol.asyncDispose]()
    await double[Symbol.asyncDispose]()
  })

  it('keeps every answered append, none twice, and gives them to a follower once, through three kills', async () => {
    open(double.url)
    const follower = following(store, ['job-'])
    let stop = false
    const written: string[] = []
    const writer = async (n: number): Promise<void> => {
      let expected: ExpectedRevision = 'no-stream'
      while (!stop) {
        const events = grants(2)
        expected = (await appendAnyway(store, `job-${n}`, expected, events)).revision
        written.push(...idsOf(events))
      }
    }
    const writers = Array.from({ length: 6 }, (_, n) => writer(n))
    for (let kill = 1; kill <= 3; kill++) {
      const before = written.length
      await until('it is under load', () => written.length > before + 60, soon)
      await double.kill()
      await double.start()
    }
    stop = true
    await Promise.all(writers)
    const reading = Array.from({ length: 6 }, (_, n) => anyway(() => store.read(`job-${n}`)))
    const stored = (await Promise.all(reading)).flat()
    expect(idsOf(stored).sort()).to.deep.equal([...written].sort())
    await until('the follower has come to the end', () => follower.events.length >= stored.length, soon)
    await follower.stop()
    const inOrder = stored.sort((one, other) => one.position - other.position)
    expect(idsOf(follower.events)).to.deep.equal(idsOf(inOrder))
  })

  it('never returns an empty stream when a read failed, even if many reads fail at once', async () => {
    open(double.url)
    await appendAnyway(store, 'job-a', 'no-stream', grants(3))
    const lengths = new Set<number>()
    let failed = 0
    const end = new AbortController()
    const read = async (): Promise<void> => {
      while (!end.signal.aborted) {
        await store.read('job-a').then(
          ({ length }) => lengths.add(length),
          () => failed++,
        )
        await sleep(5)
      }
    }
    const readers = Array.from({ length: 16 }, read)
    await until('it is read', () => lengths.size > 0, soon)
    await double.kill()
    await until('the client has been replaced several times', () => failed > 64, soon)
    end.abort()
    await Promise.all(readers)
    expect([...lengths]).to.deep.equal([3])
  })

  it('detects a frozen server by its own deadline, and stores the appends under way once', async () => {
    open(double.url)
    await appendAnyway(store, 'job-a', 'no-stream', [grant()])
    double.freeze()
    const begun = Date.now()
    const [event] = [grant()]
    const failures = await Promise.allSettled([store.append('job-a', 0, [event]), store.read('job-a')])
    expect(failures.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected'])
    expect(Date.now() - begun, 'ms until it was noticed').to.be.lessThan(15_000)
    double.thaw()
    expect(await appendAnyway(store, 'job-a', 0, [event])).to.include({ revision: 1 })
    expect(await anyway(() => store.read('job-a'))).to.have.length(2)
  })

  it('does not report a follower as caught up without a connection', async () => {
    open(double.url)
    const follower = following(store, ['job-'])
    await until('it has caught up', () => follower.caughtUp, soon)
    await double.kill()
    await until('it knows that it has not', () => !follower.caughtUp, soon)
    await double.start()
    await until('it has caught up again', () => follower.caughtUp, soon)
    await follower.stop()
  })

  it('writes and follows once a server that was away at the start is up, also by discovery', async () => {
    for (const url of [double.url, double.discoverUrl]) {
      await double.kill()
      const troubles: unknown[] = []
      open(url, { onTrouble: (error) => troubles.push(error) })
      const follower = following(store, ['job-'])
      const refused = await store.append('job-a', 'no-stream', [grant()]).catch((error: unknown) => error)
      expect(refused, 'what the append failed with').to.be.instanceOf(Error)
      await until('its client has failed often', () => troubles.length >= 6, soon)
      await double.start()
      const stream = `job-${troubles.length}-${url.length}`
      await appendAnyway(store, stream, 'no-stream', [grant()])
      await until('the follower has it', () => follower.events.some((event) => event.stream === stream), soon)
      await follower.stop()
      if (url === double.url) await store[Symbol.asyncDispose]()
    }
  })

  it('gives a follower in the middle of a long history the rest of it, once', async () => {
    open(double.url, patient)
    for (let n = 0; n < 6; n++) await appendAnyway(store, `job-${n}`, 'no-stream', grants(1000))
    const events: StoredEvent[] = []
    const { signal } = new AbortController()
    let killed = false
    for await (const batch of store.follow({ after: 0, prefixes: ['job-'], signal })) {
      events.push(...batch.events)
      if (!killed) {
        killed = true
        await double.kill()
        await double.start()
      }
      if (batch.caughtUp) break
    }
    expect(events).to.have.length(6000)
    expect(new Set(events.map((event) => event.position)).size).to.equal(6000)
  })

  it('ends its followers and finishes calls under way when it is closed', async () => {
    open(double.url, patient)
    const follower = following(store, ['job-'])
    await until('it has caught up', () => follower.caughtUp, soon)
    const appending = Array.from({ length: 20 }, (_, n) => store.append(`job-${n}`, 'no-stream', [grant()]))
    const closing = store[Symbol.asyncDispose]()
    expect((await Promise.allSettled(appending)).map(({ status }) => status)).to.deep.equal(
      Array.from({ length: 20 }, () => 'fulfilled'),
    )
    await closing
    await follower.stop()
    const late = await store.append('job-late', 'no-stream', [grant()]).catch((error: unknown) => String(error))
    expect(late).to.equal('Error: the event store is closed')
  })
})

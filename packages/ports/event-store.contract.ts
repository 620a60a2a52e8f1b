import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import {
  AppendTooLargeError,
  type EventStore,
  type FeedBatch,
  InvalidEventError,
  type NewEvent,
  RevisionConflictError,
  type StoredEvent,
  StreamRemovedError,
} from './event-store.ts'

/** One body of data, and as many stores on it as are opened: a store opened again is a restart or another process. */
export type EventStoreFixture = AsyncDisposable & { open(): Promise<EventStore> }

type Grant = NewEvent & { type: 'CreditsGranted' }
type Follower = { events: StoredEvent[]; batches: FeedBatch[]; ended: Promise<void>; stop(): Promise<void> }

/** Time for what is to happen soon: generous, because a server may stand behind the port. */
const patienceMs = 15_000

const metadata = {
  orgId: 'org-1',
  correlationId: 'correlation-1',
  causationId: 'causation-1',
  traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
}

const grant = (credits = 1): Grant => ({
  id: randomUUID(),
  type: 'CreditsGranted',
  data: { credits, reason: 'adjustment' },
  metadata,
})

const grants = (count: number): Grant[] => Array.from({ length: count }, (_, index) => grant(index + 1))

/** About this many bytes that do not compress. */
const bulky = (bytes: number): NewEvent => ({
  id: randomUUID(),
  type: 'CaptionsUnavailable',
  data: { reason: Array.from({ length: Math.ceil(bytes / 36) }, () => randomUUID()).join('') },
  metadata,
})

const idsOf = (events: readonly { id: string }[]): string[] => events.map((event) => event.id)

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  )
}

async function until(condition: () => boolean, what: string): Promise<void> {
  const end = Date.now() + patienceMs
  while (!condition()) {
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`)
    await setTimeout(5)
  }
}

/** Follows in the background and keeps what comes. */
function following(store: EventStore, after: number, prefixes: readonly string[]): Follower {
  const controller = new AbortController()
  const follower: Follower = {
    events: [],
    batches: [],
    ended: Promise.resolve(),
    async stop() {
      controller.abort()
      await follower.ended
    },
  }
  const run = async (): Promise<void> => {
    for await (const batch of store.follow({ after, prefixes, signal: controller.signal })) {
      follower.batches.push(batch)
      follower.events.push(...batch.events)
    }
  }
  follower.ended = run()
  return follower
}

/** Holds an EventStore to what its port promises. The store may hold other data: every test has streams of its own. */
export function describeEventStore(name: string, makeFixture: () => Promise<EventStoreFixture>): void {
  describe(`${name} keeps the promises of EventStore`, function () {
    this.timeout(60_000)
    let fixture: EventStoreFixture
    let store: EventStore
    const opened: EventStore[] = []
    const open = async (): Promise<EventStore> => {
      const another = await fixture.open()
      opened.push(another)
      return another
    }
    /** A prefix no other test or run has. */
    let prefix: string
    const stream = (suffix: string | number = 'a'): string => `${prefix}${suffix}`

    before(async () => {
      fixture = await makeFixture()
      store = await open()
    })
    after(async () => {
      for (const each of opened) await each[Symbol.asyncDispose]()
      await fixture[Symbol.asyncDispose]()
    })
    beforeEach(() => {
      prefix = `job-${randomUUID()}-`
    })

    describe('append and read', () => {
      it('gives back what was appended, with its place, its time and its metadata', async () => {
        const events = grants(2)
        const before = Date.now()
        const appended = await store.append(stream(), 'no-stream', events)
        const read = await store.read(stream())
        expect(appended.revision).to.equal(1)
        expect(read[1]?.position).to.equal(appended.position)
        expect(read.map(({ id, type, data, metadata }) => ({ id, type, data, metadata }))).to.deep.equal(events)
        expect(read.map((event) => [event.stream, event.revision])).to.deep.equal([
          [stream(), 0],
          [stream(), 1],
        ])
        expect(read[0]?.position).to.be.lessThan(read[1]?.position ?? 0)
        for (const { recordedAt } of read) expect(recordedAt).to.be.within(before - 2000, Date.now() + 2000)
      })

      it('answers with safe positions that grow from append to append', async () => {
        let last = 0
        for (let n = 0; n < 5; n++) {
          const { position } = await store.append(stream(n), 'no-stream', [grant()])
          expect(position).to.satisfy(Number.isSafeInteger).and.to.be.greaterThan(last)
          last = position
        }
      })

      it('reads from a revision, inclusive, and nothing beyond the end', async () => {
        const events = grants(5)
        await store.append(stream(), 'no-stream', events)
        expect(idsOf(await store.read(stream(), { from: 3 }))).to.deep.equal(idsOf(events.slice(3)))
        expect(await store.read(stream(), { from: 5 })).to.deep.equal([])
      })

      it('reads nothing from a stream that does not exist, in both directions', async () => {
        expect(await store.read(stream())).to.deep.equal([])
        expect(await Array.fromAsync(store.readBackwards(stream()))).to.deep.equal([])
      })

      it('reads backwards through many pages, and stops where the caller stops', async () => {
        const events = grants(730)
        await store.append(stream(), 'no-stream', events)
        const all = await Array.fromAsync(store.readBackwards(stream()))
        expect(idsOf(all)).to.deep.equal(idsOf(events).reverse())
        let seen = 0
        for await (const event of store.readBackwards(stream())) {
          seen++
          if (event.revision === 728) break
        }
        expect(seen).to.equal(2)
      })

      it('shares no objects with those who append and read', async () => {
        const event = grant(7)
        await store.append(stream(), 'no-stream', [event])
        event.data.credits = 99
        const [first] = await store.read(stream())
        if (first?.type !== 'CreditsGranted') throw new Error('no event was read')
        first.data.credits = 100
        expect((await store.read(stream()))[0]?.data).to.deep.equal({ credits: 7, reason: 'adjustment' })
      })

      it('keeps every character, and data of several hundred kilobytes', async () => {
        const odd: NewEvent = {
          id: randomUUID(),
          type: 'CaptionsUnavailable',
          data: { reason: 'ü€😀 \u0000 "\\ \u2028 \ud800' },
          metadata,
        }
        const large = bulky(400_000)
        await store.append(stream(), 'no-stream', [odd, large])
        const read = await store.read(stream())
        expect(read.map((event) => event.data)).to.deep.equal([odd.data, large.data])
      })

      it('shows a store that was opened again everything that was answered', async () => {
        const events = grants(3)
        await store.append(stream(), 'no-stream', events)
        const again = await open()
        expect(idsOf(await again.read(stream()))).to.deep.equal(idsOf(events))
        await again.append(stream(), 2, [grant()])
        expect(await store.read(stream())).to.have.length(4)
      })
    })

    describe('conflicts', () => {
      const conflictOf = async (expected: number | 'no-stream', events: NewEvent[]): Promise<unknown[]> => {
        const error = await failureOf(store.append(stream(), expected, events))
        if (!(error instanceof RevisionConflictError)) throw new Error(`no conflict but ${String(error)}`)
        return [error.code, error.stream, error.expected, error.actual]
      }

      it('refuses any expectation but the true end, and says where the end is', async () => {
        await store.append(stream(), 'no-stream', grants(4))
        expect(await conflictOf(0, [grant()])).to.deep.equal(['revision_conflict', stream(), 0, 3])
        expect(await conflictOf(99, [grant()])).to.deep.equal(['revision_conflict', stream(), 99, 3])
        expect(await conflictOf('no-stream', [grant()])).to.deep.equal(['revision_conflict', stream(), 'no-stream', 3])
        expect(await store.read(stream())).to.have.length(4)
      })

      it('refuses a revision of a stream that does not exist', async () => {
        expect(await conflictOf(0, [grant()])).to.deep.equal(['revision_conflict', stream(), 0, 'no-stream'])
        expect(await store.read(stream())).to.deep.equal([])
      })

      it('lets exactly one of many win that append at one revision together, from two stores', async () => {
        const other = await open()
        await store.append(stream(), 'no-stream', [grant()])
        const attempts = Array.from({ length: 16 }, (_, n) => (n % 2 ? store : other).append(stream(), 0, grants(2)))
        const outcomes = await Promise.allSettled(attempts)
        const lost = outcomes.filter((outcome) => outcome.status === 'rejected')
        expect(lost).to.have.length(15)
        for (const { reason } of lost) expect(reason).to.be.instanceOf(RevisionConflictError)
        expect(await store.read(stream())).to.have.length(3)
      })

      it('takes appends to many streams at once, each on its own', async () => {
        await store.append(stream(7), 'no-stream', [grant()])
        const outcomes = await Promise.allSettled(
          Array.from({ length: 40 }, (_, n) => store.append(stream(n), 'no-stream', grants(2))),
        )
        expect(outcomes.map((outcome) => outcome.status).indexOf('rejected')).to.equal(7)
        expect(outcomes.filter((outcome) => outcome.status === 'rejected')).to.have.length(1)
      })
    })

    describe('repeats, as recorded from EventStoreDB', () => {
      let e1: Grant
      let e2: Grant
      let e3: Grant
      let first: { revision: number; position: number }
      beforeEach(async () => {
        ;[e1, e2, e3] = [grant(1), grant(2), grant(3)]
        first = await store.append(stream(), 'no-stream', [e1, e2])
      })

      it('3b answers an identical repeat as it did then, and writes nothing', async () => {
        expect(await store.append(stream(), 'no-stream', [e1, e2])).to.deep.equal(first)
        expect(await store.read(stream())).to.have.length(2)
      })

      it('3d appends the same ids again at the current revision', async () => {
        const again = await store.append(stream(), 1, [e1, e2])
        expect(again.revision).to.equal(3)
        expect(again.position).to.be.greaterThan(first.position)
        expect(idsOf(await store.read(stream()))).to.deep.equal(idsOf([e1, e2, e1, e2]))
      })

      it('3g answers a repeat also when others came after it', async () => {
        await store.append(stream(), 1, [e3])
        expect(await store.append(stream(), 'no-stream', [e1, e2])).to.deep.equal(first)
        expect(await store.read(stream())).to.have.length(3)
      })

      it('3i 3j refuses a repeat of which only a part is there', async () => {
        await store.append(stream(), 1, [e3])
        for (const events of [
          [e1, grant()],
          [e1, e2, e3, grant()],
          [e2, e1],
          [grant(), e2],
        ]) {
          const error = await failureOf(store.append(stream(), 'no-stream', events))
          expect(error).to.be.instanceOf(RevisionConflictError)
          expect((error as RevisionConflictError).actual).to.equal(2)
        }
        expect(idsOf(await store.read(stream()))).to.deep.equal(idsOf([e1, e2, e3]))
      })

      it('3l 3m answers a repeat of a piece at its own place', async () => {
        const read = await store.read(stream())
        expect(await store.append(stream(), 'no-stream', [e1])).to.deep.equal({
          revision: 0,
          position: read[0]?.position,
        })
        expect(await store.append(stream(), 0, [e2])).to.deep.equal(first)
        expect(await store.read(stream())).to.have.length(2)
      })

      it('3n ignores that a repeat has other data', async () => {
        const { revision } = await store.append(stream(), 'no-stream', [{ ...e1, data: { ...e1.data, credits: 50 } }])
        expect(revision).to.equal(0)
        expect((await store.read(stream()))[0]?.data).to.deep.equal(e1.data)
      })

      it('3p takes the same id in another stream', async () => {
        expect((await store.append(stream('b'), 'no-stream', [e1])).revision).to.equal(0)
        expect(idsOf(await store.read(stream('b')))).to.deep.equal([e1.id])
      })

      it('3r knows a repeat after a restart', async () => {
        const again = await open()
        expect((await again.append(stream(), 'no-stream', [e1, e2])).revision).to.equal(1)
        expect(await again.read(stream())).to.have.length(2)
      })

      it('writes once what is appended many times at the same moment', async () => {
        const events = grants(3)
        const answers = await Promise.all(
          Array.from({ length: 8 }, () => store.append(stream('c'), 'no-stream', events)),
        )
        for (const answer of answers) expect(answer).to.deep.equal(answers[0])
        expect(await store.read(stream('c'))).to.have.length(3)
      })
    })

    describe('what is refused', () => {
      it('writes nothing of an append of which one event does not fit its schema', async () => {
        const wrong = { ...grant(), data: { credits: 'many', reason: 'adjustment' } } as unknown as NewEvent
        expect(await failureOf(store.append(stream(), 'no-stream', [grant(), wrong]))).to.be.instanceOf(
          InvalidEventError,
        )
        const noType = { ...grant(), type: 'NeverHeardOf' } as unknown as NewEvent
        expect(await failureOf(store.append(stream(), 'no-stream', [noType]))).to.be.instanceOf(InvalidEventError)
        const noMetadata = { ...grant(), metadata: {} } as unknown as NewEvent
        expect(await failureOf(store.append(stream(), 'no-stream', [noMetadata]))).to.be.instanceOf(InvalidEventError)
        expect(await store.read(stream())).to.deep.equal([])
      })

      it('refuses an id that is not a UUID, and an append of nothing', async () => {
        const error = await failureOf(store.append(stream(), 'no-stream', [{ ...grant(), id: 'one' }]))
        expect(error).to.be.instanceOf(InvalidEventError)
        expect(await failureOf(store.append(stream(), 'no-stream', []))).to.be.instanceOf(RangeError)
      })

      it('writes nothing of an append whose data exceeds 1 MiB together, and works on', async () => {
        const events = Array.from({ length: 5 }, () => bulky(600_000))
        const error = await failureOf(store.append(stream(), 'no-stream', events))
        expect(error).to.be.instanceOf(AppendTooLargeError)
        expect(await store.read(stream())).to.deep.equal([])
        await store.append(stream(), 'no-stream', [bulky(300_000), bulky(300_000)])
        expect(await store.read(stream())).to.have.length(2)
      })
    })

    describe('follow', () => {
      /** A position from which nothing of this test has been appended yet. */
      const here = async (): Promise<number> => (await store.append(stream('mark'), 'no-stream', [grant()])).position

      it('gives history, says that it has caught up, and then what is appended', async () => {
        const after = await here()
        const history = grants(3)
        await store.append(stream(), 'no-stream', history)
        const follower = following(store, after, [prefix])
        await until(() => follower.batches.some((batch) => batch.caughtUp), 'the end of history')
        expect(idsOf(follower.events)).to.deep.equal(idsOf(history))
        const live = grants(2)
        const { position } = await store.append(stream(), 2, live)
        await until(() => follower.events.length === 5, 'what was appended')
        expect(idsOf(follower.events)).to.deep.equal(idsOf([...history, ...live]))
        expect(follower.events.at(-1)?.position).to.equal(position)
        expect(follower.events.map((event) => event.revision)).to.deep.equal([0, 1, 2, 3, 4])
        await follower.stop()
      })

      it('gives a long history in batches of at most 1,000, each ending where it says', async () => {
        const after = await here()
        for (let n = 0; n < 5; n++) await store.append(stream(n), 'no-stream', grants(500))
        const follower = following(store, after, [prefix])
        await until(() => follower.events.length >= 2500, 'the whole history')
        await follower.stop()
        expect(follower.events).to.have.length(2500)
        let position = after
        for (const batch of follower.batches) {
          expect(batch.events.length).to.be.at.most(1000)
          for (const event of batch.events) {
            expect(event.position).to.be.greaterThan(position)
            position = event.position
          }
          expect(batch.position).to.be.at.least(position)
          position = batch.position
        }
      })

      it('tells an idle feed once that it has caught up', async () => {
        const after = await here()
        const follower = following(store, after, [`${prefix}none`])
        await until(() => follower.batches.some((batch) => batch.caughtUp), 'the end of an idle feed')
        expect(follower.events).to.deep.equal([])
        expect(follower.batches.at(-1)?.position).to.be.at.least(after)
        await follower.stop()
      })

      it('gives only streams of its prefixes, and its position passes over the others', async () => {
        const rare = `key-${randomUUID()}`
        const after = await here()
        const follower = following(store, after, [rare, stream('b')])
        await store.append(stream('a'), 'no-stream', grants(3))
        await store.append(stream('b'), 'no-stream', grants(2))
        await store.append(rare, 'no-stream', grants(1))
        const last = await store.append(stream('a'), 2, grants(3))
        await until(() => (follower.batches.at(-1)?.position ?? 0) >= last.position, 'the position of another stream')
        expect(follower.events.map((event) => event.stream)).to.deep.equal([stream('b'), stream('b'), rare])
        await follower.stop()
      })

      it('starts exactly after the position it is given', async () => {
        const after = await here()
        await store.append(stream(), 'no-stream', grants(3))
        const middle = (await store.read(stream()))[1]
        const follower = following(store, middle?.position ?? after, [prefix])
        await until(() => follower.events.length > 0, 'the last event')
        expect(follower.events.map((event) => event.revision)).to.deep.equal([2])
        await follower.stop()
      })

      it('gives every event once and in order while many append, from two stores', async () => {
        const other = await open()
        const after = await here()
        const live = [following(store, after, [prefix]), following(other, after, [prefix])]
        const appender = async (writer: EventStore, n: number): Promise<void> => {
          for (let revision = -1; revision < 20; revision++) {
            await writer.append(stream(n), revision === -1 ? 'no-stream' : revision, [grant()])
          }
        }
        await Promise.all(Array.from({ length: 8 }, (_, n) => appender(n % 2 ? store : other, n)))
        for (const follower of live) {
          await until(() => follower.events.length >= 168, 'every event')
          await follower.stop()
        }
        const replay = following(store, after, [prefix])
        await until(() => replay.events.length >= 168, 'the replay')
        await replay.stop()
        const positions = replay.events.map((event) => event.position)
        expect(positions).to.deep.equal([...new Set(positions)].sort((a, b) => a - b))
        expect(positions).to.have.length(168)
        for (const follower of live) expect(idsOf(follower.events)).to.deep.equal(idsOf(replay.events))
      })

      it('shows all events of one append or none, to a store that reads meanwhile', async () => {
        const other = await open()
        const counts = new Set<number>()
        const seen = async (name: string): Promise<number> => {
          const { length } = await other.read(name)
          counts.add(length)
          return length
        }
        for (let n = 0; n < 10; n++) {
          const appended = store.append(stream(n), 'no-stream', grants(200))
          while ((await seen(stream(n))) === 0) await setTimeout(0)
          await appended
        }
        expect([...counts].filter((count) => count !== 0)).to.deep.equal([200])
      })

      it('is not held up by a reader that does not keep up, and gives that one everything later', async () => {
        const after = await here()
        const controller = new AbortController()
        const slow = store.follow({ after, prefixes: [prefix], signal: controller.signal })[Symbol.asyncIterator]()
        await slow.next()
        const quick = following(store, after, [prefix])
        for (let n = 0; n < 30; n++) await store.append(stream(n), 'no-stream', grants(40))
        await until(() => quick.events.length >= 1200, 'the quick reader')
        const late: StoredEvent[] = []
        while (late.length < 1200) {
          const { value, done } = await slow.next()
          if (done) break
          late.push(...value.events)
        }
        expect(idsOf(late)).to.deep.equal(idsOf(quick.events))
        controller.abort()
        expect((await slow.next()).done).to.equal(true)
        await quick.stop()
      })

      it('ends without an error when it is aborted: waiting, or before it began', async () => {
        const after = await here()
        const follower = following(store, after, [prefix])
        await until(() => follower.batches.length > 0, 'the first batch')
        await follower.stop()
        const aborted = store.follow({ after, prefixes: [prefix], signal: AbortSignal.abort() })
        expect(await Array.fromAsync(aborted)).to.deep.equal([])
      })

      it('sees what another store appends', async () => {
        const after = await here()
        const follower = following(store, after, [prefix])
        await until(() => follower.batches.some((batch) => batch.caughtUp), 'the end of history')
        const other = await open()
        const { position } = await other.append(stream(), 'no-stream', [grant()])
        await until(() => follower.events.at(-1)?.position === position, "the other store's event")
        await follower.stop()
      })
    })

    describe('removed streams', () => {
      it('takes no more appends, repeats included, and reads as nothing', async () => {
        const events = grants(3)
        await store.append(stream(), 'no-stream', events)
        await store.remove(stream())
        expect(await store.read(stream())).to.deep.equal([])
        expect(await Array.fromAsync(store.readBackwards(stream()))).to.deep.equal([])
        for (const expected of ['no-stream', 2] as const) {
          const error = await failureOf(store.append(stream(), expected, events))
          expect(error).to.be.instanceOf(StreamRemovedError)
        }
        const again = await open()
        expect(await failureOf(again.append(stream(), 'no-stream', [grant()]))).to.be.instanceOf(StreamRemovedError)
      })

      it('may be removed twice', async () => {
        await store.append(stream(), 'no-stream', [grant()])
        await store.remove(stream())
        await store.remove(stream())
        expect(await failureOf(store.append(stream(), 'no-stream', [grant()]))).to.be.instanceOf(StreamRemovedError)
      })

      it('are skipped by followers, and their positions are not given again', async () => {
        const kept = grants(2)
        const { position: after } = await store.append(stream('a'), 'no-stream', kept.slice(0, 1))
        const removed = await store.append(stream('b'), 'no-stream', grants(5))
        await store.remove(stream('b'))
        const later = await store.append(stream('a'), 0, kept.slice(1))
        expect(later.position).to.be.greaterThan(removed.position)
        const follower = following(store, after, [prefix])
        await until(() => (follower.batches.at(-1)?.position ?? 0) >= later.position, 'the end')
        expect(idsOf(follower.events)).to.deep.equal(idsOf(kept.slice(1)))
        await follower.stop()
      })
    })
  })
}

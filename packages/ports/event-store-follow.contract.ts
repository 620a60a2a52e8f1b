import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import { until } from '#test/doubles/service/until.ts'
import type { StoredEvent } from './event-store.ts'
import {
  type EventStoreSuite,
  type Following,
  following,
  grant,
  grants,
  idsOf,
} from './event-store-samples.contract.ts'

/** The store may be a server. */
const soon = { seconds: 50, everyMs: 5 }

/** The feed of all streams, and streams that are removed. */
export function describeFollow(suite: EventStoreSuite): void {
  describe('follow', () => {
    /** The position before the first event of this test. */
    const here = async (): Promise<number> =>
      (await suite.store.append(suite.stream('mark'), 'no-stream', [grant()])).position

    it('yields history, reports that it has caught up, and then yields new events', async () => {
      const after = await here()
      const history = grants(3)
      await suite.store.append(suite.stream(), 'no-stream', history)
      const follower = following(suite.store, [suite.prefix], after)
      await until('the end of history', () => follower.caughtUp, soon)
      expect(idsOf(follower.events)).to.deep.equal(idsOf(history))
      const live = grants(2)
      const { position } = await suite.store.append(suite.stream(), 2, live)
      await until('what was appended', () => follower.events.length === 5, soon)
      expect(idsOf(follower.events)).to.deep.equal(idsOf([...history, ...live]))
      expect(follower.events.at(-1)?.position).to.equal(position)
      expect(follower.events.map((event) => event.revision)).to.deep.equal([0, 1, 2, 3, 4])
      await follower.stop()
    })

    it('yields a long history in batches of at most 1,000 events, each up to its position', async () => {
      const after = await here()
      for (let n = 0; n < 5; n++) await suite.store.append(suite.stream(n), 'no-stream', grants(500))
      const follower = following(suite.store, [suite.prefix], after)
      await until('the whole history', () => follower.events.length >= 2500, soon)
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

    it('yields only streams of its prefixes, and has passed all others at the end of history', async () => {
      const rare = `key-${randomUUID()}`
      const after = await here()
      await suite.store.append(suite.stream('a'), 'no-stream', grants(3))
      await suite.store.append(suite.stream('b'), 'no-stream', grants(2))
      await suite.store.append(rare, 'no-stream', grants(1))
      const others = await suite.store.append(suite.stream('a'), 2, grants(3))
      const follower = following(suite.store, [rare, suite.stream('b')], after)
      await until('the end of history', () => follower.caughtUp, soon)
      expect(follower.batches.at(-1)?.position).to.be.at.least(others.position)
      const next = await suite.store.append(rare, 0, grants(1))
      await until('its next event', () => (follower.batches.at(-1)?.position ?? 0) >= next.position, soon)
      const streams = [suite.stream('b'), suite.stream('b'), rare, rare]
      expect(follower.events.map((event) => event.stream)).to.deep.equal(streams)
      await follower.stop()
    })

    it('stays caught up, or is again soon, when others append', async () => {
      const rare = `key-${randomUUID()}`
      const follower = following(suite.store, [rare], await here())
      await until('the end of history', () => follower.caughtUp, soon)
      const other = await suite.open()
      for (const [n, store] of [suite.store, other, suite.store].entries())
        await store.append(suite.stream(`other-${n}`), 'no-stream', grants(3))
      await until('the end after events of others', () => follower.caughtUp, soon)
      const own = await other.append(rare, 'no-stream', grants(1))
      await until('its own event', () => (follower.batches.at(-1)?.position ?? 0) >= own.position, soon)
      await until('the end after its own event', () => follower.caughtUp, soon)
      expect(follower.events.map((event) => event.stream)).to.deep.equal([rare])
      await follower.stop()
    })

    it('resumes after any position that it reported, with the very next event of its prefixes', async () => {
      const rare = `key-${randomUUID()}`
      const after = await here()
      for (let n = 0; n < 3; n++) {
        await suite.store.append(suite.stream(n), 'no-stream', grants(700))
        await suite.store.append(rare, n === 0 ? 'no-stream' : n - 1, [grant()])
      }
      const follower = following(suite.store, [rare], after)
      await until('the end of history', () => follower.caughtUp, soon)
      await suite.store.append(suite.stream('later'), 'no-stream', grants(700))
      await suite.store.append(rare, 2, [grant()])
      await until('the live event', () => follower.events.length === 4, soon)
      await follower.stop()
      const other = await suite.open()
      for (const { position } of follower.batches) {
        const again = following(other, [rare], position)
        await until(`the end after ${position}`, () => again.caughtUp, soon)
        const expected = follower.events.filter((event) => event.position > position)
        expect(idsOf(again.events), `after ${position}`).to.deep.equal(idsOf(expected))
        await again.stop()
      }
    })

    it('starts exactly after the given position', async () => {
      const after = await here()
      await suite.store.append(suite.stream(), 'no-stream', grants(3))
      const middle = (await suite.store.read(suite.stream()))[1]
      const follower = following(suite.store, [suite.prefix], middle?.position ?? after)
      await until('the last event', () => follower.events.length > 0, soon)
      expect(follower.events.map((event) => event.revision)).to.deep.equal([2])
      await follower.stop()
    })

    it('yields every event once and in order, for any prefixes and any start', async () => {
      const other = await suite.open()
      const after = await here()
      const prefixes = [[suite.prefix], [suite.stream(1)], [suite.stream(2), suite.stream(3)], ['key-'], ['job-']]
      const starts = [after]
      const followers: [Following, number, readonly string[]][] = []
      let last = after
      for (let n = 0; n < 40; n++) {
        for (const wanted of prefixes) {
          const start = starts[n % starts.length] ?? after
          if (n % 8 === 0) followers.push([following(suite.store, wanted, start), start, wanted])
        }
        const appends = [1, 2, 3].map((stream) => {
          const writer = (n + stream) % 5 === 0 ? other : suite.store
          return writer.append(suite.stream(`${stream}-${n}`), 'no-stream', grants(stream))
        })
        const answers = await Promise.all(appends)
        last = Math.max(...answers.map(({ position }) => position))
        starts.push(last)
      }
      const replay = following(await suite.open(), ['job-', 'key-'], after)
      await until('the last position', () => (replay.batches.at(-1)?.position ?? 0) >= last, soon)
      await replay.stop()
      for (const [follower, start, wanted] of followers) {
        const expected = replay.events.filter(
          ({ position, stream }) => position > start && wanted.some((prefix) => stream.startsWith(prefix)),
        )
        await until('all of its events', () => follower.events.length >= expected.length, soon)
        await follower.stop()
        const within = (event: StoredEvent): boolean => event.position <= (replay.events.at(-1)?.position ?? 0)
        expect(follower.events.filter(within)).to.deep.equal(expected)
      }
    })

    it('shows a concurrent reader all events of one append or none', async () => {
      const other = await suite.open()
      const counts = new Set<number>()
      const seen = async (name: string): Promise<number> => {
        const { length } = await other.read(name)
        counts.add(length)
        return length
      }
      for (let n = 0; n < 10; n++) {
        const appended = suite.store.append(suite.stream(n), 'no-stream', grants(200))
        while ((await seen(suite.stream(n))) === 0) await setTimeout(0)
        await appended
      }
      expect([...counts].filter((count) => count !== 0)).to.deep.equal([200])
    })

    it('is not delayed by a slow reader, and gives it everything later', async () => {
      const after = await here()
      const controller = new AbortController()
      const slow = suite.store
        .follow({ after, prefixes: [suite.prefix], signal: controller.signal })
        [Symbol.asyncIterator]()
      await slow.next()
      const quick = following(suite.store, [suite.prefix], after)
      for (let n = 0; n < 30; n++) await suite.store.append(suite.stream(n), 'no-stream', grants(40))
      await until('the quick reader', () => quick.events.length >= 1200, soon)
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

    it('ends without an error when it is aborted, while it waits or before it begins', async () => {
      const after = await here()
      const follower = following(suite.store, [suite.prefix], after)
      await until('the first batch', () => follower.batches.length > 0, soon)
      await follower.stop()
      const aborted = suite.store.follow({ after, prefixes: [suite.prefix], signal: AbortSignal.abort() })
      expect(await Array.fromAsync(aborted)).to.deep.equal([])
    })
  })

  describe('removed streams', () => {
    it('read as empty even in the store that wrote them, and earlier followers skip them', async () => {
      const { position: after } = await suite.store.append(suite.stream('a'), 'no-stream', [grant()])
      await suite.store.append(suite.stream('b'), 'no-stream', grants(5))
      expect(await suite.store.read(suite.stream('b'), { to: 4 })).to.have.length(5)
      const paused = suite.store
        .follow({ after, prefixes: [suite.stream('c'), suite.stream('d')], signal: new AbortController().signal })
        [Symbol.asyncIterator]()
      while (!(await paused.next()).value?.caughtUp);
      const seen: StoredEvent[] = []
      await suite.store.append(suite.stream('c'), 'no-stream', grants(2))
      await suite.store.remove(suite.stream('c'))
      const { position: end } = await suite.store.append(suite.stream('d'), 'no-stream', [grant()])
      await suite.store.remove(suite.stream('b'))
      expect(await suite.store.read(suite.stream('b'), { to: 4 })).to.deep.equal([])
      for (let position = 0; position < end; ) {
        const { value } = await paused.next()
        seen.push(...value.events)
        position = value.position
      }
      expect(seen.map(({ stream }) => stream)).to.deep.equal([suite.stream('d')])
      await paused.return?.(undefined)
    })
  })
}

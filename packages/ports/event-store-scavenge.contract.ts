import { expect } from 'chai'
import { until } from '#test/doubles/service/until.ts'
import type { EventStore, StoredEvent } from './event-store.ts'
import { type EventStoreSuite, following, grant, grants, historyAfter, idsOf } from './event-store-samples.contract.ts'

/** All events after a position. */
const all = async (store: EventStore, after: number, prefixes: readonly string[]): Promise<StoredEvent[]> =>
  (await historyAfter(store, after, prefixes)).flatMap(({ events }) => events)

/** A scavenge deletes removed events from the store's files, at any time. */
export function describeScavenges(suite: EventStoreSuite): void {
  describe('scavenges', () => {
    it('let a follower resume after a deleted event, with the very next one', async () => {
      await suite.store.append(suite.stream('a'), 'no-stream', [grant()])
      const gone = await suite.store.append(suite.stream('b'), 'no-stream', grants(3))
      const kept = grants(3)
      await suite.store.append(suite.stream('c'), 'no-stream', kept)
      await suite.store.remove(suite.stream('b'))
      await suite.scavenge()
      const later = [grant()]
      await suite.store.append(suite.stream('c'), 2, later)
      for (const store of [await suite.open(), suite.store])
        expect(idsOf(await all(store, gone.position, [suite.prefix]))).to.deep.equal(idsOf([...kept, ...later]))
    })

    it('can delete everything before the first remaining event, and everything after the last', async () => {
      const first = await suite.store.append(suite.stream('a'), 'no-stream', [grant()])
      const { position: end } = await suite.store.append(suite.stream('b'), 'no-stream', [grant()])
      for (const name of ['a', 'b']) await suite.store.remove(suite.stream(name))
      await suite.scavenge()
      const other = await suite.open()
      expect(await all(other, first.position, [suite.prefix])).to.deep.equal([])
      expect(await all(other, end, [suite.prefix])).to.deep.equal([])
      const next = grant()
      await suite.store.append(suite.stream('c'), 'no-stream', [next])
      expect(idsOf(await all(other, end, [suite.prefix]))).to.deep.equal([next.id])
    })

    it('change nothing for a concurrent follower, read or append', async () => {
      const { position: after } = await suite.store.append(suite.stream('a'), 'no-stream', [grant()])
      const follower = following(suite.store, [suite.prefix], after)
      const events = grants(4)
      await suite.store.append(suite.stream('d'), 'no-stream', events.slice(0, 1))
      await suite.store.append(suite.stream('c'), 'no-stream', [grant()])
      await suite.store.remove(suite.stream('c'))
      await suite.scavenge()
      const answer = await suite.store.append(suite.stream('d'), 0, events.slice(1, 2))
      const ofD = () => follower.events.filter(({ stream }) => stream === suite.stream('d'))
      await until('it has the second', () => ofD().length >= 2, { everyMs: 5 })
      await follower.stop()
      expect(idsOf(ofD())).to.deep.equal(idsOf(events.slice(0, 2)))
      expect(await suite.store.append(suite.stream('d'), 0, events.slice(1, 2)), 'a repeat').to.deep.equal(answer)
      expect(idsOf(await suite.store.read(suite.stream('d')))).to.deep.equal(idsOf(events.slice(0, 2)))
    })

    it('show every remaining event to a follower from any earlier position', async () => {
      const given: number[] = []
      for (let n = 0; n < 6; n++)
        given.push((await suite.store.append(suite.stream(n), 'no-stream', grants(2))).position)
      for (const removed of [[1, 2], [4], [0, 5]]) {
        for (const n of removed) await suite.store.remove(suite.stream(n))
        await suite.scavenge()
        const last = grant()
        given.push((await suite.store.append(suite.stream(`after-${removed}`), 'no-stream', [last])).position)
      }
      const other = await suite.open()
      const everything = await Promise.all(
        [3, 'after-1,2', 'after-4', 'after-0,5'].map((name) => other.read(suite.stream(name))),
      )
      expect(everything.flat()).to.have.length(5)
      for (const after of given) {
        const expected = everything.flat().filter(({ position }) => position > after)
        const found = await all(await suite.open(), after, [suite.prefix])
        expect(idsOf(found), `after ${after}`).to.deep.equal(idsOf(expected))
      }
    })
  })
}

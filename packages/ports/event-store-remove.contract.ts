import { expect } from 'chai'
import { StreamRemovedError } from './event-store.ts'
import { type EventStoreSuite, failureOf, grant, grants } from './event-store-samples.contract.ts'

/** Removing streams permanently, and checking whether one was removed. */
export function describeRemoval(suite: EventStoreSuite): void {
  describe('removal', () => {
    it('distinguishes a removed stream from an existing one and a missing one, in every store', async () => {
      await suite.store.append(suite.stream('living'), 'no-stream', [grant()])
      await suite.store.append(suite.stream('removed'), 'no-stream', grants(2))
      await suite.store.remove(suite.stream('removed'))
      for (const scavenged of [false, true]) {
        if (scavenged) await suite.scavenge()
        for (const store of [suite.store, await suite.open()]) {
          const answers = ['living', 'removed', 'never'].map((name) => store.isRemoved(suite.stream(name)))
          expect(await Promise.all(answers)).to.deep.equal([false, true, false])
        }
      }
    })

    it('does not accept a repeat of the first append as a new one, even after a scavenge', async () => {
      const events = grants(2)
      await suite.store.append(suite.stream(), 'no-stream', events)
      await suite.store.remove(suite.stream())
      for (const scavenged of [false, true]) {
        if (scavenged) await suite.scavenge()
        for (const store of [suite.store, await suite.open()]) {
          const error = await failureOf(store.append(suite.stream(), 'no-stream', events))
          expect(error).to.be.instanceOf(StreamRemovedError)
          expect(await store.read(suite.stream())).to.deep.equal([])
        }
      }
    })

    it('can be repeated, and run several times at once', async () => {
      await suite.store.append(suite.stream(), 'no-stream', grants(3))
      const other = await suite.open()
      await Promise.all([suite.store, other, suite.store].map((store) => store.remove(suite.stream())))
      await suite.store.remove(suite.stream())
      expect(await other.read(suite.stream())).to.deep.equal([])
      expect(await other.isRemoved(suite.stream())).to.equal(true)
    })

    it('of a stream that never existed keeps it from being created', async () => {
      await suite.store.remove(suite.stream())
      await suite.store.remove(suite.stream())
      for (const store of [suite.store, await suite.open()]) {
        expect(await store.isRemoved(suite.stream())).to.equal(true)
        expect(await store.read(suite.stream(), { to: 0 })).to.deep.equal([])
        expect(await Array.fromAsync(store.readBackwards(suite.stream()))).to.deep.equal([])
        const error = await failureOf(store.append(suite.stream(), 'no-stream', [grant()]))
        expect(error).to.be.instanceOf(StreamRemovedError)
      }
    })

    it('by another store is reported here too, once it is repeated here', async () => {
      const { revision } = await suite.store.append(suite.stream(), 'no-stream', grants(3))
      await (await suite.open()).remove(suite.stream())
      await suite.store.remove(suite.stream())
      expect(await suite.store.read(suite.stream(), { to: revision })).to.deep.equal([])
      expect(await suite.store.isRemoved(suite.stream())).to.equal(true)
    })
  })
}

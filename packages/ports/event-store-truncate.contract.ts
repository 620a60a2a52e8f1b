import { expect } from 'chai'
import { until } from '#test/doubles/service/until.ts'
import { type EventStore, RevisionConflictError, type StoredEvent, StreamRemovedError } from './event-store.ts'
import { type EventStoreSuite, failureOf, following, grant, grants, idsOf } from './event-store-samples.contract.ts'

const revisionsOf = (events: readonly StoredEvent[]): number[] => events.map(({ revision }) => revision)

const backwards = async (store: EventStore, stream: string): Promise<number[]> =>
  revisionsOf(await Array.fromAsync(store.readBackwards(stream)))

/** Truncating the first events of a stream. */
export function describeTruncation(suite: EventStoreSuite): void {
  /** A stream of ten events, truncated before revision 6. */
  async function truncated() {
    const events = grants(10)
    await suite.store.append(suite.stream(), 'no-stream', events.slice(0, 4))
    const { position } = await suite.store.append(suite.stream(), 3, events.slice(4))
    await suite.store.truncate(suite.stream(), 6)
    return { events, position }
  }

  describe('truncation', () => {
    it('makes every read begin at the revision, in both directions, in every store', async () => {
      const { events } = await truncated()
      for (const store of [suite.store, await suite.open()]) {
        const read = (from: number, to?: number) =>
          store.read(suite.stream(), { from, ...(to !== undefined && { to }) }).then(revisionsOf)
        expect(idsOf(await store.read(suite.stream()))).to.deep.equal(idsOf(events.slice(6)))
        expect(await read(0, 9)).to.deep.equal([6, 7, 8, 9])
        expect(await read(0, 7), 'across the cut').to.deep.equal([6, 7])
        expect(await read(2, 5), 'before the cut').to.deep.equal([])
        expect(await read(5, 5), 'before the cut').to.deep.equal([])
        expect(await read(6, 6)).to.deep.equal([6])
        expect(await read(8)).to.deep.equal([8, 9])
        expect(await backwards(store, suite.stream())).to.deep.equal([9, 8, 7, 6])
      }
    })

    it('leaves a stream that continues where it ended', async () => {
      const { position } = await truncated()
      const next = grant()
      const appended = await suite.store.append(suite.stream(), 9, [next])
      expect(appended.revision).to.equal(10)
      expect(appended.position).to.be.greaterThan(position)
      expect(await suite.store.append(suite.stream(), 9, [next]), 'a repeat').to.deep.equal(appended)
      for (const store of [suite.store, await suite.open()]) {
        expect(revisionsOf(await store.read(suite.stream()))).to.deep.equal([6, 7, 8, 9, 10])
        expect(await backwards(store, suite.stream())).to.deep.equal([10, 9, 8, 7, 6])
      }
      const stale = await failureOf(suite.store.append(suite.stream(), 4, [grant()]))
      expect(stale).to.be.instanceOf(RevisionConflictError).and.to.include({ actual: 10 })
      const first = await failureOf(suite.store.append(suite.stream(), 'no-stream', [grant()]))
      expect(first).to.be.instanceOf(RevisionConflictError).and.to.include({ actual: 10 })
    })

    it('never writes a repeat of a truncated append, in whole or in part, before or after a scavenge', async () => {
      const { events } = await truncated()
      for (const name of ['before', 'after']) {
        if (name === 'after') await suite.scavenge()
        for (const [expected, repeated] of [
          ['no-stream', events.slice(0, 4)],
          [3, events.slice(4)],
        ] as const) {
          const outcome = await failureOf(suite.store.append(suite.stream(), expected, repeated))
          if (outcome !== undefined) expect(outcome, name).to.be.instanceOf(RevisionConflictError)
        }
        expect(idsOf(await suite.store.read(suite.stream())), name).to.deep.equal(idsOf(events.slice(6)))
      }
    })

    it('recognizes a repeat of a remaining append', async () => {
      await suite.store.append(suite.stream(), 'no-stream', grants(3))
      const kept = grants(2)
      const answer = await suite.store.append(suite.stream(), 2, kept)
      await suite.store.truncate(suite.stream(), 3)
      await suite.scavenge()
      expect(await suite.store.append(suite.stream(), 2, kept)).to.deep.equal(answer)
    })

    it('can be repeated and moved further on, and never goes back', async () => {
      const { events } = await truncated()
      for (const [before, first] of [
        [6, 6],
        [8, 8],
        [2, 8],
        [0, 8],
        [9, 9],
      ] as const) {
        await suite.store.truncate(suite.stream(), before)
        expect(idsOf(await suite.store.read(suite.stream())), `before ${before}`).to.deep.equal(
          idsOf(events.slice(first)),
        )
      }
    })

    it('is refused if the stream has no event of the revision, and then changes nothing', async () => {
      const { events } = await truncated()
      for (const before of [10, 11, -1, 6.5])
        expect(await failureOf(suite.store.truncate(suite.stream(), before)), `${before}`).to.be.instanceOf(RangeError)
      expect(await failureOf(suite.store.truncate(suite.stream('none'), 0))).to.be.instanceOf(RangeError)
      expect(idsOf(await suite.store.read(suite.stream()))).to.deep.equal(idsOf(events.slice(6)))
    })

    it('of a removed stream changes nothing, and a truncated stream can be removed', async () => {
      await truncated()
      await suite.store.remove(suite.stream())
      await suite.store.truncate(suite.stream(), 8)
      for (const store of [suite.store, await suite.open()]) {
        expect(await store.read(suite.stream())).to.deep.equal([])
        expect(await store.isRemoved(suite.stream())).to.equal(true)
      }
      const error = await failureOf(suite.store.append(suite.stream(), 9, [grant()]))
      expect(error).to.be.instanceOf(StreamRemovedError)
    })

    it('shows a follower what remains and what is appended, once and in order', async () => {
      const { position: after } = await suite.store.append(suite.stream('mark'), 'no-stream', [grant()])
      const { events } = await truncated()
      await suite.store.append(suite.stream('b'), 'no-stream', [grant()])
      await suite.scavenge()
      const next = grant()
      const { position: end } = await suite.store.append(suite.stream(), 9, [next])
      for (const store of [suite.store, await suite.open()]) {
        const seen: StoredEvent[] = []
        const { signal } = new AbortController()
        for await (const batch of store.follow({ after, prefixes: [suite.prefix], signal })) {
          seen.push(...batch.events)
          if (batch.position >= end) break
        }
        const left = seen.filter(({ stream, revision }) => stream === suite.stream() && revision >= 6)
        expect(idsOf(left)).to.deep.equal(idsOf([...events.slice(6), next]))
        expect(seen.filter(({ stream }) => stream === suite.stream('b'))).to.have.length(1)
        const positions = seen.map(({ position }) => position)
        expect(positions).to.deep.equal([...new Set(positions)].sort((one, other) => one - other))
      }
    })

    it('blocks no reader, append or follower meanwhile', async () => {
      const { position: after } = await suite.store.append(suite.stream('mark'), 'no-stream', [grant()])
      const follower = following(suite.store, [suite.prefix], after)
      const events = grants(41)
      for (const [revision, event] of events.entries()) {
        await suite.store.append(suite.stream(), revision === 0 ? 'no-stream' : revision - 1, [event])
        const cut = Math.max(0, revision - 3)
        const [, read] = await Promise.all([
          suite.store.truncate(suite.stream(), cut),
          suite.store.read(suite.stream(), { from: cut, to: revision }),
        ])
        expect(idsOf(read)).to.deep.equal(idsOf(events.slice(cut, revision + 1)))
      }
      await until('it has the last', () => follower.events.at(-1)?.revision === 40, { everyMs: 5 })
      await follower.stop()
      const left = follower.events.filter(({ revision }) => revision >= 37)
      expect(idsOf(left)).to.deep.equal(idsOf(events.slice(37)))
    })
  })
}

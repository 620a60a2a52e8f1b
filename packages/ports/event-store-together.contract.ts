import { expect } from 'chai'
import { InvalidEventError, type NewEvent, type StreamAppend, StreamRemovedError } from './event-store.ts'
import { conflictOf, type EventStoreSuite, failureOf, grant, grants, idsOf } from './event-store-samples.contract.ts'

/** Appending to several streams at once, for stores that can. */
export function describeAppendTogether(suite: EventStoreSuite): void {
  describe('append together', () => {
    const to = (
      stream: string | number,
      expected: StreamAppend['expected'],
      events: readonly NewEvent[] = [grant()],
    ): StreamAppend => ({ stream: suite.stream(stream), expected, events })
    const together = async (appends: readonly StreamAppend[], store = suite.store) => {
      if (store.appendTogether === undefined) throw new Error('the store cannot append together')
      return store.appendTogether(appends)
    }
    const lengths = (...names: (string | number)[]): Promise<number[]> =>
      Promise.all(names.map(async (name) => (await suite.store.read(suite.stream(name))).length))

    it('answers each append as it would be answered alone', async () => {
      await suite.store.append(suite.stream('b'), 'no-stream', grants(3))
      const appends = [to('a', 'no-stream', grants(2)), to('b', 2)]
      const answers = await together(appends)
      expect(answers.map(({ revision }) => revision)).to.deep.equal([1, 3])
      for (const [index, { stream, events }] of appends.entries()) {
        const read = await suite.store.read(stream)
        expect(idsOf(read).slice(-events.length)).to.deep.equal(idsOf(events))
        expect(read.at(-1)?.position).to.equal(answers[index]?.position)
      }
    })

    it('shows followers the events one after the other, in the order of the appends', async () => {
      const mark = await suite.store.append(suite.stream('mark'), 'no-stream', [grant()])
      const appends = [to('b', 'no-stream', grants(2)), to('a', 'no-stream', grants(2))]
      const busy = [0, 1, 2, 3].map((n) => suite.store.append(suite.stream(n), 'no-stream', grants(2)))
      await Promise.all([...busy, together(appends)])
      const seen: string[] = []
      const { signal } = new AbortController()
      for await (const batch of suite.store.follow({ after: mark.position, prefixes: [suite.prefix], signal })) {
        seen.push(...idsOf(batch.events))
        if (seen.length >= 12) break
      }
      const wanted = appends.flatMap(({ events }) => idsOf(events))
      const from = seen.indexOf(wanted[0] ?? '')
      expect(seen.slice(from, from + 4)).to.deep.equal(wanted)
    })

    it('writes nothing if one append conflicts, and names that one', async () => {
      await suite.store.append(suite.stream('b'), 'no-stream', grants(2))
      const conflict = await conflictOf(together([to('a', 'no-stream'), to('b', 0), to('c', 'no-stream')]))
      expect(conflict).to.deep.equal(['revision_conflict', suite.stream('b'), 0, 1])
      expect(await lengths('a', 'b', 'c')).to.deep.equal([0, 2, 0])
      expect((await together([to('a', 'no-stream'), to('b', 1)])).map(({ revision }) => revision)).to.deep.equal([0, 2])
    })

    it('writes nothing if one stream was removed, and names it', async () => {
      await suite.store.remove(suite.stream('b'))
      const error = await failureOf(together([to('a', 'no-stream'), to('b', 'no-stream')]))
      expect(error).to.be.instanceOf(StreamRemovedError).with.property('stream', suite.stream('b'))
      expect(await lengths('a')).to.deep.equal([0])
    })

    it('writes nothing if an event breaks its schema, a stream is named twice, or there is no append', async () => {
      const wrong = { ...grant(), data: { credits: 'many', reason: 'adjustment' } } as unknown as NewEvent
      const refused = [
        [to('a', 'no-stream'), to('b', 'no-stream', [wrong])],
        [to('a', 'no-stream'), to('a', 0)],
        [to('a', 'no-stream'), to('b', 'no-stream', [])],
        [],
      ]
      const errors = await Promise.all(refused.map((appends) => failureOf(together(appends))))
      expect(errors[0]).to.be.instanceOf(InvalidEventError)
      for (const error of errors.slice(1)) expect(error).to.be.instanceOf(RangeError)
      expect(await lengths('a', 'b')).to.deep.equal([0, 0])
    })

    it('gives an identical repeat the first answer, even after a restart, and writes nothing', async () => {
      const appends = [to('a', 'no-stream', grants(2)), to('b', 'no-stream')]
      const first = await together(appends)
      await suite.store.append(suite.stream('a'), 1, [grant()])
      expect(await together(appends)).to.deep.equal(first)
      expect(await together(appends, await suite.open())).to.deep.equal(first)
      expect(await lengths('a', 'b')).to.deep.equal([3, 1])
    })

    it('writes nothing if only some of them are there already, and names the first of these', async () => {
      const [a, b, c] = [to('a', 'no-stream'), to('b', 'no-stream'), to('c', 'no-stream')]
      await together([b, c])
      await suite.store.append(b.stream, 0, grants(2))
      const conflict = await conflictOf(together([a, b, c]))
      expect(conflict).to.deep.equal(['revision_conflict', b.stream, 'no-stream', 2])
      expect(await lengths('a', 'b', 'c')).to.deep.equal([0, 3, 1])
    })

    it('lets one of many at the same revision win, whole, from two stores', async () => {
      const stores = [suite.store, await suite.open()]
      const outcomes = await Promise.allSettled(
        Array.from({ length: 12 }, (_, n) => together([to(n, 'no-stream'), to('a', 'no-stream')], stores[n % 2])),
      )
      const won = outcomes.flatMap(({ status }, n) => (status === 'fulfilled' ? [n] : []))
      expect(won).to.have.length(1)
      expect(await lengths('a')).to.deep.equal([1])
      const stored = await lengths(...outcomes.keys())
      expect(stored).to.deep.equal(outcomes.map((_, n) => (won.includes(n) ? 1 : 0)))
    })
  })
}

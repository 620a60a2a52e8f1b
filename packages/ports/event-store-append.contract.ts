import { expect } from 'chai'
import { AppendTooLargeError, InvalidEventError, type NewEvent, RevisionConflictError } from './event-store.ts'
import {
  bulky,
  conflictOf,
  type EventStoreSuite,
  failureOf,
  type Grant,
  grant,
  grants,
  idsOf,
  unavailable,
} from './event-store-samples.contract.ts'

/** Appending to and reading from one stream. */
export function describeAppend(suite: EventStoreSuite): void {
  describe('append and read', () => {
    it('returns what was appended, with its place, its time and its metadata', async () => {
      const events = grants(2)
      const before = Date.now()
      const appended = await suite.store.append(suite.stream(), 'no-stream', events)
      const read = await suite.store.read(suite.stream())
      expect(appended.revision).to.equal(1)
      expect(read[1]?.position).to.equal(appended.position)
      expect(read.map(({ id, type, data, metadata }) => ({ id, type, data, metadata }))).to.deep.equal(events)
      expect(read.map((event) => [event.stream, event.revision])).to.deep.equal([
        [suite.stream(), 0],
        [suite.stream(), 1],
      ])
      expect(read[0]?.position).to.be.lessThan(read[1]?.position ?? 0)
      for (const { recordedAt } of read) expect(recordedAt).to.be.within(before - 2000, Date.now() + 2000)
    })

    it('answers with safe positions that grow from append to append', async () => {
      let last = 0
      for (let n = 0; n < 5; n++) {
        const { position } = await suite.store.append(suite.stream(n), 'no-stream', [grant()])
        expect(position).to.satisfy(Number.isSafeInteger).and.to.be.greaterThan(last)
        last = position
      }
    })

    it('reads from a revision, inclusive, and nothing beyond the end', async () => {
      const events = grants(5)
      await suite.store.append(suite.stream(), 'no-stream', events)
      expect(idsOf(await suite.store.read(suite.stream(), { from: 3 }))).to.deep.equal(idsOf(events.slice(3)))
      expect(await suite.store.read(suite.stream(), { from: 5 })).to.deep.equal([])
    })

    it('reads nothing from a stream that does not exist, in both directions', async () => {
      expect(await suite.store.read(suite.stream())).to.deep.equal([])
      expect(await Array.fromAsync(suite.store.readBackwards(suite.stream()))).to.deep.equal([])
    })

    it('reads backwards through many pages, and stops when the caller stops', async () => {
      const events = grants(730)
      await suite.store.append(suite.stream(), 'no-stream', events)
      const all = await Array.fromAsync(suite.store.readBackwards(suite.stream()))
      expect(idsOf(all)).to.deep.equal(idsOf(events).reverse())
      let seen = 0
      for await (const event of suite.store.readBackwards(suite.stream())) {
        seen++
        if (event.revision === 728) break
      }
      expect(seen).to.equal(2)
    })

    it('keeps what was appended, even if the caller changes its objects later', async () => {
      const after = await suite.store.append(suite.stream('mark'), 'no-stream', [grant()])
      const event = grant(7)
      const appending = suite.store.append(suite.stream(), 'no-stream', [event])
      event.data.credits = 99
      await appending
      event.data.credits = 100
      const readings = [suite.store.read(suite.stream()), suite.store.read(suite.stream(), { to: 0 })]
      for (const [first] of await Promise.all(readings)) {
        expect(first?.data).to.deep.equal({ credits: 7, reason: 'adjustment', by: 'command' })
      }
      const { signal } = new AbortController()
      for await (const batch of suite.store.follow({ after: after.position, prefixes: [suite.prefix], signal })) {
        for (const { data } of batch.events)
          expect(data).to.deep.equal({ credits: 7, reason: 'adjustment', by: 'command' })
        if (batch.events.length > 0) break
      }
    })

    it('reads up to a revision, inclusive, from memory or not', async () => {
      const events = grants(5)
      await suite.store.append(suite.stream(), 'no-stream', events)
      for (const store of [suite.store, await suite.open()]) {
        const idsBetween = async (from: number, to: number): Promise<string[]> =>
          idsOf(await store.read(suite.stream(), { from, to }))
        expect(await idsBetween(0, 2)).to.deep.equal(idsOf(events.slice(0, 3)))
        expect(await idsBetween(2, 2)).to.deep.equal(idsOf(events.slice(2, 3)))
        expect(await idsBetween(3, 9)).to.deep.equal(idsOf(events.slice(3)))
        expect(await idsBetween(5, 9)).to.deep.equal([])
        expect(await store.read(suite.stream('none'), { to: 3 })).to.deep.equal([])
      }
    })

    it('reads up to a revision of a stream that two stores write in turn', async () => {
      const other = await suite.open()
      const events = grants(6)
      let expected: number | 'no-stream' = 'no-stream'
      for (const [index, event] of events.entries()) {
        const writer = index % 2 ? suite.store : other
        const { revision }: { revision: number } = await writer.append(suite.stream(), expected, [event])
        const read = await writer.read(suite.stream(), { to: revision })
        expect(idsOf(read)).to.deep.equal(idsOf(events.slice(0, index + 1)))
        expected = revision
      }
    })

    it('keeps every character, and data of several hundred kilobytes', async () => {
      const odd = unavailable('ü€😀 \u0000 "\\ \u2028 \ud800')
      const large = bulky(400_000)
      await suite.store.append(suite.stream(), 'no-stream', [odd, large])
      const read = await suite.store.read(suite.stream())
      expect(read.map((event) => event.data)).to.deep.equal([odd.data, large.data])
    })
  })

  describe('conflicts', () => {
    const conflictAt = (expected: number | 'no-stream'): Promise<unknown[]> =>
      conflictOf(suite.store.append(suite.stream(), expected, [grant()]))

    it('refuses any expected revision but the true one, and the error names it', async () => {
      await suite.store.append(suite.stream(), 'no-stream', grants(4))
      for (const expected of [0, 99, 'no-stream'] as const)
        expect(await conflictAt(expected)).to.deep.equal(['revision_conflict', suite.stream(), expected, 3])
      expect(await suite.store.read(suite.stream())).to.have.length(4)
    })

    it('refuses a revision of a stream that does not exist', async () => {
      expect(await conflictAt(0)).to.deep.equal(['revision_conflict', suite.stream(), 0, 'no-stream'])
      expect(await suite.store.read(suite.stream())).to.deep.equal([])
    })

    it('lets exactly one of many concurrent appends at one revision win, from two stores', async () => {
      const other = await suite.open()
      await suite.store.append(suite.stream(), 'no-stream', [grant()])
      const attempts = Array.from({ length: 16 }, (_, n) =>
        (n % 2 ? suite.store : other).append(suite.stream(), 0, grants(2)),
      )
      const outcomes = await Promise.allSettled(attempts)
      const lost = outcomes.filter((outcome) => outcome.status === 'rejected')
      expect(lost).to.have.length(15)
      for (const { reason } of lost) expect(reason).to.be.instanceOf(RevisionConflictError)
      expect(await suite.store.read(suite.stream())).to.have.length(3)
    })
  })

  describe('repeats, as recorded from EventStoreDB', () => {
    let e1: Grant
    let e2: Grant
    let e3: Grant
    let first: { revision: number; position: number }
    beforeEach(async () => {
      ;[e1, e2, e3] = [grant(1), grant(2), grant(3)]
      first = await suite.store.append(suite.stream(), 'no-stream', [e1, e2])
    })

    it('3d appends the same ids again at the current revision', async () => {
      const again = await suite.store.append(suite.stream(), 1, [e1, e2])
      expect(again.revision).to.equal(3)
      expect(again.position).to.be.greaterThan(first.position)
      expect(idsOf(await suite.store.read(suite.stream()))).to.deep.equal(idsOf([e1, e2, e1, e2]))
    })

    it('3g recognizes a repeat even if other appends followed it', async () => {
      await suite.store.append(suite.stream(), 1, [e3])
      expect(await suite.store.append(suite.stream(), 'no-stream', [e1, e2])).to.deep.equal(first)
      expect(await suite.store.read(suite.stream())).to.have.length(3)
    })

    it('3i 3j refuses a repeat if only a part of it was stored', async () => {
      await suite.store.append(suite.stream(), 1, [e3])
      for (const events of [
        [e1, grant()],
        [e1, e2, e3, grant()],
        [e2, e1],
        [grant(), e2],
      ]) {
        const error = await failureOf(suite.store.append(suite.stream(), 'no-stream', events))
        expect(error).to.be.instanceOf(RevisionConflictError)
        expect((error as RevisionConflictError).actual).to.equal(2)
      }
      expect(idsOf(await suite.store.read(suite.stream()))).to.deep.equal(idsOf([e1, e2, e3]))
    })

    it('3l 3m recognizes a repeat of a part of an append, at its own revision', async () => {
      const read = await suite.store.read(suite.stream())
      expect(await suite.store.append(suite.stream(), 'no-stream', [e1])).to.deep.equal({
        revision: 0,
        position: read[0]?.position,
      })
      expect(await suite.store.append(suite.stream(), 0, [e2])).to.deep.equal(first)
      expect(await suite.store.read(suite.stream())).to.have.length(2)
    })

    it('3n ignores different data in a repeat', async () => {
      const { revision } = await suite.store.append(suite.stream(), 'no-stream', [
        { ...e1, data: { ...e1.data, credits: 50 } },
      ])
      expect(revision).to.equal(0)
      expect((await suite.store.read(suite.stream()))[0]?.data).to.deep.equal(e1.data)
    })

    it('3p accepts the same id in another stream', async () => {
      expect((await suite.store.append(suite.stream('b'), 'no-stream', [e1])).revision).to.equal(0)
      expect(idsOf(await suite.store.read(suite.stream('b')))).to.deep.equal([e1.id])
    })

    it('3r recognizes a repeat after a restart', async () => {
      const again = await suite.open()
      expect((await again.append(suite.stream(), 'no-stream', [e1, e2])).revision).to.equal(1)
      expect(await again.read(suite.stream())).to.have.length(2)
    })

    it('writes once what is appended many times at the same moment', async () => {
      const events = grants(3)
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => suite.store.append(suite.stream('c'), 'no-stream', events)),
      )
      for (const answer of answers) expect(answer).to.deep.equal(answers[0])
      expect(await suite.store.read(suite.stream('c'))).to.have.length(3)
    })
  })

  describe('what is refused', () => {
    it('writes nothing of an append if one event does not fit its schema', async () => {
      const wrong = { ...grant(), data: { credits: 'many', reason: 'adjustment' } } as unknown as NewEvent
      const noType = { ...grant(), type: 'NeverHeardOf' } as unknown as NewEvent
      const noMetadata = { ...grant(), metadata: {} } as unknown as NewEvent
      for (const events of [[grant(), wrong], [noType], [noMetadata]]) {
        const error = await failureOf(suite.store.append(suite.stream(), 'no-stream', events))
        expect(error).to.be.instanceOf(InvalidEventError)
      }
      expect(await suite.store.read(suite.stream())).to.deep.equal([])
    })

    it('refuses an id that is not a UUID, and an append without events', async () => {
      const error = await failureOf(suite.store.append(suite.stream(), 'no-stream', [{ ...grant(), id: 'one' }]))
      expect(error).to.be.instanceOf(InvalidEventError)
      expect(await failureOf(suite.store.append(suite.stream(), 'no-stream', []))).to.be.instanceOf(RangeError)
    })

    it('writes nothing of an append with more than 1 MiB of data, and works afterwards', async () => {
      const events = Array.from({ length: 5 }, () => bulky(600_000))
      const error = await failureOf(suite.store.append(suite.stream(), 'no-stream', events))
      expect(error).to.be.instanceOf(AppendTooLargeError)
      expect(await suite.store.read(suite.stream())).to.deep.equal([])
      await suite.store.append(suite.stream(), 'no-stream', [bulky(300_000), bulky(300_000)])
      expect(await suite.store.read(suite.stream())).to.have.length(2)
    })
  })
}

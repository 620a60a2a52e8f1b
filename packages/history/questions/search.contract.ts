import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { EventStoreFixture } from '#packages/ports/event-store.contract.ts'
import type { EventStore, StoredEvent } from '#packages/ports/event-store.ts'
import { grants } from '#packages/ports/event-store-samples.contract.ts'
import { backwardsFrom, forwardsFrom, revisionAt } from './search.ts'

const EVENTS = 600
const TRUNCATED = 330
/** Requested times of events. A store may give each event its own. */
const INSTANTS = 10

const revisionsOf = async (events: AsyncIterable<StoredEvent>): Promise<number[]> =>
  (await Array.fromAsync(events)).map(({ revision }) => revision)

/** Checks that a stream can be read by time and in pages, whole and truncated. */
export function describeSearch(name: string, makeFixture: () => Promise<EventStoreFixture>): void {
  describe(`${name} is searched by time`, function () {
    this.timeout(60_000)
    let fixture: EventStoreFixture
    let store: EventStore
    let stream: string
    let events: StoredEvent[]
    before(async () => {
      fixture = await makeFixture()
      store = await fixture.open()
      stream = `credits-${randomUUID()}`
      for (let revision = -1; revision < EVENTS - 1; revision += 30)
        await store.append(stream, revision < 0 ? 'no-stream' : revision, grants(30))
      events = await store.read(stream)
    })
    after(async () => {
      await store[Symbol.asyncDispose]()
      await fixture[Symbol.asyncDispose]()
    })

    /** Checks at many instants that the search finds what a scan of every event finds. */
    async function expectFound(left: readonly StoredEvent[]): Promise<void> {
      const all = [...new Set(events.map(({ recordedAt }) => recordedAt))]
      const times = all.filter((_, n) => n % Math.ceil(all.length / INSTANTS) === 0 || n === all.length - 1)
      for (const instant of [0, ...times.flatMap((at) => [at - 1, at]), 1e15]) {
        const wanted = left.findLast(({ recordedAt }) => recordedAt <= instant)
        expect(await revisionAt(store, stream, instant), `at ${instant}`).to.equal(wanted?.revision)
      }
    }

    const inBothDirections = async (from: number, to: number) => ({
      forwards: await revisionsOf(forwardsFrom(store, stream, from)),
      backwards: await revisionsOf(backwardsFrom(store, stream, to)),
    })

    it('finds the last event that was recorded by an instant', async () => {
      expect(events).to.have.length(EVENTS)
      await expectFound(events)
      expect(await revisionAt(store, `credits-${randomUUID()}`, 1e15)).to.equal(undefined)
    })

    it('finds it among the events that are left of a truncated stream, and none before them', async () => {
      await store.truncate(stream, TRUNCATED)
      await expectFound(events.slice(TRUNCATED))
      const left = events.slice(TRUNCATED).map(({ revision }) => revision)
      expect(await inBothDirections(0, EVENTS - 1)).to.deep.equal({ forwards: left, backwards: left.toReversed() })
      expect(await inBothDirections(400, 340)).to.deep.equal({
        forwards: left.slice(70),
        backwards: left.slice(0, 11).toReversed(),
      })
      expect(await inBothDirections(EVENTS, TRUNCATED - 1)).to.deep.equal({ forwards: [], backwards: [] })
    })

    it('finds nothing in a removed stream', async () => {
      await store.remove(stream)
      await expectFound([])
      expect(await inBothDirections(0, EVENTS)).to.deep.equal({ forwards: [], backwards: [] })
    })
  })
}

import { expect } from 'chai'
import fc from 'fast-check'
import { granted } from '#packages/domain/credits/credits.fixture.ts'
import { lastRevision } from '#packages/events/store/last-revision.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { stored, storeOf } from './history-store.fixture.ts'
import { backwardsFrom, CLOCKS_DIFFER_MS, forwardsFrom, revisionAt } from './search.ts'

const STREAM = 'credits-org-1'

/** A ledger with events recorded at these times. */
const recordedAt = (times: readonly number[]): StoredEvent[] =>
  times.map((at, revision) => stored(granted(1), { stream: STREAM, revision, position: revision + 1, recordedAt: at }))

describe('the search by time in a stream', () => {
  it('finds the last event, in the order of the stream, that was recorded by then', async () => {
    const store = storeOf(recordedAt([100, 200, 150, 300]))
    const found = (instant: number) => revisionAt(store, STREAM, instant)
    expect(await found(99)).to.equal(undefined)
    expect(await found(100)).to.equal(0)
    expect(await found(149)).to.equal(0)
    // The clock went back, so events stored before the one of 150 count with it.
    expect(await found(150)).to.equal(2)
    expect(await found(299)).to.equal(2)
    expect(await found(1e15)).to.equal(3)
    expect(await revisionAt(store, 'credits-nobody', 100)).to.equal(undefined)
  })

  it('is right wherever times go back by less than a minute', async () => {
    const times = fc
      .array(fc.tuple(fc.nat(200_000), fc.nat(CLOCKS_DIFFER_MS / 2)), { minLength: 1, maxLength: 60 })
      .map((steps) => {
        let now = 0
        return steps.map(([step, back]) => {
          now += step
          return now - back
        })
      })
    await fc.assert(
      fc.asyncProperty(times, fc.double({ min: -0.1, max: 1.1, noNaN: true }), async (times, part) => {
        const instant = Math.floor(part * Math.max(...times))
        const wanted = times.findLastIndex((at) => at <= instant)
        expect((await revisionAt(storeOf(recordedAt(times)), STREAM, instant)) ?? -1).to.equal(wanted)
      }),
      { seed: 20, numRuns: 300 },
    )
  })

  it('reads about as many events as the length of the stream has binary digits', async () => {
    const store = storeOf(recordedAt(Array.from({ length: 100_000 }, (_, n) => n * 1000)))
    expect(await revisionAt(store, STREAM, 70_000_500)).to.equal(70_000)
    expect(store.reads).to.be.at.most(20)
  })

  it('counts events that are no longer there as the oldest', async () => {
    const kept = recordedAt([100, 200, 300, 400, 500]).slice(2)
    expect(await revisionAt(storeOf(kept), STREAM, 450)).to.equal(3)
    expect(await revisionAt(storeOf(kept), STREAM, 250)).to.equal(undefined)
  })
})

describe('reading a stream from a revision', () => {
  const events = recordedAt(Array.from({ length: 601 }, (_, n) => n))
  const revisionsOf = async (events: AsyncIterable<StoredEvent>) =>
    (await Array.fromAsync(events)).map(({ revision }) => revision)

  it('gives all events on or back, page by page', async () => {
    const store = storeOf(events)
    const all = events.map(({ revision }) => revision)
    expect(await revisionsOf(forwardsFrom(store, STREAM, 7))).to.deep.equal(all.slice(7))
    expect(await revisionsOf(forwardsFrom(store, STREAM, 601))).to.deep.equal([])
    expect(await revisionsOf(backwardsFrom(store, STREAM, 593))).to.deep.equal(all.slice(0, 594).reverse())
    expect(await revisionsOf(backwardsFrom(store, STREAM, -1))).to.deep.equal([])
    expect(await lastRevision(store, STREAM)).to.equal(600)
  })

  it('begins at the first event that is left, however many are gone', async () => {
    const store = storeOf(recordedAt(Array.from({ length: 100_000 }, (_, n) => n)).slice(99_000))
    const revisions = await revisionsOf(forwardsFrom(store, STREAM, 0))
    expect([revisions[0], revisions.length]).to.deep.equal([99_000, 1000])
    expect(store.reads).to.be.at.most(30)
    expect(await revisionsOf(forwardsFrom(storeOf(events.slice(100)), STREAM, 0))).to.deep.equal(
      events.slice(100).map(({ revision }) => revision),
    )
  })

  it('ends where the events before are no longer there', async () => {
    expect(await revisionsOf(backwardsFrom(storeOf(events.slice(590)), STREAM, 600))).to.have.length(11)
  })
})

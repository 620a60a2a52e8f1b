import { expect } from 'chai'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { goldenStore, stored, storeOf } from './history-store.fixture.ts'
import { allStreams, type Projection } from './projection.ts'
import { merged, replay } from './replay.ts'
import { CLOCKS_DIFFER_MS } from './search.ts'

/** The positions that were seen. */
const positions: Projection<number[]> = {
  initialState: () => [],
  evolve: (seen, { position }) => [...seen, position],
  merge: (one, other) => [...one, ...other].sort((a, b) => a - b),
  print: (seen) => seen.join(' '),
}

/** Job events with these recorded times, milliseconds since 1970. */
const recorded = (times: readonly number[]): StoredEvent[] =>
  times.map((recordedAt, index) =>
    stored(
      { type: 'CaptionsUnavailable', data: { reason: 'test' } },
      { stream: `job-${index}`, position: index + 1, recordedAt },
    ),
  )

describe('a replay', () => {
  it('folds every event of the streams that the projection asks for, or the caller', async () => {
    const all = await replay(goldenStore(), positions)
    expect(all.events).to.equal(all.state.length).and.to.be.greaterThan(90)
    const jobs = await replay(goldenStore(), { ...positions, prefixes: ['job-'] })
    const prefixes = allStreams.filter((prefix) => prefix !== 'job-')
    const others = await replay(goldenStore(), positions, { prefixes })
    expect([...jobs.state, ...others.state].sort((a, b) => a - b)).to.deep.equal(all.state)
    expect(jobs.events).to.equal(jobs.state.length).and.to.be.lessThan(all.events)
  })

  it('counts events from one position to another, both included', async () => {
    const { state, events } = await replay(goldenStore(), positions, { from: { position: 5 }, to: { position: 9 } })
    expect(state).to.deep.equal([5, 6, 7, 8, 9])
    expect(events).to.equal(5)
    expect((await replay(goldenStore(), positions, { from: { position: 9999 } })).events).to.equal(0)
  })

  it('counts events recorded from one time to another, also where clocks differ', async () => {
    const store = storeOf(recorded([10, 30, 20, 40, 25, 50]))
    const { state } = await replay(store, positions, { from: { instant: 20 }, to: { instant: 30 } })
    expect(state).to.deep.equal([2, 3, 5])
  })

  it('reads no further once events are a minute later than the last time', async () => {
    const times = Array.from({ length: 1000 }, (_, n) => n * 1000)
    let position = 0
    const store = storeOf(recorded(times))
    const watched: typeof store = {
      ...store,
      async *follow(options) {
        for await (const batch of store.follow(options)) {
          position = batch.position
          yield batch
        }
      },
    }
    const { events } = await replay(watched, positions, { to: { instant: 50_000 } })
    expect(events).to.equal(51)
    expect(position).to.be.within(51 + CLOCKS_DIFFER_MS / 1000, 300)
  })

  it('tells how far it is', async () => {
    const told: number[] = []
    const store = storeOf(recorded(Array.from({ length: 250 }, (_, n) => n)))
    await replay(store, positions, { tell: (events) => told.push(events) })
    expect(told).to.deep.equal([100, 200, 250])
  })

  it('is put together from parts only by a projection that can', () => {
    const parts = [
      { state: [2], events: 1 },
      { state: [1, 3], events: 2 },
    ]
    expect(merged(positions, parts)).to.deep.equal({ state: [1, 2, 3], events: 3 })
    const { merge: _, ...ordered } = positions
    expect(() => merged(ordered, parts)).to.throw(TypeError)
  })
})

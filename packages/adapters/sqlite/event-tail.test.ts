import { expect } from 'chai'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { grant } from '#packages/ports/event-store-samples.contract.ts'
import type { PageLimits } from '../feed-batch.ts'
import { EventTail } from './event-tail.ts'

const stored = (position: number, stream = 'job-1', revision = position / 10 - 1): StoredEvent => ({
  ...grant(position),
  stream,
  revision,
  position,
  recordedAt: 0,
})
const page = { events: 1000, bytes: 1_000_000 }
const positionsAfter = (tail: EventTail, position: number, prefixes = ['']): number[] | undefined =>
  tail.after(position, prefixes, page)?.events.map((event) => event.position)

/** Events at 10, 20, … of one stream. */
const tailOf = (limits: PageLimits, count: number): EventTail => {
  const tail = new EventTail(limits, 0)
  for (let n = 1; n <= count; n++) tail.add(stored(n * 10), 10)
  return tail
}

describe('EventTail', () => {
  it('skips other prefixes, ends at the limits, and moves on even without matching events', () => {
    const tail = new EventTail(page, 0)
    for (const position of [10, 20, 30, 40]) tail.add(stored(position, position % 20 ? 'job-1' : 'key-1', 0), 10)
    expect(positionsAfter(tail, 0, ['key-'])).to.deep.equal([20, 40])
    expect(tail.after(0, [''], { events: 2, bytes: 1000 })).to.include({ position: 20, caughtUp: false })
    expect(tail.after(0, [''], { events: 9, bytes: 15 })).to.include({ position: 20, caughtUp: false })
    expect(tail.after(0, ['org-'], page)).to.deep.equal({ events: [], position: 40, caughtUp: true })
  })

  it('drops the oldest events beyond its number of events or bytes, however many pass through', () => {
    for (const tail of [tailOf({ events: 3, bytes: 1000 }, 500), tailOf({ events: 100, bytes: 39 }, 500)]) {
      expect(positionsAfter(tail, 4969)).to.equal(undefined)
      expect(positionsAfter(tail, 4970)).to.deep.equal([4980, 4990, 5000])
      expect(tail.ofStream('job-1', 496, 499)).to.equal(undefined)
      expect(tail.ofStream('job-1', 497, 499)?.map(({ revision }) => revision)).to.deep.equal([497, 498, 499])
      expect(tail.ofStream('job-1', 497, 500)).to.equal(undefined)
    }
  })

  it('does not hold an event that alone exceeds its bytes, and continues after it', () => {
    const tail = tailOf({ events: 100, bytes: 35 }, 2)
    tail.add(stored(30, 'job-1', 2), 36)
    expect(positionsAfter(tail, 20)).to.equal(undefined)
    tail.add(stored(40), 10)
    expect(positionsAfter(tail, 30)).to.deep.equal([40])
  })

  it('drops a removed stream, and no longer counts its bytes', () => {
    const tail = new EventTail({ events: 100, bytes: 40 }, 0)
    for (const position of [10, 20, 30]) tail.add(stored(position, position === 20 ? 'job-gone' : 'job-1', 0), 10)
    tail.forget('job-gone')
    tail.forget('job-never')
    expect(positionsAfter(tail, 0)).to.deep.equal([10, 30])
    expect(tail.ofStream('job-gone', 0, 0)).to.equal(undefined)
    for (const position of [40, 50]) tail.add(stored(position), 10)
    expect(positionsAfter(tail, 0)).to.deep.equal([10, 30, 40, 50])
    tail.add(stored(60), 10)
    expect(positionsAfter(tail, 0)).to.equal(undefined)
    expect(positionsAfter(tail, 10)).to.deep.equal([30, 40, 50, 60])
  })

  it('drops the first events of a truncated stream, and keeps dropping the oldest', () => {
    const tail = tailOf({ events: 5, bytes: 1000 }, 5)
    tail.forget('job-1', 2)
    expect(positionsAfter(tail, 0)).to.deep.equal([30, 40, 50])
    expect(tail.ofStream('job-1', 1, 4)).to.equal(undefined)
    expect(tail.ofStream('job-1', 2, 4)?.map(({ revision }) => revision)).to.deep.equal([2, 3, 4])
    for (const position of [60, 70, 80]) tail.add(stored(position), 10)
    expect(positionsAfter(tail, 30)).to.deep.equal([40, 50, 60, 70, 80])
    expect(tail.ofStream('job-1', 2, 7)).to.equal(undefined)
    expect(tail.ofStream('job-1', 3, 7)).to.have.length(5)
    tail.forget('job-1', 8)
    expect(positionsAfter(tail, 30)).to.deep.equal([])
  })

  it('restarts after events that it missed, and adds no event twice', () => {
    const tail = tailOf(page, 3)
    tail.add(stored(20), 10)
    expect(positionsAfter(tail, 0)).to.deep.equal([10, 20, 30])
    tail.restart(50)
    tail.add(stored(60), 10)
    expect(positionsAfter(tail, 30)).to.equal(undefined)
    expect(positionsAfter(tail, 50)).to.deep.equal([60])
    expect(tail.ofStream('job-1', 0, 2)).to.equal(undefined)
    expect(tail.end).to.equal(60)
  })
})

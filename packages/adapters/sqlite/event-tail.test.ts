import { expect } from 'chai'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { grant } from '#packages/ports/event-store-samples.contract.ts'
import { EventTail } from './event-tail.ts'

const stored = (position: number, stream = 'job-1', revision = position - 1): StoredEvent => ({
  ...grant(position),
  stream,
  revision,
  position,
  recordedAt: 0,
})

const all = ['']
const page = { events: 1000, bytes: 1_000_000 }

/** The positions after one, in one batch; undefined where they are not held. */
const positionsAfter = (tail: EventTail, position: number, prefixes = all, limits = page): number[] | undefined =>
  tail.after(position, prefixes, limits)?.events.map((event) => event.position)

describe('EventTail', () => {
  const tailOf = (limits: { events: number; bytes: number }, count: number): EventTail => {
    const tail = new EventTail(limits, 0)
    for (let position = 1; position <= count; position++) tail.add(stored(position), 10)
    return tail
  }

  it('gives what lies after a position, and nothing where it does not begin early enough or has not come there', () => {
    const tail = new EventTail(page, 4)
    for (const position of [5, 6, 7]) tail.add(stored(position), 10)
    expect(positionsAfter(tail, 4)).to.deep.equal([5, 6, 7])
    expect(tail.after(7, all, page)).to.deep.equal({ events: [], position: 7, caughtUp: true })
    expect(tail.after(3, all, page)).to.equal(undefined)
    expect(tail.after(8, all, page)).to.equal(undefined)
  })

  it('passes over other prefixes, and ends where the limits say', () => {
    const tail = new EventTail(page, 0)
    for (const position of [1, 2, 3, 4]) tail.add(stored(position, position % 2 ? 'job-1' : 'key-1', 0), 10)
    expect(tail.after(0, ['key-'], page)).to.include({ position: 4, caughtUp: true })
    expect(positionsAfter(tail, 0, ['key-'])).to.deep.equal([2, 4])
    expect(positionsAfter(tail, 0, ['key-', 'job-'])).to.deep.equal([1, 2, 3, 4])
    expect(tail.after(0, all, { events: 2, bytes: 1000 })).to.include({ position: 2, caughtUp: false })
    expect(positionsAfter(tail, 0, all, { events: 10, bytes: 25 })).to.deep.equal([1, 2, 3])
    expect(tail.after(0, ['org-'], { events: 2, bytes: 1000 })).to.deep.include({ events: [], position: 4 })
  })

  it('drops the oldest beyond its number of events, and beyond its bytes', () => {
    for (const tail of [tailOf({ events: 3, bytes: 1000 }, 10), tailOf({ events: 100, bytes: 39 }, 10)]) {
      expect(positionsAfter(tail, 6)).to.equal(undefined)
      expect(positionsAfter(tail, 7)).to.deep.equal([8, 9, 10])
      expect(tail.ofStream('job-1', 6, 9)).to.equal(undefined)
      expect(tail.ofStream('job-1', 7, 9)?.map(({ revision }) => revision)).to.deep.equal([7, 8, 9])
    }
  })

  it('holds nothing of an event that alone exceeds its bytes, and goes on behind it', () => {
    const tail = tailOf({ events: 100, bytes: 35 }, 2)
    tail.add(stored(3), 36)
    expect(positionsAfter(tail, 2)).to.equal(undefined)
    tail.add(stored(4), 10)
    expect(positionsAfter(tail, 3)).to.deep.equal([4])
  })

  it('begins anew behind a gap, and takes no event twice', () => {
    const tail = tailOf(page, 3)
    tail.add(stored(2), 10)
    expect(positionsAfter(tail, 0)).to.deep.equal([1, 2, 3])
    tail.add(stored(6), 10)
    expect(positionsAfter(tail, 3)).to.equal(undefined)
    expect(positionsAfter(tail, 5)).to.deep.equal([6])
    expect(tail.ofStream('job-1', 0, 2)).to.equal(undefined)
    expect(tail.end).to.equal(6)
  })

  it('gives a stream only where it holds all that is asked for', () => {
    const tail = new EventTail(page, 10)
    for (const [position, revision] of [
      [11, 3],
      [13, 4],
      [15, 5],
    ] as const) {
      tail.add(stored(position, 'job-a', revision), 10)
      tail.add(stored(position + 1, `job-${position}`, 0), 10)
    }
    const revisions = (from: number, to: number): number[] | undefined =>
      tail.ofStream('job-a', from, to)?.map((event) => event.revision)
    expect(revisions(3, 5)).to.deep.equal([3, 4, 5])
    expect(revisions(4, 4)).to.deep.equal([4])
    expect(revisions(2, 5)).to.equal(undefined)
    expect(revisions(3, 6)).to.equal(undefined)
    expect(tail.ofStream('job-b', 0, 0)).to.equal(undefined)
  })

  it('forgets a removed stream, and counts its bytes no longer', () => {
    const tail = new EventTail({ events: 100, bytes: 40 }, 0)
    for (const position of [1, 2, 3]) tail.add(stored(position, position === 2 ? 'job-gone' : 'job-1', 0), 10)
    tail.forget('job-gone')
    tail.forget('job-never')
    expect(positionsAfter(tail, 0)).to.deep.equal([1, 3])
    expect(tail.ofStream('job-gone', 0, 0)).to.equal(undefined)
    for (const position of [4, 5]) tail.add(stored(position), 10)
    expect(positionsAfter(tail, 0)).to.deep.equal([1, 3, 4, 5])
    for (const position of [6, 7, 8]) tail.add(stored(position), 10)
    expect(positionsAfter(tail, 4)).to.deep.equal([5, 6, 7, 8])
  })
})

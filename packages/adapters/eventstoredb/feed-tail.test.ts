import { expect } from 'chai'
import { grant } from '#packages/ports/event-store-samples.contract.ts'
import { FeedTail, type HeldEvent } from './feed-tail.ts'

const held = (position: number, stream = 'job-1', revision = position / 10 - 1, bytes = 10): HeldEvent => ({
  stream,
  revision,
  position,
  bytes,
  stored: () => ({ ...grant(position), stream, revision, position, recordedAt: 0 }),
})
const page = { events: 1000, bytes: 1_000_000 }
const positionsAfter = (tail: FeedTail, position: number, prefixes = ['']): number[] | undefined =>
  tail.after(position, prefixes, page)?.events.map((event) => event.position)

/** Events at 10, 20, … of one stream. */
const tailOf = (limits: { events: number; bytes: number }, count: number): FeedTail => {
  const tail = new FeedTail(limits, 0)
  for (let n = 1; n <= count; n++) tail.add(held(n * 10))
  return tail
}

describe('FeedTail', () => {
  it('gives what lies after a position, whether or not an event stands there, and nothing before its beginning', () => {
    const tail = new FeedTail(page, 40)
    for (const position of [50, 60, 70]) tail.add(held(position))
    expect(positionsAfter(tail, 40)).to.deep.equal([50, 60, 70])
    expect(positionsAfter(tail, 55)).to.deep.equal([60, 70])
    expect(tail.after(70, [''], page)).to.deep.equal({ events: [], position: 70, caughtUp: true })
    expect(tail.after(39, [''], page)).to.equal(undefined)
  })

  it('passes over other prefixes, ends where the limits say, and moves on where nothing of ours has come', () => {
    const tail = new FeedTail(page, 0)
    for (const position of [10, 20, 30, 40]) tail.add(held(position, position % 20 ? 'job-1' : 'key-1', 0))
    expect(positionsAfter(tail, 0, ['key-'])).to.deep.equal([20, 40])
    expect(tail.after(0, [''], { events: 2, bytes: 1000 })).to.include({ position: 20, caughtUp: false })
    expect(tail.after(0, [''], { events: 9, bytes: 15 })).to.include({ position: 20, caughtUp: false })
    tail.advance(75)
    tail.advance(60)
    expect(tail.after(0, ['org-'], page)).to.deep.equal({ events: [], position: 75, caughtUp: true })
  })

  it('drops the oldest beyond its number of events and beyond its bytes, however many pass through', () => {
    for (const tail of [tailOf({ events: 3, bytes: 1000 }, 500), tailOf({ events: 100, bytes: 39 }, 500)]) {
      expect(positionsAfter(tail, 4969)).to.equal(undefined)
      expect(positionsAfter(tail, 4970)).to.deep.equal([4980, 4990, 5000])
      expect(tail.ofStream('job-1', 496, 499)).to.equal(undefined)
      expect(tail.ofStream('job-1', 497, 499)?.map(({ revision }) => revision)).to.deep.equal([497, 498, 499])
      expect(tail.ofStream('job-1', 497, 500)).to.equal(undefined)
    }
  })

  it('holds nothing of an event that alone exceeds its bytes, and goes on behind it', () => {
    const tail = tailOf({ events: 100, bytes: 35 }, 2)
    tail.add(held(30, 'job-1', 2, 36))
    expect(positionsAfter(tail, 20)).to.equal(undefined)
    tail.add(held(40))
    expect(positionsAfter(tail, 30)).to.deep.equal([40])
  })

  it('forgets a removed stream, and counts its bytes no longer', () => {
    const tail = new FeedTail({ events: 100, bytes: 40 }, 0)
    for (const position of [10, 20, 30]) tail.add(held(position, position === 20 ? 'job-gone' : 'job-1', 0))
    tail.forget('job-gone')
    tail.forget('job-never')
    expect(positionsAfter(tail, 0)).to.deep.equal([10, 30])
    expect(tail.ofStream('job-gone', 0, 0)).to.equal(undefined)
    for (const position of [40, 50]) tail.add(held(position))
    expect(positionsAfter(tail, 0)).to.deep.equal([10, 30, 40, 50])
    tail.add(held(60))
    expect(positionsAfter(tail, 0)).to.equal(undefined)
    expect(positionsAfter(tail, 10)).to.deep.equal([30, 40, 50, 60])
  })

  it('gives what stands before an event that cannot be decoded, and then its error, to who wants that event', () => {
    const tail = tailOf(page, 2)
    const error = new Error('unknown')
    const stored = (): never => {
      throw error
    }
    tail.add({ ...held(30, 'key-1', 0), stored })
    expect(tail.after(0, [''], page)).to.deep.include({ position: 20, caughtUp: false, error })
    expect(tail.after(0, ['job-'], page)).to.not.have.property('error')
  })
})

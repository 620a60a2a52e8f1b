import { expect } from 'chai'
import { ManualClock, settle } from '#test/doubles/manual-clock.ts'
import { Timers } from './timers.ts'

/** A clock that records how long each sleep is. */
class WatchedClock extends ManualClock {
  readonly sleeps: number[] = []

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.sleeps.push(ms)
    return super.sleep(ms, signal)
  }
}

describe('the timers of jobs', () => {
  let clock: WatchedClock
  let timers: Timers
  let woken: string[]
  let end: AbortController
  let running: Promise<void>

  const set = (jobId: string, inMs: number): void => timers.set(jobId, clock.now() + inMs)

  beforeEach(() => {
    clock = new WatchedClock()
    timers = new Timers(clock)
    woken = []
    end = new AbortController()
    running = timers.run((jobId) => woken.push(jobId), end.signal)
  })

  afterEach(async () => {
    end.abort()
    await running
  })

  it('wake each job at its instant, the earliest first, in whatever order they were set', async () => {
    set('c', 300)
    set('a', 100)
    set('b', 200)
    await clock.advance(99)
    expect(woken).to.deep.equal([])
    await clock.advance(1)
    expect(woken).to.deep.equal(['a'])
    await clock.advance(200)
    expect(woken).to.deep.equal(['a', 'b', 'c'])
  })

  it('wake a job at once if its instant is now or past', async () => {
    set('now', 0)
    set('past', -5)
    await settle()
    expect(woken).to.have.members(['now', 'past'])
  })

  it('wake a job once, at the earliest of its instants', async () => {
    set('a', 200)
    set('a', 100)
    set('a', 150)
    await clock.advance(100)
    expect(woken).to.deep.equal(['a'])
    await clock.advance(500)
    expect(woken).to.deep.equal(['a'])
  })

  it('can be set while a job is woken', async () => {
    end.abort()
    await running
    const seen: number[] = []
    const again = new AbortController()
    const chain = timers.run((jobId) => {
      seen.push(clock.now())
      if (seen.length < 3) timers.set(jobId, clock.now() + 10)
    }, again.signal)
    const start = clock.now()
    timers.set('a', start + 10)
    await clock.advance(100)
    expect(seen).to.deep.equal([start + 10, start + 20, start + 30])
    again.abort()
    await chain
  })

  it('sleep until the first of them, and look at least once a minute', async () => {
    await settle()
    expect(clock.sleeps).to.deep.equal([60_000])
    set('a', 500)
    await settle()
    expect(clock.sleeps.at(-1)).to.equal(500)
    await clock.advance(500)
    set('far', 90_000)
    await settle()
    expect(clock.sleeps.at(-1)).to.equal(60_000)
    await clock.advance(60_000)
    expect(clock.sleeps.at(-1)).to.equal(30_000)
  })

  it('end when the signal is aborted, and wake no job afterwards', async () => {
    set('a', 100)
    await settle()
    end.abort()
    await running
    await clock.advance(1000)
    expect(woken).to.deep.equal([])
  })
})

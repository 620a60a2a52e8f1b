import { expect } from 'chai'
import { ManualClock, settle } from '#test/doubles/manual-clock.ts'
import { ChangeWatch, rarely, soon } from './change-watch.ts'

describe('the watch for changes', () => {
  let clock: ManualClock
  let positions: Map<string, number>
  /** The times of the looks, milliseconds after the start, and the ids that each read. */
  let looks: [at: number, ids: readonly string[]][]
  let watch: ChangeWatch

  beforeEach(() => {
    clock = new ManualClock(0)
    positions = new Map()
    looks = []
    const read = async (_: string, ids: readonly string[]) => {
      looks.push([clock.now(), ids])
      return positions
    }
    watch = new ChangeWatch(clock, read)
  })
  afterEach(() => watch.close())

  const over = (waited: Promise<void>) => {
    const waiting = { over: false }
    void waited.then(() => {
      waiting.over = true
    })
    return waiting
  }
  const wait = (id: string, timeoutMs = 10_000) => over(watch.wait({ collection: 'jobs', id }, 0, rarely, timeoutMs))
  const waitSoon = (id: string, timeoutMs = 10_000) => over(watch.wait({ collection: 'jobs', id }, 0, soon, timeoutMs))
  const times = () => looks.map(([at]) => at)

  it('looks rarely, at most once a second, for a change that may take long', async () => {
    wait('a')
    await clock.advance(4000)
    expect(times()).to.deep.equal([250, 750, 1750, 2750, 3750])
  })

  it('looks soon for a change under way, then in pauses that double up to the longest', async () => {
    waitSoon('a')
    await clock.advance(1100)
    expect(times()).to.deep.equal([5, 15, 35, 75, 155, 315, 565, 815, 1065])
  })

  it('looks once for all waiters that are due, and never twice within five milliseconds', async () => {
    for (let n = 0; n < 20; n++) {
      waitSoon(`${n}`)
      await clock.advance(1)
    }
    expect(times()).to.deep.equal([5, 10, 15, 20])
    expect(looks.map(([, ids]) => ids.length)).to.deep.equal([1, 5, 6, 10])
  })

  it('stops looking without waiters, and wakes all waiters when it is closed', async () => {
    const brief = waitSoon('a', 100)
    await clock.advance(1000)
    expect(brief.over).to.equal(true)
    expect(times()).to.deep.equal([5, 15, 35, 75])
    const long = wait('b')
    watch.close()
    await settle()
    expect(long.over).to.equal(true)
  })

  it('looks again after a look has failed', async () => {
    let fails = true
    const failing = new ChangeWatch(clock, async () => {
      if (fails) throw new Error('away')
      return new Map([['a', 1]])
    })
    const waiting = over(failing.wait({ collection: 'jobs', id: 'a' }, 0, soon, 10_000))
    await clock.advance(100)
    expect(waiting.over).to.equal(false)
    fails = false
    await clock.advance(250)
    expect(waiting.over).to.equal(true)
  })
})

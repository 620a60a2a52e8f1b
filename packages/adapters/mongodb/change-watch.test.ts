import { expect } from 'chai'
import { ManualClock, settle } from '#test/doubles/manual-clock.ts'
import { ChangeWatch } from './change-watch.ts'

describe('the watch for changes', () => {
  let clock: ManualClock
  let positions: Map<string, number>
  /** When it looked, milliseconds after the start, and for which ids. */
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
    watch = new ChangeWatch(clock, read, 250)
  })
  afterEach(() => watch.close())

  const wait = (id: string, timeoutMs = 10_000) => {
    const waiting = { over: false }
    void watch.wait({ collection: 'jobs', id }, 0, timeoutMs).then(() => {
      waiting.over = true
    })
    return waiting
  }
  const times = () => looks.map(([at]) => at)

  it('looks soon, and then in pauses that double up to the longest', async () => {
    wait('a')
    await clock.advance(1100)
    expect(times()).to.deep.equal([10, 30, 70, 150, 310, 560, 810, 1060])
  })

  it('wakes old waiters within the longest pause, and new ones within some milliseconds', async () => {
    const first = wait('a')
    await clock.advance(600)
    const second = wait('b')
    positions.set('b', 1)
    await clock.advance(10)
    expect([first.over, second.over]).to.deep.equal([false, true])
    expect(looks.at(-1)).to.deep.equal([610, ['b']])
    positions.set('a', 1)
    await clock.advance(250)
    expect(first.over).to.equal(true)
  })

  it('looks once for all that are due, and never twice within ten milliseconds', async () => {
    for (let n = 0; n < 40; n++) {
      wait(`${n}`)
      await clock.advance(1)
    }
    expect(times()).to.deep.equal([10, 20, 30, 40])
    expect(looks.map(([, ids]) => ids.length)).to.deep.equal([1, 10, 11, 20])
  })

  it('stops looking once nobody waits, and wakes all waiters when it is closed', async () => {
    const brief = wait('a', 100)
    await clock.advance(1000)
    expect(brief.over).to.equal(true)
    expect(times()).to.deep.equal([10, 30, 70])
    const long = wait('b')
    watch.close()
    await settle()
    expect(long.over).to.equal(true)
  })

  it('looks again after a look has failed', async () => {
    let fails = true
    const failing = new ChangeWatch(
      clock,
      async () => {
        if (fails) throw new Error('away')
        return new Map([['a', 1]])
      },
      250,
    )
    let over = false
    void failing.wait({ collection: 'jobs', id: 'a' }, 0, 10_000).then(() => {
      over = true
    })
    await clock.advance(100)
    expect(over).to.equal(false)
    fails = false
    await clock.advance(250)
    expect(over).to.equal(true)
  })
})
